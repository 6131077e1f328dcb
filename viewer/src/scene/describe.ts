// Turns the runs at one instant into a picture: bodies, trails, strings, rods, walls, surfaces, and the marks of shocks.
import type { Anchor, Block, Body, Header, Keys, Shape } from "../data/contract";
import { KeyTable } from "../data/keys";
import type { Data } from "../data/read";
import type { Run } from "../data/runs";
import { body_colour, multiplier_colour, palette_for, run_colour, type Colour, type Palette } from "./palette";
import { Look, Picture, type Surface } from "./picture";
import { carry, rotation } from "./solids";
import { hang } from "./strings";
import * as surfaces from "./surfaces";
import { Trails } from "./trails";
import { add, cross, dot, norm, scaled, subtract, triple, unit, type Triple } from "./vector";

// What the viewer has chosen to see.
export interface Wishes {
  visible: boolean[];
  trails: boolean;
  trail_span: number;
  // The event that was stepped to, of the run in front, or -1.
  event: number;
  front: number;
  // Recent shocks while playing: event of the front run, and how much of its flash is left.
  flashes: { event: number; left: number }[];
}

// A shape with everything decoded that does not change from frame to frame.
interface Part {
  shape: Shape;
  solid?: surfaces.Solid;
  surface?: Surface;
  keys?: KeyTable;
  held: Float64Array;
  anchors: ((run: number, t: number, out: number[]) => void)[];
  length?: (t: number) => number;
  frames?: { time: number; solid: surfaces.Solid }[];
  frame: number;
  // The conditions that it stands for, once asked for.
  rows?: readonly number[];
  // Of a rigid body: its form in its own axes, where that is now, and its faces, one surface per run.
  form?: { vertices: ArrayLike<number>; edges: ArrayLike<number>; now: Float32Array };
  faces?: Surface[];
  // Nothing in the form shows how the body turns: its axes do.
  bare?: boolean;
}

const slack_share = 2e-4;
const surface_opacity = 0.13;
const solid_opacity = 1;
const hollow_opacity = 0.1;
const most_with_paths = 8;
const most_with_trails = 3000;
// What moves by less stands still, for all that can be seen; rounding errors are not to fill the stage.
const least_extent = 1e-8;
// More points of the view than these are outlines of something, not bodies.
const most_view_points = 6;
const text_of_taut = 2.4;
const gathering_samples = 60;
// Of the axes of a body without a form, in radii of the dot that stands for it.
const axis_lengths = [6, 4.5, 3];
const most_compared = 600;

export class Description {
  readonly picture = new Picture();
  readonly bodies: readonly Body[];
  readonly extent: surfaces.Extent;
  readonly up: Triple;
  readonly dimension: number;
  palette: Palette;
  // Places of the bodies, 3 per body, for every run.
  readonly places: Float64Array[];
  // How many strokes trails may have: a plain canvas draws them one by one.
  most_strokes = 16000;
  // The largest multiplier of any run, the end of the colour scale.
  readonly scale: number;
  private readonly values: Float64Array[];
  private readonly trails: (Trails | undefined)[];
  private readonly parts: Part[];
  private readonly radii: Float64Array;
  private readonly discs: Float64Array;
  private readonly own_size: boolean[];
  private readonly looks: Uint8Array;
  private colours: Colour[][] = [];
  private readonly scratch = new Float64Array(3 * 40);
  private readonly here = [0, 0, 0];
  private readonly there = [0, 0, 0];
  private readonly tint = [0, 0, 0];
  private readonly turned = new Float64Array(9);
  private readonly down: Triple;
  private readonly drawn_at: Int32Array[];
  private readonly ground: surfaces.Solid | undefined;
  private readonly crowded: boolean;
  private readonly touched = new Map<number, number[]>();

  constructor(
    private readonly data: Data,
    private readonly header: Header,
    private readonly runs: readonly Run[],
    dark: boolean,
  ) {
    this.dimension = header.dimension;
    this.bodies = header.bodies ?? [];
    this.palette = palette_for(dark);
    this.up = unit(triple(header.up, this.dimension === 3 ? [0, 0, 1] : [0, 1, 0]));
    this.down = scaled(this.up, -1);
    this.values = runs.map((run) => new Float64Array(run.pieces.variables));
    this.places = runs.map(() => new Float64Array(3 * this.bodies.length));
    this.drawn_at = runs.map(() => new Int32Array(this.bodies.length));
    this.trails = runs.map(() => undefined);
    this.extent = this.find_extent();
    this.picture.origin = this.extent.centre;
    this.parts = (header.shapes ?? []).map((shape) => this.prepare(shape));
    this.crowded = this.parts.length > 200;
    this.scale = this.find_scale();
    [this.radii, this.discs] = this.find_radii();
    this.looks = Uint8Array.from(this.bodies, (body, b) => (this.dimension === 2 && ((this.discs[b] as number) > 0 || (!body.view && (body.size ?? 0) > 0)) ? Look.disc : Look.ball));
    this.own_size = this.bodies.map(({ size }) => size !== undefined && size > 0);
    this.ground = this.dimension === 3 && !this.has_floor() ? surfaces.ground(this.extent, this.up) : undefined;
    for (let b = 0; b < this.bodies.length; b++)
      for (const variable of (this.bodies[b] as Body).track) {
        const list = this.touched.get(variable);
        if (list) list.push(b);
        else this.touched.set(variable, [b]);
      }
    this.set_dark(dark);
  }

