// Values at times with straight lines between them, as moving shapes and channels are written.
import type { Numbers } from "./read";

// The index of the last time at or before t, at least 0; `hint` is where to look first.
export function index_at(times: Numbers, t: number, hint = 0): number {
  const count = times.length;
  for (let i = hint; i < hint + 2 && i < count; i++)
    if ((times[i] as number) <= t && (i + 1 >= count || (times[i + 1] as number) > t)) return i;
  let low = 0;
  let high = count;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((times[middle] as number) <= t) low = middle;
    else high = middle;
  }
  return low;
}

// A table of `width` components per time.
export class KeyTable {
  private hint = 0;

  constructor(
    readonly times: Numbers,
    readonly values: Numbers,
    readonly width: number,
  ) {}

  // The components at t into `out`; before the first and after the last time they stand still.
  at(t: number, out: Float64Array): void {
    const i = (this.hint = index_at(this.times, t, this.hint));
    const j = Math.min(i + 1, this.times.length - 1);
    const from = this.times[i] as number;
    const to = this.times[j] as number;
    const share = to > from ? Math.min(1, Math.max(0, (t - from) / (to - from))) : 0;
    for (let m = 0; m < this.width; m++) {
      const a = this.values[i * this.width + m] as number;
      const b = this.values[j * this.width + m] as number;
      out[m] = share === 0 ? a : a + (b - a) * share;
    }
  }
}
