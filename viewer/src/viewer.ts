// The viewer put together: one loop that lets time pass, draws the stage, and keeps everything else in step with it.
import { make_dialog, licence_texts, type Licence } from "./controls/dialog";
import { keys_help, listen_to_keys, type Key } from "./controls/keyboard";
import { make_splitter } from "./controls/splitter";
import { Theme } from "./controls/theme";
import { Timeline } from "./controls/timeline";
import { Transport } from "./controls/transport";
import type { Data } from "./data/read";
import { open_runs, type Run } from "./data/runs";
import { element, icon_button } from "./dom";
import { clock } from "./numbers";
import { make_equations } from "./panel/equations";
import { event_card, told } from "./panel/event_words";
import { EventTable } from "./panel/event_table";
import { make_model_text } from "./panel/model_text";
import { Plots } from "./panel/plots";
import { make_summary } from "./panel/summary";
import { make_tabs, type Tab } from "./panel/tabs";
import { Player } from "./player";
import type { Wishes } from "./scene/describe";
import { palette_for } from "./scene/palette";
import { Stage } from "./stage";

declare const ZWANG_LICENCES: Licence[];

const flash_seconds = 0.45;

// What a page that computes for itself adds: tabs of its own in front, and a word with every time that is gone to.
export interface Additions {
  tabs?: Tab[];
  // The text of the model stands elsewhere.
  without_text?: boolean;
  moved?: (time: number, playing: boolean) => void;
}

export class Viewer {
  readonly player: Player;
  readonly stage: Stage;
  milliseconds = 0;
  private runs: Run[];
  private readonly wishes: Wishes;
  private readonly timeline: Timeline;
  private readonly transport: Transport;
  private readonly plots: Plots;
  private readonly table: EventTable;
  private summary: { root: HTMLElement; update: () => void };
  private readonly theme: Theme;
  private readonly live: HTMLElement;
  private readonly calm: boolean;
  private readonly flashes: { event: number; since: number }[] = [];
  private dirty = true;
  private last_frame = 0;

  constructor(
    place: HTMLElement,
    private data: Data,
    options: URLSearchParams,
    private readonly additions: Additions = {},
  ) {
    const { header } = data;
    if (options.has("bare")) document.documentElement.classList.add("bare");
    this.runs = open_runs(data);
    const begin = Math.min(...this.runs.map(({ pieces }) => pieces.begin));
    const end = Math.max(...this.runs.map(({ pieces }) => pieces.end));
    this.player = new Player(begin, end);
    this.calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
    this.wishes = {
      visible: this.runs.map(() => true),
      trails: true,
      trail_span: Math.min(1.6 * this.player.base, this.player.span),
      event: -1,
      front: 0,
      flashes: [],
    };
    this.theme = new Theme(options.get("theme"), () => this.recolour(), this.over.signal);
    const dark = this.theme.dark;

    const wished = options.get("renderer");
    this.stage = new Stage(data, this.runs, this.wishes, dark, wished === "canvas" || wished === "webgl" ? wished : undefined, () => (this.dirty = true), (front) => this.choose_front(front));
    this.timeline = new Timeline(begin, end, this.front, dark, (t) => this.seek(t));
    this.transport = new Transport(
      this.player,
      this.timeline,
      { toggle: () => this.toggle(), previous: () => this.step(-1), next: () => this.step(1), changed: () => (this.dirty = true) },
      this.runs.some(({ events }) => events.count > 0),
    );
    this.plots = new Plots(data, this.runs, () => this.wishes.visible, palette_for(dark), begin, end, (t) => this.seek(t), () => (this.dirty = true));
    this.table = new EventTable(header, this.front, this.player.span, (event) => this.go_to_event(event));
    this.summary = make_summary(header, this.runs, () => this.wishes.front);
    this.live = element("div", { class: "unseen", "aria-live": "polite", role: "status" });

    const summary_tab = element("div", {}, this.summary.root);
    this.equations = element("div", {}, make_equations(header.equations));
    const tabs: Tab[] = [
      ...(additions.tabs ?? []),
      { name: "Plots", content: this.plots.root, shown: () => { this.plots?.fit(); this.dirty = true; } },
      { name: "Events", content: this.table.root, shown: () => this.table.select(this.wishes.event) },
      ...(additions.without_text ? [] : [{ name: "Model", content: make_model_text(header.file, header.model) }]),
      { name: "Equations", content: this.equations },
      { name: "Summary", content: summary_tab },
    ];
    const panel = (this.panel = make_tabs("About this run", tabs));

    const keys = this.keys();
    const licences_button = () => element("button", { type: "button", class: "plain licence", onclick: () => licences.open() }, "Licences of what this page carries");
    const licences = make_dialog("Licences", licence_texts(ZWANG_LICENCES, header.zwang));
    const help = make_dialog("Keys", keys_help(keys), element("p", { class: "quiet" }, "Drag to turn the picture (with Shift to move it), scroll or pinch to zoom, double-click to see everything."), licences_button());
    this.open_help = help.open;
    listen_to_keys(keys, this.over.signal);
    summary_tab.append(licences_button());

    this.header_place = this.head(help.open);
    place.replaceChildren(
      this.header_place,
      element("div", { class: "left" }, this.stage.root, this.transport.root),
      make_splitter(place, panel.root),
      panel.root,
      this.live,
      help.root,
      licences.root,
    );
    this.place_card(panel.root);
    document.title = header.title ?? header.file ?? "zwang";
    const tab = options.get("tab");
    if (tab) panel.show(tab);
    const t = options.get("t");
    if (t !== null && t !== "") this.seek(Number(t));
    const play = options.get("play");
    if (play === "1" || (play !== "0" && t === null && !this.calm)) this.play();
    this.frame(performance.now());
  }