  set_dark(dark: boolean): void {
    this.palette = palette_for(dark);
    this.colours = this.runs.map((_, r) =>
      this.bodies.map((_body, b) =>
        this.runs.length > 1 ? run_colour(this.palette, r) : body_colour(this.palette, b, this.bodies.length),
      ),
    );
    for (const part of this.parts) if (part.surface) part.surface.colour = this.palette.wall;
  }

  // Where very many move, the ways of all of them would hide the picture, and fill the memory.
  get has_trails(): boolean {
    return this.bodies.length * this.runs.length <= most_with_trails;
  }

  // The colour of a body of a run, for labels and lists.
  colour(run: number, body: number): Colour {
    return (this.colours[run]?.[body] ?? this.palette.ink) as Colour;
  }

  // Fill the picture for the instant t.
  update(t: number, wishes: Wishes): void {
    const { points, segments } = this.picture;
    points.clear();
    segments.clear();
    this.draw_ground();
    this.draw_fixed(t, wishes);
    let shown = 0;
    for (const visible of wishes.visible) if (visible) shown++;
    for (let r = 0; r < this.runs.length; r++) {
      const run = this.runs[r] as Run;
      const time = Math.min(Math.max(t, run.pieces.begin), run.pieces.end);
      this.place(r, time);
      if (!wishes.visible[r]) {
        for (const part of this.parts) if (part.faces) (part.faces[r] as Surface).opacity = 0;
        (this.drawn_at[r] as Int32Array).fill(-1);
        continue;
      }
      if (wishes.trails && wishes.trail_span > 0 && this.has_trails) {
        const trails = (this.trails[r] ??= new Trails(run.pieces, this.bodies, this.extent.centre));
        if (this.bodies.length * shown <= most_with_paths) trails.draw_path(time, this.colours[r] as Colour[], 1, this.palette.dark ? 0.2 : 0.16, segments, this.most_strokes / 2 / shown);
        trails.draw(time, wishes.trail_span, this.places[r] as Float64Array, this.colours[r] as Colour[], 1.5, 0.62, segments, this.most_strokes / shown);
      }
      this.draw_conditions(r, time, shown > 1);
      this.draw_bodies(r, shown > 1 && r !== wishes.front ? 0.85 : 1);
    }
    this.draw_shocks(wishes);
  }

  // The size at which a body is drawn, in the model's units.
  radius(body: number): number {
    const disc = this.discs[body] as number;
    return disc > 0 ? disc : (this.radii[body] as number) * (this.own_size[body] ? 1 : this.magnified);
  }
  // The largest of them.
  largest_radius(): number {
    let largest = 0;
    for (let b = 0; b < this.bodies.length; b++) if ((this.bodies[b] as Body).size !== 0) largest = Math.max(largest, this.radius(b));
    return largest;
  }
  // Bodies without a size of their own, pins, springs and arrows are so many times as large, where the eye has gone near to them.
  magnified = 1;

  // A disc on paper, on which one can write; a ball is too dark for that.
  is_flat(body: number): boolean {
    return this.looks[body] === Look.disc;
  }

  // Where the body of a run stands among the points of the picture, or -1 if it is not shown.
  point_of(run: number, body: number): number {
    return (this.drawn_at[run] as Int32Array)[body] as number;
  }

  // The bodies that an event concerns: those whose velocities it changed, or on which its conditions act.
  bodies_of_event(run: Run, event: number): number[] {
    const found = new Set<number>();
    for (const change of run.events.changes(event)) for (const body of this.touched.get(change.variable) ?? []) found.add(body);
    if (found.size === 0) {
      const rows = new Set(run.events.rows(event));
      for (const { shape } of this.parts)
        if (shape.row !== undefined && rows.has(shape.row)) for (const body of bodies_of(shape)) found.add(body);
    }
    return [...found];
  }

  // The centre of all bodies of a run that are seen, where it has been placed last, and how far the farthest is from it.
  gathering(r: number): { centre: Triple; radius: number } | undefined {
    const box = this.gathering_box(r);
    return box && { centre: scaled(add(...box), 0.5), radius: norm(subtract(box[1], box[0])) / 2 };
  }
  private gathering_box(r: number): [Triple, Triple] | undefined {
    const places = this.places[r] as Float64Array;
    const low: Triple = [Infinity, Infinity, Infinity];
    const high: Triple = [-Infinity, -Infinity, -Infinity];
    for (let b = 0; b < this.bodies.length; b++) {
      if (!Number.isFinite((places[3 * b] as number) + (places[3 * b + 1] as number) + (places[3 * b + 2] as number))) continue;
      for (const m of [0, 1, 2] as const) {
        low[m] = Math.min(low[m], places[3 * b + m] as number);
        high[m] = Math.max(high[m], places[3 * b + m] as number);
      }
    }
    return Number.isFinite(low[0]) ? [low, high] : undefined;
  }

  // The same at its widest, over the run.
  widest_gathering(r: number): number {
    const { begin, end } = (this.runs[r] as Run).pieces;
    let widest = 0;
    for (let s = 0; s <= gathering_samples; s++) {
      this.place(r, begin + ((end - begin) * s) / gathering_samples);
      widest = Math.max(widest, this.gathering(r)?.radius ?? 0);
    }
    return widest;
  }

  private place(r: number, t: number): void {
    const values = this.values[r] as Float64Array;
    const places = this.places[r] as Float64Array;
    (this.runs[r] as Run).pieces.values(t, values);
    for (let b = 0; b < this.bodies.length; b++) {
      const track = (this.bodies[b] as Body).track;
      places[3 * b] = values[track[0] as number] as number;
      places[3 * b + 1] = values[track[1] as number] as number;
      places[3 * b + 2] = track.length > 2 ? (values[track[2] as number] as number) : 0;
    }
  }

