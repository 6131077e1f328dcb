// Sampled quantities of a run (multipliers, condition values, energy, outputs); an instant stands twice where one jumps.
import type { Group, RunHeader } from "./contract";
import { index_at } from "./keys";
import type { Data, Numbers } from "./read";

export class Series {
  private decoded: Numbers | undefined;

  constructor(
    readonly group: Group,
    readonly name: string,
    readonly row: number | undefined,
    private readonly decode: () => Numbers,
  ) {}

  // Decoded when first asked for: a run may have thousands that nobody looks at.
  get values(): Numbers {
    return (this.decoded ??= this.decode());
  }
}

export class Channels {
  readonly times: Numbers;
  readonly series: Series[];
  readonly multiplier_of_row = new Map<number, Series>();
  private hint = 0;

  constructor(data: Data, run: RunHeader) {
    this.times = run.channels ? data.numbers(run.channels.time) : new Float64Array(0);
    this.series = (run.channels?.series ?? []).map(
      (header) => new Series(header.group, header.name, header.row, () => data.numbers(header.value)),
    );
    for (const series of this.series)
      if (series.group === "multipliers" && series.row !== undefined) this.multiplier_of_row.set(series.row, series);
  }

  // Where t lies: the sample before it and the share of the way to the next.
  locate(t: number): { index: number; share: number } {
    const index = (this.hint = index_at(this.times, t, this.hint));
    const from = this.times[index] as number;
    const to = index + 1 < this.times.length ? (this.times[index + 1] as number) : from;
    this.place.index = index;
    this.place.share = to > from ? Math.min(1, Math.max(0, (t - from) / (to - from))) : 0;
    return this.place;
  }
  private readonly place = { index: 0, share: 0 };

  // A series at t, or just before it where an instant stands twice; NaN where it has no value.
  value(series: Series, t: number, before = false): number {
    if (this.times.length === 0) return NaN;
    let { index, share } = this.locate(t);
    if (before && share === 0) while (index > 0 && this.times[index - 1] === t) index--;
    return this.at(series, index, share);
  }

  at(series: Series, index: number, share: number): number {
    const a = series.values[index] as number;
    if (share === 0) return a;
    return a + ((series.values[index + 1] as number) - a) * share;
  }
}