  private header_place: HTMLElement;
  private readonly equations: HTMLElement;
  private readonly panel: { root: HTMLElement; show: (name: string) => void; current: () => string };
  private readonly over = new AbortController();
  private stale: Data | undefined;

  // Another motion of the same bodies in the place of this one; false where a new viewer is needed. With `whole` false only the picture and the
  // line of time follow, as is right while something is dragged.
  replace(data: Data, whole: boolean, refit = whole): boolean {
    const runs = open_runs(data);
    if (!this.stage.replace(data, runs, refit)) return false;
    this.data = data;
    this.runs = runs;
    this.leave_event();
    this.flashes.length = 0;
    if (this.wishes.front >= runs.length) this.wishes.front = 0;
    const begin = Math.min(...runs.map(({ pieces }) => pieces.begin));
    const end = Math.max(...runs.map(({ pieces }) => pieces.end));
    this.player.set_range(begin, end);
    this.timeline.set_range(begin, end);
    this.timeline.set_run(this.front, this.theme.dark);
    this.stale = data;
    if (whole) this.refresh();
    this.dirty = true;
    this.draw();
    return true;
  }

  // All that stands beside the picture, of the motion that is shown.
  private refresh(): void {
    const data = this.stale;
    if (!data) return;
    this.stale = undefined;
    this.wishes.trail_span = Math.min(1.6 * this.player.base, this.player.span);
    this.transport.set_events(this.runs.some(({ events }) => events.count > 0));
    this.transport.update();
    this.plots.replace(data, this.runs, this.player.begin, this.player.end);
    this.table.replace(data.header, this.front, this.player.span);
    const summary = make_summary(data.header, this.runs, () => this.wishes.front);
    this.summary.root.replaceWith(summary.root);
    this.summary = summary;
    if (data.header.equations) this.equations.replaceChildren(make_equations(data.header.equations));
    const head = this.head(this.open_help);
    this.header_place.replaceWith(head);
    this.header_place = head;
    document.title = data.header.title ?? data.header.file ?? "zwang";
  }

  // The tab in front, for the viewer that follows this one.
  get tab(): string {
    return this.panel.current();
  }
  show_tab(name: string): void {
    this.panel.show(name);
  }
  dispose(): void {
    this.over.abort();
    this.player.playing = false;
    this.stage.dispose();
  }

  private get front(): Run {
    return this.runs[this.wishes.front] as Run;
  }
  private open_help: () => void = () => undefined;

  get event(): number {
    return this.wishes.event;
  }
  get renderer(): "webgl" | "canvas" {
    return this.stage.renderer_name;
  }