  private draw_bodies(r: number, alpha: number): void {
    const places = this.places[r] as Float64Array;
    const at = this.drawn_at[r] as Int32Array;
    const [ox, oy, oz] = this.extent.centre;
    const points = this.picture.points;
    const colours = this.colours[r] as Colour[];
    for (let b = 0; b < this.bodies.length; b++) {
      let x = (places[3 * b] as number) - ox;
      let y = (places[3 * b + 1] as number) - oy;
      let z = (places[3 * b + 2] as number) - oz;

      // Points that are nowhere for a time, and those that only lines pass through, keep their place in the list unseen.
      const nowhere = !Number.isFinite(x + y + z);
      if (nowhere) x = y = z = 0;
      const seen = nowhere || (this.bodies[b] as Body).size === 0 ? 0 : alpha;
      at[b] = points.add(x, y, z, this.radius(b), colours[b] as Colour, seen, this.looks[b] as number);
    }
  }

  private draw_ground(): void {
    if (this.ground) this.strokes(this.ground.fine, 1, this.palette.faint, this.palette.dark ? 0.55 : 0.7);
  }

  // Whether a condition is there at all: a seizure from its time on, what is let go until then; a surface as long as one of its conditions is.
  private holds(part: Part, r: number, t: number): boolean {
    const { since, name } = part.shape;
    if (since !== undefined && t < since) return false;
    const run = this.runs[r] as Run;
    if (part.shape.kind === "spring") return t < (run.header.gone?.[name ?? ""] ?? Infinity);
    const gone = run.events.let_go;
    if (gone.size === 0) return true;
    const rows = this.rows_of(part);
    return rows.length === 0 || rows.some((row) => t < (gone.get(row) ?? Infinity));
  }
  // The conditions that a shape stands for; those of a joint are called after it.
  private rows_of(part: Part): readonly number[] {
    if (part.rows) return part.rows;
    const { shape } = part;
    const of_joint = () => (this.header.rows ?? []).flatMap(({ name }, row) => (name === shape.name || name.startsWith(`${shape.name}.`) ? [row] : []));
    return (part.rows = shape.rows ?? (shape.row !== undefined ? [shape.row] : shape.kind === "joint" ? of_joint() : []));
  }

  // Walls and surfaces, most of them the same for all runs; their colour is what the run in front lays on them.
  private draw_fixed(t: number, wishes: Wishes): void {
    const front = this.runs[wishes.front] as Run;
    for (const part of this.parts) {
      if (part.keys) this.move(part, t);
      if (part.frames) this.change_frame(part, t);
      const of = part.shape.runs;
      const exists = (of ?? [wishes.front]).some((r) => (of === undefined || wishes.visible[r]) && this.holds(part, r, t));
      if (part.surface) part.surface.opacity = exists ? surface_opacity : 0;
      if (!part.solid || !exists) continue;
      const share = this.largest_share(of === undefined || of.includes(wishes.front) ? front : (this.runs[of[0] as number] as Run), part.shape, t);
      let colour: readonly number[] = this.palette.wall;
      let heavy = 1.5;
      if (Math.abs(share) > 1e-3) {
        multiplier_colour(this.palette, share, this.tint);
        colour = this.tint;
        heavy = 2.2;
      }
      this.strokes(part.solid.outline, heavy, colour, 0.95);
      this.strokes(part.solid.fine, 1, colour, this.dimension === 2 ? 0.6 : 0.28);
    }
  }

  private strokes(list: readonly number[], width: number, colour: readonly number[], alpha: number): void {
    const [ox, oy, oz] = this.extent.centre;
    const segments = this.picture.segments;
    for (let i = 0; i < list.length; i += 6)
      segments.add(
        (list[i] as number) - ox,
        (list[i + 1] as number) - oy,
        (list[i + 2] as number) - oz,
        (list[i + 3] as number) - ox,
        (list[i + 4] as number) - oy,
        (list[i + 5] as number) - oz,
        width,
        colour,
        alpha,
      );
  }

  // What a condition carries now, as a share of the largest multiplier of the page.
  private share(run: Run, row: number | undefined, t: number): number {
    if (row === undefined || !(this.scale > 0)) return 0;
    const series = run.channels.multiplier_of_row.get(row);
    if (!series) return NaN;
    const value = run.channels.value(series, t);
    return Number.isFinite(value) ? Math.max(-1, Math.min(1, value / this.scale)) : 0;
  }

  // Of a surface that stands for several conditions the one that carries most counts.
  private largest_share(run: Run, shape: Shape, t: number): number {
    if (!shape.rows) return this.share(run, shape.row, t);
    let largest = 0;
    for (const row of shape.rows) {
      const share = this.share(run, row, t);
      if (Math.abs(share) > Math.abs(largest)) largest = share;
    }
    return largest;
  }

  // Strings, rods, struts, ropes and the segments of [view].
  private draw_conditions(r: number, t: number, overlaid: boolean): void {
    const run = this.runs[r] as Run;
    for (const part of this.parts) {
      const shape = part.shape;
      if ((shape.runs && !shape.runs.includes(r)) || !this.holds(part, r, t)) continue;
      if (shape.kind === "line") this.draw_line(part, shape.relation ?? "=", run, r, t, overlaid);
      else if (shape.kind === "rope") this.draw_rope(part, run, r, t, overlaid);
      else if (shape.kind === "polyline") this.draw_polyline(part, r, t, overlaid);
      else if (shape.kind === "solid") this.draw_solid(part, r);
      else if (shape.kind === "spring") this.draw_spring(part, r, t);
      else if (shape.kind === "joint") {
        (part.anchors[0] as Part["anchors"][0])(r, t, this.here);
        this.pin(this.here);
      }
    }
  }

