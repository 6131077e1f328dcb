// Play, pause, steps from event to event, speed and loop, in one row with the line of time.
import { element, icon_button, set_icon } from "../dom";
import { clock } from "../numbers";
import type { Player } from "../player";
import type { Timeline } from "./timeline";

export interface TransportActions {
  toggle: () => void;
  previous: () => void;
  next: () => void;
  changed: () => void;
}

export class Transport {
  readonly root: HTMLElement;
  private readonly play: HTMLButtonElement;
  private readonly loop: HTMLButtonElement;
  private readonly time: HTMLElement;
  private readonly speed: HTMLInputElement;
  private readonly speed_text: HTMLElement;
  private readonly previous: HTMLButtonElement;
  private readonly next: HTMLButtonElement;
  private shown = "";

  constructor(
    private readonly player: Player,
    timeline: Timeline,
    actions: TransportActions,
    has_events: boolean,
  ) {
    this.play = icon_button("play", "Play", "space", actions.toggle);
    this.play.classList.add("main");
    this.previous = icon_button("previous", "Previous event", "[", actions.previous);
    this.next = icon_button("next", "Next event", "]", actions.next);
    this.set_events(has_events);
    this.loop = icon_button("loop", "Loop", "L", () => {
      player.loop = !player.loop;
      this.update();
    });
    this.time = element("output", { class: "time", "aria-live": "off" });
    this.speed = element("input", { type: "range", min: -2, max: 2, step: 0.05, value: 0, class: "speed", "aria-label": "Speed" });
    this.speed.addEventListener("input", () => {
      const exponent = Number(this.speed.value);
      player.set_speed_exponent(Math.abs(exponent) < 0.08 ? 0 : exponent);
      actions.changed();
      this.update();
    });
    this.speed_text = element("button", { type: "button", class: "plain speed-text", title: "Back to the natural speed", "aria-label": "Natural speed" });
    this.speed_text.addEventListener("click", () => {
      player.set_speed_exponent(0);
      this.update();
    });
    this.root = element(
      "div",
      { class: "transport", role: "group", "aria-label": "Playing" },
      timeline.root,
      element("div", { class: "buttons" }, this.previous, this.play, this.next, this.loop, this.time, element("span", { class: "space" }), this.speed, this.speed_text),
    );
    this.update();
  }

  set_events(there: boolean): void {
    this.previous.disabled = this.next.disabled = !there;
  }

  // The state of the buttons.
  update(): void {
    const { player } = this;
    set_icon(this.play, player.playing ? "pause" : "play", player.playing ? "Pause" : "Play");
    this.loop.setAttribute("aria-pressed", String(player.loop));
    this.speed.value = String(player.speed_exponent);
    const text = speed_words(player.speed);
    this.speed_text.textContent = text;
    this.speed.setAttribute("aria-valuetext", `${text} speed`);
  }

  follow(t: number): void {
    const text = clock(t, this.player.span);
    if (text === this.shown) return;
    this.shown = text;
    this.time.textContent = text;
  }
}

function speed_words(speed: number): string {
  if (speed >= 10000 || speed < 0.001) return `${speed.toExponential(1).replace("e", "·10^").replace("+", "")}×`;
  return `${Number(speed.toPrecision(2))}×`;
}
