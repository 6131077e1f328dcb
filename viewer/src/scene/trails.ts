// Where the bodies have been: the whole run sampled once, some instants per piece, so that corners at shocks stay sharp.
import type { Body } from "../data/contract";
import { index_at } from "../data/keys";
import type { Pieces } from "../data/pieces";
import type { Segments } from "./picture";
import type { Triple } from "./vector";

const most_numbers = 6e6;
const most_per_piece = 24;

export class Trails {
  readonly times: Float64Array;
  private readonly positions: Float32Array;
  private readonly values: Float64Array;
  private filled = 0;
  private hint = 0;

  constructor(
    private readonly pieces: Pieces,
    private readonly bodies: readonly Body[],
    private readonly origin: Triple,
  ) {
    // As many instants as memory allows, evenly over the pieces; of too many pieces only every so many.
    const budget = Math.max(200, Math.min(40000, Math.floor(most_numbers / Math.max(1, 3 * bodies.length))));
    const stride = Math.max(1, Math.ceil(pieces.count / budget));
    const per_piece = Math.max(1, Math.min(most_per_piece, Math.floor((budget * stride) / pieces.count)));
    const times: number[] = [];
    for (let p = 0; p < pieces.count; p += stride) {
      const from = pieces.starts[p] as number;
      const to = p + stride < pieces.count ? (pieces.starts[p + stride] as number) : pieces.end;
      for (let i = 0; i < per_piece; i++) times.push(from + ((to - from) * i) / per_piece);
    }
    times.push(pieces.end);
    this.times = Float64Array.from(times);

    this.values = new Float64Array(pieces.variables);
    this.positions = new Float32Array(3 * bodies.length * this.times.length);
  }

  // Instants are looked at when time first comes to them: of a motion that is soon followed by another, few ever are.
  private known(last: number): void {
    const { bodies, origin, pieces, values } = this;
    let at = 3 * bodies.length * this.filled;
    for (; this.filled <= last; this.filled++) {
      pieces.values(this.times[this.filled] as number, values);
      for (const body of bodies)
        for (let m = 0; m < 3; m++) {
          const variable = body.track[m];
          this.positions[at++] = (variable === undefined ? 0 : (values[variable] as number)) - (origin[m] as number);
        }
    }
  }

  // At most `most` strokes for the time from t - span to t, fading with age; `now` holds the places at t itself.
  draw(t: number, span: number, now: Float64Array, colours: readonly (readonly number[])[], width: number, alpha: number, into: Segments, most: number): void {
    const last = (this.hint = index_at(this.times, t, this.hint));
    this.known(last);
    const bodies = this.bodies.length;

    // Few instants may be left out, else curves turn into polygons; a longer trail is cut. Strides keep their places in time,
    // else the trail would shimmer.
    const budget = Math.max(most < 5000 ? 5 : 12, Math.min(600, Math.floor(most / Math.max(1, bodies))));
    let first = Math.max(0, index_at(this.times, t - span));
    let stride = 1;
    while ((last - first) / stride > budget && stride < 8) stride *= 2;
    if ((last - first) / stride > budget) {
      first = last - budget * stride;
      span = t - (this.times[first] as number);
    }
    const begin = Math.ceil(first / stride) * stride;
    for (let b = 0; b < bodies; b++) {
      const colour = colours[b] as readonly number[];
      let k = 3 * (begin * bodies + b);
      const step = 3 * bodies * stride;
      let x = this.positions[k] as number;
      let y = this.positions[k + 1] as number;
      let z = this.positions[k + 2] as number;
      let fade = this.age(begin, t, span) * alpha;
      for (let i = begin + stride; i <= last; i += stride) {
        k += step;
        const nx = this.positions[k] as number;
        const ny = this.positions[k + 1] as number;
        const nz = this.positions[k + 2] as number;
        const next = this.age(i, t, span) * alpha;
        into.add(x, y, z, nx, ny, nz, width, colour, fade, next);
        x = nx;
        y = ny;
        z = nz;
        fade = next;
      }
      if (begin <= last) {
        const variable = 3 * b;
        into.add(x, y, z, (now[variable] as number) - this.origin[0], (now[variable + 1] as number) - this.origin[1], (now[variable + 2] as number) - this.origin[2], width, colour, fade, alpha);
      }
    }
  }

  // The whole way up to t, faintly, in at most `most` strokes.
  draw_path(t: number, colours: readonly (readonly number[])[], width: number, alpha: number, into: Segments, most: number): void {
    const last = index_at(this.times, t, this.hint);
    this.known(last);
    const bodies = this.bodies.length;
    const budget = Math.floor(most / Math.max(1, bodies));
    let stride = 1;
    while (last / stride > budget && stride < 8) stride *= 2;
    const begin = last / stride > budget ? Math.ceil((last - budget * stride) / stride) * stride : 0;
    for (let b = 0; b < bodies; b++)
      for (let i = begin; i < last; i += stride) {
        const j = 3 * (i * bodies + b);
        const k = 3 * (Math.min(i + stride, last) * bodies + b);
        const p = this.positions;
        into.add(p[j] as number, p[j + 1] as number, p[j + 2] as number, p[k] as number, p[k + 1] as number, p[k + 2] as number, width, colours[b] as readonly number[], alpha);
      }
  }

  // One at t, zero at t - span.
  private age(sample: number, t: number, span: number): number {
    const share = 1 - (t - (this.times[sample] as number)) / span;
    return share <= 0 ? 0 : share * share;
  }
}