  private draw_line(part: Part, relation: string, run: Run, r: number, t: number, overlaid: boolean): void {
    const shape = part.shape;
    const from = this.here;
    const to = this.there;
    (part.anchors[0] as Part["anchors"][0])(r, t, from);
    (part.anchors[1] as Part["anchors"][0])(r, t, to);
    if (!this.crowded && shape.kind === "line") {
      if (shape.from.body === undefined) this.pin(from);
      if (shape.to.body === undefined) this.pin(to);
    }
    const length = part.length ? part.length(t) : NaN;
    const far = Math.hypot((to[0] as number) - (from[0] as number), (to[1] as number) - (from[1] as number), (to[2] as number) - (from[2] as number));

    // A strut between bodies that are drawn as discs needs no line.
    if (relation === ">=") {
      if (shape.kind === "line" && shape.radius !== undefined) return;
      const share = this.share(run, shape.row, t);
      if (Math.abs(share) > 1e-3) this.taut(from, to, share, 2, r, overlaid);
      else this.dashes(from, to, this.palette.faint, 0.55);
      return;
    }
    if (relation === "<=" && length > far * (1 + slack_share)) {
      this.slack(from, to, length);
      return;
    }
    this.taut(from, to, this.share(run, shape.row, t), relation === "=" ? 3.2 : text_of_taut, r, overlaid);
  }

  private draw_rope(part: Part, run: Run, r: number, t: number, overlaid: boolean): void {
    const count = part.anchors.length;
    const share = this.share(run, part.shape.row, t);
    const length = part.length ? part.length(t) : NaN;
    let total = 0;
    for (let i = 0; i + 1 < count; i++) total += this.span(part, i, r, t);
    const spare = (part.shape.relation ?? "<=") === "<=" && length > total * (1 + slack_share) ? length / Math.max(total, 1e-300) : 1;
    for (let i = 0; i + 1 < count; i++) {
      const far = this.span(part, i, r, t);
      if (spare > 1) this.slack(this.here, this.there, far * spare);
      else this.taut(this.here, this.there, share, text_of_taut, r, overlaid);

      // The pulleys between the ends.
      if (part.shape.kind === "rope" && part.shape.through[i]?.body === undefined) this.pin(this.here);
    }
  }

  // The ends of stretch i of a rope into here and there; their distance.
  private span(part: Part, i: number, r: number, t: number): number {
    (part.anchors[i] as Part["anchors"][0])(r, t, this.here);
    (part.anchors[i + 1] as Part["anchors"][0])(r, t, this.there);
    return Math.hypot((this.there[0] as number) - (this.here[0] as number), (this.there[1] as number) - (this.here[1] as number), (this.there[2] as number) - (this.here[2] as number));
  }

  // A rigid body: its faces, and its edges above them.
  private draw_solid(part: Part, r: number): void {
    const shape = part.shape;
    if (shape.kind !== "solid" || !part.form) return;
    const { vertices, edges, now } = part.form;
    const body = shape.body;
    const places = this.places[r] as Float64Array;
    const [ox, oy, oz] = this.extent.centre;
    rotation(this.bodies[body] as Body, this.values[r] as Float64Array, this.turned);
    carry(vertices, this.turned, (places[3 * body] as number) - ox, (places[3 * body + 1] as number) - oy, (places[3 * body + 2] as number) - oz, now);
    const face = part.faces?.[r];
    if (face) {
      face.positions = Float32Array.from(now);
      face.opacity = shape.hollow ? hollow_opacity : solid_opacity;
      face.colour = this.colour(r, body);
      face.version++;
    }
    const colour = this.palette.dark ? this.palette.ink : this.palette.rod;
    const segments = this.picture.segments;
    if (part.bare) this.draw_axes(body, r, colour);
    for (let i = 0; i + 1 < edges.length; i += 2) {
      const a = 3 * (edges[i] as number);
      const b = 3 * (edges[i + 1] as number);
      segments.add(now[a] as number, now[a + 1] as number, now[a + 2] as number, now[b] as number, now[b + 1] as number, now[b + 2] as number, part.faces ? 1.2 : shape.radius !== undefined || shape.hollow ? 1.6 : 2.6, colour, part.faces || shape.radius !== undefined ? 0.75 : 0.95);
    }
  }

  // The axes of a body as it is turned now, each of its own length; in the plane the first one.
  private draw_axes(body: number, r: number, colour: Colour): void {
    const places = this.places[r] as Float64Array;
    const centre: Triple = [places[3 * body] as number, places[3 * body + 1] as number, places[3 * body + 2] as number];
    const turned = this.turned;
    for (const [m, length] of axis_lengths.slice(0, this.dimension === 2 ? 1 : 3).entries()) {
      const axis: Triple = [turned[m] as number, turned[3 + m] as number, turned[6 + m] as number];
      this.straight(centre, add(centre, scaled(axis, length * this.radius(body))), 2, colour, 0.95);
    }
  }

