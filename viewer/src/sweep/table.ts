// The lines of a sweep as columns of numbers, with what the charts ask of a column: its range, its values where they are few.
import type { Block } from "../data/contract";
import { type Data, DataError, type Numbers } from "../data/read";

export interface SweepHeader {
  format: number;
  kind: "sweep";
  title: string;
  file: string;
  total: number;
  done: number;
  // `parameter` is the name that the model has for it; that of the column may be numbered.
  columns: { name: string; role: Role; values: Block; parameter?: string }[];
  statuses: { name: string; count: number }[];
  status: Block;
  // Numbers of the samples, where not all of them are in the page.
  samples?: Block;
  over: string[];
  // What is the same in all samples, as on the command line.
  fixed: { set?: string[]; at?: string; until?: string; tolerance?: string };
  failures: { sample: number; why: string }[];
  // The page that computes, beside this one.
  live?: string;
}

export type Role = "parameter" | "account" | "record" | "status";

const most_levels = 1024;

// Where a value lies between two ends, 0 to 1, and back.
export class Scale {
  constructor(
    readonly low: number,
    readonly high: number,
    readonly labels?: readonly string[],
  ) {}
  get varies(): boolean {
    return this.high > this.low;
  }
  share(value: number): number {
    return this.high > this.low ? (value - this.low) / (this.high - this.low) : 0.5;
  }
  // In between with no more digits than a hand can mean.
  at(share: number): number {
    if (!(share > 0)) return this.low;
    if (share >= 1) return this.high;
    const value = this.low + (this.high - this.low) * share;
    const decimals = 4 - Math.ceil(Math.log10(this.high - this.low));
    return decimals >= 0 && decimals <= 100 ? Number(value.toFixed(decimals)) : value;
  }
}

export class Column extends Scale {
  constructor(
    readonly index: number,
    readonly name: string,
    readonly role: Role,
    readonly values: Numbers,
    ends: readonly [number, number],
    readonly finite: number,
    // All values in ascending order, where they are few: those of a grid.
    readonly levels: Float64Array | undefined,
    labels?: readonly string[],
  ) {
    super(ends[0], ends[1], labels);
    const step = levels && levels.length > 1 ? (this.high - this.low) / (levels.length - 1) : 0;
    const even = step > 0 && labels === undefined && (levels as Float64Array).every((value, k) => Math.abs(value - this.low - k * step) < 1e-3 * step);
    this.grid = even ? new Scale(this.low - step / 2, this.high + step / 2) : undefined;
  }
  // The scale on which every value of an even grid has a tile of its own, with the value in its middle.
  readonly grid: Scale | undefined;
}

function column_of(index: number, name: string, role: Role, values: Numbers, labels?: readonly string[]): Column {
  let [low, high, finite] = [Infinity, -Infinity, 0];
  const seen = new Set<number>();
  for (let i = 0; i < values.length; i++) {
    const value = values[i] as number;
    if (!Number.isFinite(value)) continue;
    finite++;
    if (value < low) low = value;
    if (value > high) high = value;
    if (seen.size <= most_levels) seen.add(value);
  }
  const levels = finite > 0 && seen.size <= most_levels ? Float64Array.from(seen).sort() : undefined;
  // Names of what has no size stand in the middle of their parts.
  const ends = labels ? ([-0.5, labels.length - 0.5] as const) : finite > 0 ? ([low, high] as const) : ([0, 0] as const);
  return new Column(index, name, role, values, ends, finite, levels, labels);
}

export class Table {
  readonly columns: Column[];
  readonly length: number;
  private readonly numbers: Numbers | undefined;
  private readonly why: Map<number, string>;

  constructor(
    readonly header: SweepHeader,
    data: Data<SweepHeader>,
  ) {
    if (header.kind !== "sweep" || !Array.isArray(header.columns)) throw new DataError("There is no sweep in the data of this page.", "Write the page anew with “zwang view”.");
    this.length = header.status.count;
    this.numbers = header.samples && data.numbers(header.samples);
    this.columns = header.columns.map(({ name, role, values }, index) => column_of(index, name, role, data.numbers(values)));
    const names = header.statuses.map(({ name }) => name);
    if (names.length > 1) this.columns.push(column_of(this.columns.length, "status", "status", data.numbers(header.status), names));
    this.status = data.numbers(header.status);
    if (this.columns.some(({ values }) => values.length !== this.length)) throw new DataError("The columns of this page are not equally long.", "Write the page anew with “zwang view”.");
    this.why = new Map(header.failures.map(({ sample, why }) => [sample, why]));
  }
  private readonly status: Numbers;

  // The number of the sample in a line, as the sweep counts it.
  sample(line: number): number {
    return this.numbers ? (this.numbers[line] as number) : line;
  }
  line_of(sample: number): number | undefined {
    if (!this.numbers) return sample >= 0 && sample < this.length && Number.isInteger(sample) ? sample : undefined;
    let [from, to] = [0, this.length];
    while (from < to) {
      const middle = (from + to) >> 1;
      if ((this.numbers[middle] as number) < sample) from = middle + 1;
      else to = middle;
    }
    return this.numbers[from] === sample ? from : undefined;
  }
  status_of(line: number): string {
    return this.header.statuses[this.status[line] as number]?.name ?? "";
  }
  why_of(line: number): string | undefined {
    return this.why.get(this.sample(line));
  }

  // The words of the command that follows this sample alone.
  command(line: number): string {
    const { file, fixed } = this.header;
    const words = ["zwang", "run", file];
    const set = this.settings(line);
    for (const one of set) words.push("--set", one);
    for (const name of ["at", "until", "tolerance"] as const) if (fixed[name] !== undefined) words.push(`--${name}`, fixed[name]);
    return words.map(quoted).join(" ") + (file === "-" ? " < MODEL" : "");
  }
  // Its address in the page that computes.
  address(line: number): string | undefined {
    const { fixed, live } = this.header;
    if (live === undefined) return undefined;
    const options = new URLSearchParams();
    for (const one of this.settings(line)) options.append("set", one);
    for (const name of ["at", "until", "tolerance"] as const) if (fixed[name] !== undefined) options.append(name, fixed[name]);
    return `${encodeURIComponent(live)}#${options.toString()}`;
  }
  // Parameters with all their digits: they read back to the same number.
  private settings(line: number): string[] {
    const own = this.header.columns.flatMap(({ parameter }, index) => (parameter === undefined ? [] : [`${parameter}=${String((this.columns[index] as Column).values[line])}`]));
    const named = new Set(own.map((one) => one.split("=")[0]));
    return [...(this.header.fixed.set ?? []).filter((one) => !named.has(one.split("=")[0])), ...own];
  }
}

// A word as a shell takes it for one.
const quoted = (word: string): string => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);