  play(): void {
    if (this.player.time >= this.player.end) this.player.time = this.player.begin;
    this.player.playing = true;
    this.leave_event();
    this.last_frame = 0;
    this.transport.update();
  }
  pause(): void {
    this.player.playing = false;
    this.transport.update();
    this.plots.refresh();
    this.dirty = true;
  }
  toggle(): void {
    if (this.player.playing) this.pause();
    else this.play();
  }
  seek(t: number): void {
    this.player.seek(t);
    this.flashes.length = 0;
    this.leave_event();
    this.plots.refresh();
    this.dirty = true;
    this.draw();
  }

  // To the next (1) or previous (-1) event of the run in front.
  step(direction: number): void {
    const { events } = this.front;
    if (events.count === 0) return;
    let event = this.wishes.event;
    if (event >= 0) event += direction;
    else if (direction > 0) {
      event = events.first_at(this.player.time);
      while (event < events.count && (events.times[event] as number) <= this.player.time) event++;
    } else event = events.first_at(this.player.time) - 1;
    if (event < 0 || event >= events.count) return;
    this.go_to_event(event);
  }

  go_to_event(event: number): void {
    const { events } = this.front;
    this.pause();
    this.player.seek(events.times[event] as number);
    this.wishes.event = event;
    this.flashes.length = 0;
    const close = icon_button("close", "Close", "Esc", () => this.leave_event());
    const inner = element("div", { class: "inner" }, ...event_card(this.data.header, this.front, event, this.player.span));
    this.stage.card.replaceChildren(close, inner);
    this.stage.card.hidden = false;
    this.live.textContent = told(this.data.header, this.front, event, this.player.span);
    this.table.select(event);
    this.plots.refresh();
    this.dirty = true;
    this.draw();
  }

  // The card of an event stands above the panel, where it hides nothing; over the stage only where there is no panel.
  private place_card(panel: HTMLElement): void {
    const over = document.documentElement.classList.contains("bare");
    this.stage.card.classList.toggle("over", over);
    if (!over) panel.prepend(this.stage.card);
  }

  private leave_event(): void {
    if (this.wishes.event < 0) return;
    this.wishes.event = -1;
    this.stage.card.hidden = true;
    this.dirty = true;
  }

  private choose_front(front: number): void {
    if (front !== this.wishes.front) {
      this.leave_event();
      this.wishes.front = front;
      this.table.set_run(this.front);
      this.timeline.set_run(this.front, this.theme.dark);
      this.summary.update();
    }
    this.stage.draw_legend();
    this.plots.rebuild();
    this.dirty = true;
  }

  private recolour(): void {
    this.stage.set_dark(this.theme.dark);
    this.timeline.set_run(this.front, this.theme.dark);
    this.plots.set_palette(palette_for(this.theme.dark));
    this.dirty = true;
  }

  private readonly frame = (now: number): void => {
    if (this.over.signal.aborted) return;
    requestAnimationFrame(this.frame);
    const seconds = this.last_frame > 0 ? Math.min(0.1, (now - this.last_frame) / 1000) : 0;
    this.last_frame = now;
    if (!this.player.playing && !this.dirty && this.flashes.length === 0) return;
    const before = this.player.time;
    const stopped = this.player.advance(seconds);
    if (stopped) this.transport.update();
    if (this.player.playing || stopped) this.notice(before, this.player.time, now);
    this.draw(now);
  };

  // Flash what happened since the last frame.
  private notice(from: number, to: number, now: number): void {
    if (this.calm || to <= from) return;
    const { events } = this.front;
    const last = events.first_at(to);
    for (let e = Math.max(events.first_at(from), last - 3); e < last; e++) {
      const kind = events.kind_of(e);
      if (kind === "impact" || kind === "blow" || kind === "seizure") this.flashes.push({ event: e, since: now });
    }
    while (this.flashes.length > 8) this.flashes.shift();
  }

  private draw(now = performance.now()): void {
    const start = performance.now();
    this.dirty = false;
    while (this.flashes.length > 0 && now - (this.flashes[0] as { since: number }).since > 1000 * flash_seconds) this.flashes.shift();
    this.wishes.flashes = this.flashes.map(({ event, since }) => ({ event, left: Math.max(0, 1 - (now - since) / (1000 * flash_seconds)) }));
    const t = this.player.time;
    this.stage.draw(t);
    this.timeline.follow(t);
    this.transport.follow(t);
    this.plots.follow(t);
    this.milliseconds = performance.now() - start;
    this.additions.moved?.(t, this.player.playing);
  }