  // A zigzag between the two ends of a spring.
  private draw_spring(part: Part, r: number, t: number): void {
    (part.anchors[0] as Part["anchors"][0])(r, t, this.here);
    (part.anchors[1] as Part["anchors"][0])(r, t, this.there);
    const from = triple(this.here);
    const to = triple(this.there);
    const along = subtract(to, from);
    if (!(norm(along) > 0)) return;
    const direction = unit(along);
    const aside: Triple = this.dimension === 2 ? [-direction[1], direction[0], 0] : unit(cross(direction, Math.abs(dot(direction, this.up)) < 0.99 ? this.up : [1, 0, 0]));
    const width = 0.012 * this.extent.size * this.magnified;
    const turns = 16;
    let last = from;
    for (let k = 1; k <= turns; k++) {
      const out = k < 2 || k > turns - 2 ? 0 : k % 2 === 0 ? width : -width;
      const next = k === turns ? to : add(add(from, scaled(along, k / turns)), scaled(aside, out));
      this.straight(last, next, 1.6, this.palette.rod, 0.9);
      last = next;
    }
  }

  // A small ring where a string or rod is fixed.
  private pin(at: readonly number[]): void {
    const [ox, oy, oz] = this.extent.centre;
    this.picture.points.add((at[0] as number) - ox, (at[1] as number) - oy, (at[2] as number) - oz, 0.006 * this.extent.size * this.magnified, this.palette.rod, 1, Look.ring);
  }

  private draw_polyline(part: Part, r: number, t: number, overlaid: boolean): void {
    const closed = part.shape.kind === "polyline" && part.shape.closed === true;
    const count = part.anchors.length;
    for (let i = 0; i + 1 < count + (closed ? 1 : 0); i++) {
      (part.anchors[i] as Part["anchors"][0])(r, t, this.here);
      (part.anchors[(i + 1) % count] as Part["anchors"][0])(r, t, this.there);
      this.straight(this.here, this.there, 2.4, overlaid ? this.colour(r, 0) : this.palette.rod, 0.9);
    }
  }

  private taut(from: number[], to: number[], share: number, width: number, r: number, overlaid: boolean): void {
    let colour: readonly number[] = this.palette.rod;
    if (overlaid) colour = this.colour(r, 0);
    else if (Number.isFinite(share) && share !== 0) {
      multiplier_colour(this.palette, share, this.tint);
      colour = this.tint;
    }
    this.straight(from, to, this.crowded ? width * 0.6 : width, colour, 0.95);
  }

  private slack(from: number[], to: number[], length: number): void {
    const count = this.crowded ? 8 : 20;
    hang(from, to, length, this.down, this.scratch, count);
    const [ox, oy, oz] = this.extent.centre;
    const s = this.scratch;
    for (let i = 0; i < count; i++)
      this.picture.segments.add(
        (s[3 * i] as number) - ox,
        (s[3 * i + 1] as number) - oy,
        (s[3 * i + 2] as number) - oz,
        (s[3 * i + 3] as number) - ox,
        (s[3 * i + 4] as number) - oy,
        (s[3 * i + 5] as number) - oz,
        this.crowded ? 0.9 : 1.4,
        this.palette.slack,
        0.85,
      );
  }

  private dashes(from: number[], to: number[], colour: readonly number[], alpha: number): void {
    const [ox, oy, oz] = this.extent.centre;
    const count = this.crowded ? 1 : 9;
    for (let i = 0; i < count; i += 2) {
      const a = i / count;
      const b = (i + 1) / count;
      const at = (share: number, m: number, o: number) => (from[m] as number) + ((to[m] as number) - (from[m] as number)) * share - o;
      this.picture.segments.add(at(a, 0, ox), at(a, 1, oy), at(a, 2, oz), at(b, 0, ox), at(b, 1, oy), at(b, 2, oz), 1, colour, alpha);
    }
  }

  private straight(from: readonly number[], to: readonly number[], width: number, colour: readonly number[], alpha: number): void {
    const [ox, oy, oz] = this.extent.centre;
    this.picture.segments.add(
      (from[0] as number) - ox,
      (from[1] as number) - oy,
      (from[2] as number) - oz,
      (to[0] as number) - ox,
      (to[1] as number) - oy,
      (to[2] as number) - oz,
      width,
      colour,
      alpha,
    );
  }

  // Rings that fade while playing; velocities before and after, and the change of momentum, where one has stepped to an event.
  private draw_shocks(wishes: Wishes): void {
    const run = this.runs[wishes.front] as Run;
    if (!wishes.visible[wishes.front]) return;
    const places = this.places[wishes.front] as Float64Array;
    const centre = this.extent.centre;
    for (const flash of wishes.flashes) {
      const found = this.bodies_of_event(run, flash.event);
      for (const body of found.length > 40 ? found.slice(0, 40) : found) {
        const base = Math.max(this.radii[body] as number, this.discs[body] as number);
        this.picture.points.add(
          (places[3 * body] as number) - centre[0],
          (places[3 * body + 1] as number) - centre[1],
          (places[3 * body + 2] as number) - centre[2],
          base * (1.3 + 2.6 * (1 - flash.left)),
          this.palette.shock,
          flash.left,
          Look.ring,
        );
      }
    }
    if (wishes.event < 0) return;

    // Velocities of the bodies from the list of changed variables.
    const velocities = new Map<number, { before: Triple; after: Triple }>();
    for (const change of run.events.changes(wishes.event))
      for (const b of this.touched.get(change.variable) ?? []) {
        const m = (this.bodies[b] as Body).track.indexOf(change.variable);
        if (!velocities.has(b)) velocities.set(b, this.velocities_at(run, b, run.events.times[wishes.event] as number));
        const entry = velocities.get(b) as { before: Triple; after: Triple };
        entry.before[m as 0 | 1 | 2] = change.before;
        entry.after[m as 0 | 1 | 2] = change.after;
      }
    let fastest = 0;
    for (const { before, after } of velocities.values()) fastest = Math.max(fastest, norm(before), norm(after), norm(subtract(after, before)));
    if (!(fastest > 0)) return;
    const length = (0.2 * this.extent.size * this.magnified) / fastest;
    let drawn = 0;
    for (const [b, { before, after }] of velocities) {
      if (drawn++ > 60) break;
      const at: Triple = [(places[3 * b] as number) - centre[0], (places[3 * b + 1] as number) - centre[1], (places[3 * b + 2] as number) - centre[2]];
      this.arrow(at, scaled(subtract(after, before), length), this.palette.shock, 2, 0.9);
      this.arrow(at, scaled(before, length), this.palette.before, 2, 0.8);
      this.arrow(at, scaled(after, length), this.palette.after, 2.6, 1);
    }
  }

