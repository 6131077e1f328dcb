// A motion as polynomial pieces, evaluated by Horner's rule over all variables at once.
//
//   value_i(t) = sum_k c[offset_p + k N + i] s^k,  s = t - start_p,  p the last piece that starts at or before t
//
// N is the number of variables; at an instant where two pieces meet the later one answers unless the earlier is asked for.
import type { PiecesHeader } from "./contract";
import { DataError, type Data, type Numbers } from "./read";

export class Pieces {
  readonly count: number;
  readonly begin: number;
  readonly end: number;
  readonly starts: Numbers;
  private readonly orders: Numbers;
  private readonly coefficients: Numbers;
  private readonly offsets: Float64Array;
  private last = 0;

  constructor(
    data: Data,
    header: PiecesHeader,
    readonly variables: number,
  ) {
    this.starts = data.numbers(header.start);
    this.orders = data.numbers(header.orders);
    this.coefficients = data.numbers(header.coefficients);
    this.count = this.starts.length;

    // Offsets are sums of orders; doubles hold them exactly far beyond 2^32.
    this.offsets = new Float64Array(this.count + 1);
    for (let p = 0; p < this.count; p++)
      this.offsets[p + 1] = (this.offsets[p] as number) + variables * (this.orders[p] ?? 0);
    if (this.count === 0 || this.orders.length !== this.count || this.offsets[this.count] !== this.coefficients.length)
      throw new DataError("The pieces of the motion do not fit together.", "Write the page anew with “zwang run”.");
    this.begin = this.starts[0] as number;
    this.end = Math.max(header.end, this.begin);
  }

  // The piece that answers at t: the last that starts at or before it, or the last before it when `before` is asked.
  locate(t: number, before = false): number {
    const starts = this.starts;
    const fits = (p: number) => {
      const start = starts[p] as number;
      const next = p + 1 < this.count ? (starts[p + 1] as number) : Infinity;
      return before ? start < t && t <= next : start <= t && t < next;
    };

    // Time mostly moves on by a little.
    if (fits(this.last)) return this.last;
    if (this.last + 1 < this.count && fits(this.last + 1)) return ++this.last;
    let low = 0;
    let high = this.count;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      const start = starts[middle] as number;
      if (before ? start < t : start <= t) low = middle;
      else high = middle;
    }
    this.last = low;
    return low;
  }

  // All values at t into `out`.
  values(t: number, out: Float64Array, before = false): void {
    const p = this.locate(t, before);
    const n = this.variables;
    const s = t - (this.starts[p] as number);
    const c = this.coefficients;
    const first = this.offsets[p] as number;
    let at = (this.offsets[p + 1] as number) - n;
    if (at < first) {
      out.fill(0, 0, n);
      return;
    }
    for (let i = 0; i < n; i++) out[i] = c[at + i] as number;
    for (at -= n; at >= first; at -= n)
      for (let i = 0; i < n; i++) out[i] = (out[i] as number) * s + (c[at + i] as number);
  }

  // All rates of change at t into `out`.
  rates(t: number, out: Float64Array, before = false): void {
    const p = this.locate(t, before);
    const n = this.variables;
    const s = t - (this.starts[p] as number);
    const c = this.coefficients;
    const first = this.offsets[p] as number;
    out.fill(0, 0, n);
    for (let k = (this.orders[p] as number) - 1; k >= 1; k--) {
      const at = first + k * n;
      for (let i = 0; i < n; i++) out[i] = (out[i] as number) * s + k * (c[at + i] as number);
    }
  }

  // One variable at t.
  value(variable: number, t: number, before = false): number {
    const p = this.locate(t, before);
    const s = t - (this.starts[p] as number);
    const first = this.offsets[p] as number;
    let sum = 0;
    for (let k = (this.orders[p] as number) - 1; k >= 0; k--)
      sum = sum * s + (this.coefficients[first + k * this.variables + variable] as number);
    return sum;
  }

  // The rate of change of one variable at t.
  rate(variable: number, t: number, before = false): number {
    const p = this.locate(t, before);
    const s = t - (this.starts[p] as number);
    const first = this.offsets[p] as number;
    let sum = 0;
    for (let k = (this.orders[p] as number) - 1; k >= 1; k--)
      sum = sum * s + k * (this.coefficients[first + k * this.variables + variable] as number);
    return sum;
  }
}