  private head(open_help: () => void): HTMLElement {
    const { header } = this.data;
    const status = [header.file, this.runs.length > 1 ? `${this.runs.length} runs` : this.front.header.status, header.comparison?.title].filter(Boolean).join(" · ");
    const buttons = element(
      "div",
      { class: "tools" },
      icon_button("theme", "Light or dark", "D", () => this.theme.toggle()),
      icon_button("help", "Keys and help", "?", open_help),
    );
    const notes = (header.notes ?? []).map((note) => element("p", { class: "note" }, note));
    const trouble = this.runs.filter(({ header: run }) => run.status && !["finished", "stopped", "computing"].includes(run.status)).map((run) => element("p", { class: "note trouble" }, `${this.runs.length > 1 ? `${run.label}: ` : ""}${run.header.status}${run.header.why ? `: ${run.header.why}` : ""}`));
    return element("header", {}, element("div", { class: "title" }, element("h1", {}, header.title ?? header.file ?? "Motion"), element("p", { class: "quiet" }, status)), buttons, notes.length + trouble.length > 0 && element("div", { class: "notes" }, ...trouble, ...notes));
  }

  private keys(): Key[] {
    const nudge = (share: number) => {
      this.pause();
      this.seek(this.player.time + share * this.player.span);
      this.say_time();
    };
    const speed = (step: number) => {
      this.player.set_speed_exponent(this.player.speed_exponent + step);
      this.transport.update();
    };
    const jump = (share: number) => {
      this.seek(this.player.begin + share * this.player.span);
      this.say_time();
    };
    return [
      { keys: [" ", "k"], shown: "Space", does: "play or pause", act: () => this.toggle() },
      { keys: ["]"], shown: "]", does: "next event", act: () => this.step(1) },
      { keys: ["["], shown: "[", does: "previous event", act: () => this.step(-1) },
      { keys: ["ArrowRight"], shown: "→", does: "on by a hundredth (Shift: a tenth)", act: (event) => nudge(event.shiftKey ? 0.1 : 0.01) },
      { keys: ["ArrowLeft"], shown: "←", does: "back by a hundredth (Shift: a tenth)", act: (event) => nudge(event.shiftKey ? -0.1 : -0.01) },
      { keys: [".", ">"], shown: ".", does: "on by one frame", act: () => nudge(this.player.speed / 60 / Math.max(this.player.span, 1e-300)) },
      { keys: [",", "<"], shown: ",", does: "back by one frame", act: () => nudge(-this.player.speed / 60 / Math.max(this.player.span, 1e-300)) },
      { keys: ["ArrowUp", "+"], shown: "↑ ↓", does: "faster, slower", act: () => speed(0.1) },
      { keys: ["ArrowDown", "-"], shown: "", does: "", act: () => speed(-0.1) },
      { keys: ["Home"], shown: "Home End", does: "to the start, to the end", act: () => jump(0) },
      { keys: ["End"], shown: "", does: "", act: () => jump(1) },
      { keys: [..."0123456789"], shown: "0 … 9", does: "to so many tenths", act: (event) => jump(Number(event.key) / 10) },
      { keys: ["l", "L"], shown: "L", does: "loop", act: () => { this.player.loop = !this.player.loop; this.transport.update(); } },
      { keys: ["f", "F"], shown: "F", does: "see everything", act: () => this.stage.fit() },
      { keys: ["t", "T"], shown: "T", does: "trails", act: () => this.stage.toggle_trails() },
      { keys: ["n", "N"], shown: "N", does: "names", act: () => this.stage.toggle_names() },
      { keys: ["d", "D"], shown: "D", does: "light or dark", act: () => this.theme.toggle() },
      { keys: ["Escape"], shown: "Esc", does: "leave the event", act: () => this.leave_event() },
      { keys: ["?"], shown: "?", does: "this list", act: () => this.open_help() },
    ];
  }

  private say_time(): void {
    this.live.textContent = `time ${clock(this.player.time, this.player.span)}`;
  }
}