  private velocities_at(run: Run, body: number, t: number): { before: Triple; after: Triple } {
    const track = (this.bodies[body] as Body).track;
    const rate = (m: number, before: boolean) => (track[m] === undefined ? 0 : run.pieces.rate(track[m] as number, t, before));
    return { before: [rate(0, true), rate(1, true), rate(2, true)], after: [rate(0, false), rate(1, false), rate(2, false)] };
  }

  private arrow(at: Triple, along: Triple, colour: Colour, width: number, alpha: number): void {
    const length = norm(along);
    if (length < 0.004 * this.extent.size * this.magnified) return;
    // In the plane above everything else.
    if (this.dimension === 2) at = [at[0], at[1], 0.4 * this.extent.size];
    const tip = add(at, along);
    const direction = unit(along);
    const aside: Triple = this.dimension === 2 ? [-direction[1], direction[0], 0] : unit([direction[1] - direction[2], direction[2] - direction[0], direction[0] - direction[1]], [1, 0, 0]);
    const head = Math.min(0.35 * length, 0.028 * this.extent.size * this.magnified);
    const into = this.picture.segments;
    into.add(...at, ...tip, width, colour, alpha);
    for (const side of [-0.5, 0.5]) {
      const barb = add(tip, add(scaled(direction, -head), scaled(aside, side * head)));
      into.add(...tip, ...barb, width, colour, alpha);
    }
  }

  // Everything about a shape that one frame shares with the next.
  private prepare(shape: Shape): Part {
    const part: Part = { shape, held: new Float64Array(8), anchors: [], frame: -1 };
    switch (shape.kind) {
      case "line":
        part.anchors = [this.anchor(shape.from), this.anchor(shape.to)];
        part.length = this.length(shape.length, shape.lengths);
        break;
      case "rope":
        part.anchors = shape.through.map((anchor) => this.anchor(anchor));
        part.length = this.length(shape.length, shape.lengths);
        break;
      case "polyline":
        part.anchors = shape.through.map((anchor) => this.anchor(anchor));
        break;
      case "spring":
        part.anchors = [this.anchor(shape.from), this.anchor(shape.to)];
        break;
      case "joint":
        part.anchors = [this.anchor(shape.at)];
        break;
      case "solid":
        this.prepare_solid(part, this.array(shape.vertices), this.array(shape.edges), this.array(shape.triangles));
        break;
      case "plane":
      case "sphere":
      case "cylinder":
      case "cone": {
        const width = shape.kind === "plane" || shape.kind === "sphere" ? 4 : 7;
        if (shape.keys) {
          part.keys = this.table(shape.keys, width);
          part.held = new Float64Array(width).fill(NaN);
          this.move(part, this.runs[0]?.pieces.begin ?? 0);
        } else this.set_solid(part, this.build(shape, fields_of(shape)));
        break;
      }
      case "mesh":
        if (shape.frames) {
          part.frames = shape.frames.map((frame) => ({
            time: frame.time ?? 0,
            solid: surfaces.mesh(this.dimension, this.array(frame.vertices), this.array(frame.triangles), this.array(frame.lines)),
          }));
          this.change_frame(part, this.runs[0]?.pieces.begin ?? 0);
        } else this.set_solid(part, surfaces.mesh(this.dimension, this.array(shape.vertices), this.array(shape.triangles), this.array(shape.lines)));
        break;
      case "curve":
        this.set_solid(part, surfaces.curve(this.dimension, this.array(shape.points), shape.closed === true));
        break;
    }
    return part;
  }

  private prepare_solid(part: Part, vertices: ArrayLike<number>, edges: ArrayLike<number>, triangles: ArrayLike<number>): void {
    part.form = { vertices, edges, now: new Float32Array(vertices.length) };
    part.bare = edges.length <= 2 * (this.dimension - 2) && triangles.length === 0 && part.shape.kind === "solid" && part.shape.radius === undefined;
    if (triangles.length === 0) return;
    part.faces = this.runs.map(() => ({
      positions: new Float32Array(vertices.length),
      triangles: Uint32Array.from(triangles),
      colour: this.palette.wall,
      opacity: 0,
      version: 0,
      solid: part.shape.kind === "solid" && part.shape.hollow !== true,
    }));
    for (const face of part.faces) {
      face.opacity = face.solid ? solid_opacity : hollow_opacity;
      this.picture.surfaces.push(face);
    }
  }

  private array(block: Block | undefined): ArrayLike<number> {
    return block ? this.data.numbers(block) : [];
  }
  private table(keys: Keys, width: number): KeyTable {
    return new KeyTable(this.data.numbers(keys.time), this.data.numbers(keys.value), width);
  }

