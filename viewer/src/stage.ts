// The stage: the drawing with what is written on it, or phase portraits where a model has no picture.
import type { Data } from "./data/read";
import type { Run } from "./data/runs";
import { element, icon_button } from "./dom";
import { format } from "./numbers";
import { make_portraits, type PhasePortrait } from "./panel/phase";
import { Camera } from "./scene/camera";
import { Description, type Wishes } from "./scene/describe";
import { listen_to_gestures } from "./scene/gestures";
import { multiplier_legend, runs_legend } from "./scene/legend";
import { Overlay } from "./scene/overlay";
import { palette_for } from "./scene/palette";
import { make_renderer, type Renderer } from "./scene/renderer";
import { add, subtract, type Triple } from "./scene/vector";
import type { Places } from "./state";

const most_followed = 400;
const all_together = -2;
// Bodies that keep within so small a part of the picture would be one dot in it.
const one_dot = 0.03;
// Bodies that are nearer to one another than this part of it are in one place, but for rounding.
const rounding = 1e-9;
// The height of the buttons over the stage.
const toolbar_height = 46;

export class Stage {
  readonly root: HTMLElement;
  readonly card: HTMLElement;
  description: Description | undefined;
  readonly camera: Camera;
  names = true;
  private readonly renderer: Renderer | undefined;
  private readonly overlay: Overlay | undefined;
  private readonly portraits: PhasePortrait[] = [];
  private readonly legend: HTMLElement;
  private followed = -1;
  private widest = 0;
  private approached = false;
  private sized = false;

  constructor(
    data: Data,
    private runs: readonly Run[],
    private readonly wishes: Wishes,
    private dark: boolean,
    wished_renderer: "webgl" | "canvas" | undefined,
    private readonly changed: () => void,
    private readonly front_changed: (front: number) => void,
  ) {
    const { header } = data;
    this.root = element("div", { class: "stage", role: "region", "aria-label": "Motion" });
    this.card = element("aside", { class: "card event-card", "aria-label": "Event" });
    this.card.hidden = true;
    this.legend = element("div", { class: "legends" });
    this.camera = new Camera(header.dimension, header.up);
    if (header.dimension === 0 || (header.bodies ?? []).length === 0) {
      // Nothing to see but the coordinates themselves.
      this.root.classList.add("flat");
      this.portraits = make_portraits(header, runs);
      this.root.append(element("div", { class: `portraits many-${this.portraits.length}` }, ...this.portraits.map(({ root }) => root)), this.legend, this.card);
    } else {
      this.description = new Description(data, header, runs, dark);
      this.camera.inset = toolbar_height;
      this.measure();
      if (this.widest > rounding * this.description.extent.size && this.widest < one_dot * this.description.extent.size) this.followed = all_together;
      this.renderer = make_renderer(this.root, wished_renderer, header.dimension === 2 && !this.description.has_trails);
      if (this.renderer.name === "canvas") this.description.most_strokes = 3000;
      this.overlay = new Overlay(this.root);
      this.root.append(this.legend, this.toolbar(), this.card);
      listen_to_gestures(this.root, this.camera, changed);
    }
    this.set_dark(dark);
    this.sizes.observe(this.root);
  }
  private readonly sizes = new ResizeObserver(() => this.resize());

  // Another motion of the same bodies in the place of this one, seen from where it is unless `refit` may see everything anew; false where that cannot be.
  replace(data: Data, runs: readonly Run[], refit: boolean): boolean {
    const { description, renderer } = this;
    const bodies = data.header.bodies ?? [];
    if (!description || !renderer || description.dimension !== data.header.dimension || runs.length !== this.runs.length) return false;
    if (bodies.length !== description.bodies.length || bodies.some(({ name }, b) => name !== description.bodies[b]?.name)) return false;
    this.runs = runs;
    renderer.forget();
    this.description = new Description(data, data.header, runs, this.dark);
    this.description.most_strokes = description.most_strokes;
    this.measure();
    this.camera.set_home(...this.seen_box());
    if (refit && !this.camera.moved) this.camera.fit();
    this.draw_legend();
    this.changed();
    return true;
  }

  dispose(): void {
    this.sizes.disconnect();
    this.renderer?.dispose();
  }

  get renderer_name(): "webgl" | "canvas" {
    return this.renderer?.name ?? "canvas";
  }

  set_dark(dark: boolean): void {
    this.dark = dark;
    this.description?.set_dark(dark);
    this.draw_legend();
    this.changed();
  }

  draw_legend(): void {
    const palette = palette_for(this.dark);
    const told = this.legend_words();
    if (told === this.told) return;
    this.told = told;
    this.legend.replaceChildren();
    if (this.runs.length > 1) this.legend.append(runs_legend(this.runs, palette, this.wishes.visible, this.wishes.front, this.front_changed));
    const scale = this.description?.scale ?? 0;
    if (scale > 0 && this.runs.length === 1) this.legend.append(multiplier_legend(palette, scale, this.has_negative(scale)));
  }
  private told = "";
  // All that the legend depends on: it is made anew when something of that has changed.
  private legend_words(): string {
    const scale = this.description?.scale ?? 0;
    return JSON.stringify([this.dark, this.runs.length > 1 ? [this.runs.map(({ label }) => label), this.wishes.visible, this.wishes.front] : [format(scale, 3), scale > 0 && this.has_negative(scale)]]);
  }
  private has_negative(scale: number): boolean {
    return this.runs.some((run) => [...run.channels.multiplier_of_row.values()].slice(0, 50).some((series) => (series.values as Float64Array).some((value) => value < -0.01 * scale)));
  }