  private anchor(anchor: Anchor): Part["anchors"][0] {
    if (anchor.body !== undefined && anchor.mark) {
      const body = anchor.body;
      const mark = triple(anchor.mark);
      const turned = new Float64Array(9);
      return (run, _t, out) => {
        const places = this.places[run] as Float64Array;
        rotation(this.bodies[body] as Body, this.values[run] as Float64Array, turned);
        carry(mark, turned, places[3 * body] as number, places[3 * body + 1] as number, places[3 * body + 2] as number, out);
      };
    }
    if (anchor.body !== undefined) {
      const body = 3 * anchor.body;
      return (run, _t, out) => {
        const places = this.places[run] as Float64Array;
        out[0] = places[body] as number;
        out[1] = places[body + 1] as number;
        out[2] = places[body + 2] as number;
      };
    }
    if (anchor.keys) {
      const width = Math.max(2, Math.round(anchor.keys.value.count / Math.max(1, anchor.keys.time.count)));
      const table = this.table(anchor.keys, width);
      const place = new Float64Array(width);
      return (_run, t, out) => {
        table.at(t, place);
        out[0] = place[0] as number;
        out[1] = place[1] as number;
        out[2] = width > 2 ? (place[2] as number) : 0;
      };
    }
    const at = triple(anchor.at);
    return (_run, _t, out) => {
      out[0] = at[0];
      out[1] = at[1];
      out[2] = at[2];
    };
  }

  private length(length: number | undefined, lengths: Keys | undefined): Part["length"] {
    if (lengths) {
      const table = this.table(lengths, 1);
      const out = new Float64Array(1);
      return (t) => {
        table.at(t, out);
        return out[0] as number;
      };
    }
    return length === undefined ? undefined : () => length;
  }

  private build(shape: Shape, f: ArrayLike<number>): surfaces.Solid {
    const n = (i: number) => f[i] as number;
    const side = "side" in shape && shape.relation !== "=" ? (shape.side ?? 0) : 0;
    switch (shape.kind) {
      case "plane":
        return surfaces.plane(this.extent, this.dimension, [n(0), n(1), n(2)], n(3), side);
      case "sphere":
        return surfaces.sphere(this.extent, this.dimension, [n(0), n(1), n(2)], n(3), side, this.up);
      case "cylinder":
        return surfaces.cylinder(this.extent, [n(0), n(1), n(2)], [n(3), n(4), n(5)], n(6));
      case "cone":
        return surfaces.cone(this.extent, [n(0), n(1), n(2)], [n(3), n(4), n(5)], n(6), shape.both === true);
      default:
        return { positions: [], triangles: [], outline: [], fine: [] };
    }
  }

  // Rebuild a moving shape where it has moved.
  private readonly fields = new Float64Array(8);
  private move(part: Part, t: number): void {
    const keys = part.keys as KeyTable;
    keys.at(t, this.fields);
    let same = true;
    for (let i = 0; i < part.held.length; i++) {
      if (this.fields[i] !== part.held[i]) same = false;
      part.held[i] = this.fields[i] as number;
    }
    if (!same) this.set_solid(part, this.build(part.shape, this.fields));
  }

  private change_frame(part: Part, t: number): void {
    const frames = part.frames ?? [];
    // The nearest in time.
    let now = 0;
    while (now + 1 < frames.length && Math.abs((frames[now + 1] as { time: number }).time - t) <= Math.abs((frames[now] as { time: number }).time - t)) now++;
    if (now === part.frame || !frames[now]) return;
    part.frame = now;
    this.set_solid(part, (frames[now] as { solid: surfaces.Solid }).solid);
  }

  private set_solid(part: Part, solid: surfaces.Solid): void {
    part.solid = solid;
    if (solid.triangles.length === 0 && !part.surface) return;
    const [ox, oy, oz] = this.extent.centre;
    const positions = new Float32Array(solid.positions.length);
    for (let i = 0; i < positions.length; i += 3) {
      positions[i] = (solid.positions[i] as number) - ox;
      positions[i + 1] = (solid.positions[i + 1] as number) - oy;
      positions[i + 2] = (solid.positions[i + 2] as number) - oz;
    }
    if (!part.surface) {
      part.surface = { positions, triangles: Uint32Array.from(solid.triangles), colour: this.palette.wall, opacity: surface_opacity, version: 0 };
      this.picture.surfaces.push(part.surface);
    } else {
      part.surface.positions = positions;
      part.surface.triangles = Uint32Array.from(solid.triangles);
      part.surface.version++;
    }
  }

  // Whether a level plane of the model serves as ground.
  private has_floor(): boolean {
    return (this.header.shapes ?? []).some((shape) => shape.kind === "plane" && !shape.keys && Math.abs(dot(unit(triple(shape.normal)), this.up)) > 0.999);
  }

  private find_extent(): surfaces.Extent {
    let low = triple(this.header.box?.[0], [Infinity, Infinity, Infinity]);
    let high = triple(this.header.box?.[1], [-Infinity, -Infinity, -Infinity]);

    // Without a box: where the bodies come.
    if (![...low, ...high].every(Number.isFinite)) {
      low = [Infinity, Infinity, Infinity];
      high = [-Infinity, -Infinity, -Infinity];
      for (let r = 0; r < this.runs.length; r++) {
        const { begin, end } = (this.runs[r] as Run).pieces;
        for (let s = 0; s <= 200; s++) {
          this.place(r, begin + ((end - begin) * s) / 200);
          const found = this.gathering_box(r);
          if (!found) continue;
          for (const m of [0, 1, 2] as const) {
            low[m] = Math.min(low[m], found[0][m]);
            high[m] = Math.max(high[m], found[1][m]);
          }
        }
      }
      if (![...low, ...high].every(Number.isFinite)) [low, high] = [[-1, -1, 0], [1, 1, 0]];
    }

    // A motion on a line still needs room on both sides of it.
    let size = norm(subtract(high, low));
    if (!(size > least_extent)) size = 1;
    for (const m of [0, 1, 2] as const) {
      if (m === 2 && this.dimension !== 3) continue;
      const lack = 0.18 * size - (high[m] - low[m]);
      if (lack > 0) {
        low[m] -= lack / 2;
        high[m] += lack / 2;
      }
    }
    return { low, high, centre: scaled(add(low, high), 0.5), size: norm(subtract(high, low)) };
  }

  // The end of the colour scale: a high quantile, so that one peak does not bleach the rest.
  private find_scale(): number {
    const sample: number[] = [];
    for (const run of this.runs) {
      const all = [...run.channels.multiplier_of_row.values()];
      const step = Math.max(1, Math.floor((all.length * run.channels.times.length) / 40000));
      let counter = 0;
      for (const series of all.length > 400 ? all.filter((_, i) => i % Math.ceil(all.length / 400) === 0) : all) {
        const values = series.values;
        for (let i = counter % step; i < values.length; i += step) {
          const value = Math.abs(values[i] as number);
          if (value > 0 && Number.isFinite(value)) sample.push(value);
        }
        counter++;
      }
    }
    if (sample.length === 0) return 0;
    sample.sort((a, b) => a - b);
    const high = sample[Math.min(sample.length - 1, Math.floor(0.99 * sample.length))] as number;

    // Rounding errors are no forces: compare with what would move the masses across the picture within the run.
    const mass = Math.max(...this.bodies.map((body) => body.mass ?? 0), 0);
    const span = Math.max(...this.runs.map(({ pieces }) => pieces.end - pieces.begin));
    const floor = span > 0 && mass > 0 ? (1e-9 * mass * this.extent.size) / (span * span) : 0;
    return high > floor ? high : 0;
  }

  // Half the distance at which bodies mostly begin beside one another, so that the links of a chain can be told apart.
  private find_room(): number {
    const count = this.bodies.length;
    if (count < 3 || count > most_compared || this.runs.length === 0) return Infinity;
    this.place(0, (this.runs[0] as Run).pieces.begin);
    const places = this.places[0] as Float64Array;
    const nearest: number[] = [];
    for (let a = 0; a < count; a++) {
      let least = Infinity;
      for (let b = 0; b < count; b++) {
        const far = Math.hypot((places[3 * a] as number) - (places[3 * b] as number), (places[3 * a + 1] as number) - (places[3 * b + 1] as number), (places[3 * a + 2] as number) - (places[3 * b + 2] as number));
        if (b !== a && far < least) least = far;
      }
      nearest.push(least);
    }
    return 0.5 * (nearest.sort((x, y) => x - y)[count >> 1] as number);
  }

  // Radii from masses by the cube root, within bounds, smaller in a crowd; bodies kept apart are discs of their own size.
  private find_radii(): [Float64Array, Float64Array] {
    const masses = this.bodies.map((body) => body.mass ?? NaN).filter((mass) => mass > 0);
    const mean = masses.length > 0 ? Math.exp(masses.reduce((sum, mass) => sum + Math.log(mass), 0) / masses.length) : 1;
    const crowd = Math.min(1, Math.max(0.3, Math.pow(10 / Math.max(1, this.bodies.length), 0.3)));
    const base = 0.0165 * this.extent.size * crowd;
    const radii = new Float64Array(this.bodies.length);
    const room = this.find_room();
    const outlined = this.bodies.filter((body) => body.view).length > most_view_points;
    this.bodies.forEach((body, b) => {
      if (body.size !== undefined && body.size > 0) radii[b] = body.size;
      else if (body.mass !== undefined && body.mass > 0) radii[b] = Math.max(0.25 * base, Math.min(room, base * Math.min(2.2, Math.max(0.45, Math.cbrt(body.mass / mean)))));
      else radii[b] = base * (outlined ? 0.3 : 0.6);
    });
    const discs = new Float64Array(this.bodies.length);
    for (const { shape } of this.parts)
      if (shape.kind === "solid" && shape.radius !== undefined) discs[shape.body] = shape.radius;
      else if (shape.kind === "line" && shape.radius !== undefined)
        for (const body of bodies_of(shape)) discs[body] = Math.max(discs[body] ?? 0, shape.radius);
    return [radii, discs];
  }
}

// The numeric fields of a fixed shape in the order in which moving ones list them.
function fields_of(shape: Shape): number[] {
  switch (shape.kind) {
    case "plane":
      return [...triple(shape.normal), shape.offset ?? 0];
    case "sphere":
      return [...triple(shape.centre), shape.radius ?? 0];
    case "cylinder":
      return [...triple(shape.point), ...triple(shape.axis), shape.radius ?? 0];
    case "cone":
      return [...triple(shape.apex), ...triple(shape.axis), shape.angle ?? 0];
    default:
      return [];
  }
}

// The bodies on which the condition of a shape acts.
export function bodies_of(shape: Shape): number[] {
  if (shape.kind === "solid") return [];
  const anchors = shape.kind === "line" || shape.kind === "spring" ? [shape.from, shape.to] : shape.kind === "rope" || shape.kind === "polyline" ? shape.through : [];
  const found = anchors.map((anchor) => anchor.body).filter((body): body is number => body !== undefined);
  return [...new Set([...found, ...(shape.bodies ?? [])])];
}