  fit(): void {
    if (this.followed === all_together) this.followed = -1;
    if (this.follow_list) this.follow_list.value = String(this.followed);
    this.camera.fit();
    this.changed();
  }

  draw(t: number): void {
    if (this.portraits.length > 0) {
      for (const portrait of this.portraits) portrait.draw(t, palette_for(this.dark), this.wishes.visible);
      return;
    }
    const { description, renderer, overlay } = this;
    if (!description || !renderer || !overlay) return;
    if (!this.sized) this.resize();
    const together = this.followed === all_together && this.widest > 0;
    description.magnified = together ? Math.min(1, (2 * this.widest) / description.extent.size) : 1;
    description.update(t, this.wishes);
    if (together) {
      const gathering = description.gathering(this.wishes.front);
      if (gathering && this.approached) this.camera.follow(...gathering.centre);
      else if (gathering) this.camera.accompany(...gathering.centre, this.widest);
      this.approached = true;
    }
    if (this.followed >= 0) {
      const places = description.places[this.wishes.front] as Float64Array;
      const [x, y, z] = places.subarray(3 * this.followed, 3 * this.followed + 3) as unknown as [number, number, number];
      if (Number.isFinite(x + y + z)) this.camera.follow(x, y, z);
    }
    renderer.draw(description.picture, this.camera, description.palette);
    overlay.draw(this.camera, description, this.wishes.front, this.names);
  }

  // Places of all bodies as computed, and as they lie in what was drawn.
  positions(drawn: boolean): Places {
    const result: Places = {};
    const { description, renderer } = this;
    if (!description || !renderer) return result;
    const out = [0, 0, 0];
    this.runs.forEach((run, r) => {
      if (drawn && !this.wishes.visible[r]) return;
      const of_run: Record<string, number[]> = (result[run.label] = {});
      description.bodies.forEach((body, b) => {
        if (drawn) {
          renderer.drawn(description.point_of(r, b), out);
          of_run[body.name] = out.map((value, m) => value + (description.extent.centre[m] as number));
        } else of_run[body.name] = [...(description.places[r] as Float64Array).subarray(3 * b, 3 * b + 3)];
      });
    });
    return result;
  }

  private resize(): void {
    const { clientWidth: width, clientHeight: height } = this.root;
    if (width < 2 || height < 2) return;
    const ratio = Math.min(2, devicePixelRatio || 1);
    this.camera.resize(width, height);
    if (!this.sized && this.description) {
      this.camera.set_box(...this.seen_box());
      this.sized = true;
    }
    this.renderer?.resize(width, height, ratio);
    this.overlay?.resize(width, height, ratio);
    this.changed();
  }

  // The box of the motion with the size of the bodies.
  private seen_box(): [Triple, Triple] {
    const { extent } = this.description as Description;
    const room = (this.description as Description).largest_radius();
    const flat = this.camera.plane ? 0 : room;
    return [subtract(extent.low, [room, room, flat]), add(extent.high, [room, room, flat])];
  }

  // How far the bodies are from one another at most.
  private measure(): void {
    const { description } = this;
    if (!description || description.bodies.length < 2 || description.bodies.length > most_followed) return;
    this.widest = Math.max(...this.runs.map((_, r) => description.widest_gathering(r)));
  }

  private toolbar(): HTMLElement {
    const bodies = this.description?.bodies ?? [];
    const trails = icon_button("trail", "Trails", "T", () => this.toggle_trails(trails));
    trails.setAttribute("aria-pressed", String(this.wishes.trails));
    this.trails_button = trails;
    const names = icon_button("names", "Names", "N", () => this.toggle_names(names));
    names.setAttribute("aria-pressed", String(this.names));
    this.names_button = names;
    const follow = element("select", { "aria-label": "Follow a body", title: "Follow a body" }, element("option", { value: -1 }, "Follow…"), element("option", { value: all_together, selected: this.followed === all_together }, "all together"), ...bodies.slice(0, most_followed).map((body, b) => element("option", { value: b }, body.name)));
    this.follow_list = follow;
    follow.addEventListener("change", () => {
      this.followed = Number(follow.value);
      this.approached = false;
      if (this.followed < 0) this.camera.fit();
      this.changed();
    });
    return element("div", { class: "toolbar", role: "toolbar", "aria-label": "View" }, bodies.length > 1 && follow, names, this.description?.has_trails !== false && trails, icon_button("fit", "See everything", "F", () => this.fit()));
  }
  private follow_list: HTMLSelectElement | undefined;
  private trails_button: HTMLButtonElement | undefined;
  private names_button: HTMLButtonElement | undefined;

  toggle_trails(button = this.trails_button): void {
    this.wishes.trails = !this.wishes.trails;
    button?.setAttribute("aria-pressed", String(this.wishes.trails));
    this.changed();
  }
  toggle_names(button = this.names_button): void {
    this.names = !this.names;
    button?.setAttribute("aria-pressed", String(this.names));
    this.changed();
  }
}
