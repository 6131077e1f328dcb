// The events of a run: times, kinds, the conditions concerned, impulses and the velocities that a shock changed.
import type { RunHeader } from "./contract";
import type { Data, Numbers } from "./read";

const empty = new Float64Array(0);

export class Events {
  readonly count: number;
  readonly times: Numbers;
  readonly kinds: string[];
  readonly left_out: number;
  private readonly kind: Numbers;
  private readonly tables: Record<string, Numbers>;
  private readonly notes: Record<string, string>;

  constructor(data: Data, run: RunHeader) {
    const header = run.events;
    this.times = header ? data.numbers(header.time) : empty;
    this.kind = header ? data.numbers(header.kind) : empty;
    this.count = this.times.length;
    this.kinds = header?.kinds ?? [];
    this.left_out = header?.left_out ?? 0;
    this.notes = header?.notes ?? {};
    this.tables = {};
    for (const name of [
      "row_start",
      "row",
      "impulse_start",
      "impulse_row",
      "impulse",
      "change_start",
      "change_variable",
      "before",
      "after",
      "lost",
    ] as const) {
      const block = header?.[name];
      this.tables[name] = block ? data.numbers(block) : empty;
    }
  }

  // Conditions that were let go, each with its time: from then on they hold nothing.
  get let_go(): ReadonlyMap<number, number> {
    if (this.gone) return this.gone;
    const gone = (this.gone = new Map<number, number>());
    const kind = this.kinds.indexOf("let go");
    for (let e = 0; kind >= 0 && e < this.count; e++)
      if (this.kind_index(e) === kind) for (const row of this.rows(e)) if (!gone.has(row)) gone.set(row, this.times[e] as number);
    return gone;
  }
  private gone: Map<number, number> | undefined;

  kind_index(event: number): number {
    return this.kind[event] as number;
  }
  kind_of(event: number): string {
    return this.kinds[this.kind_index(event)] ?? "event";
  }
  note(event: number): string | undefined {
    return this.notes[String(event)];
  }

  // The entries of a table that belong to an event, where the bounds of its part are given.
  private part(start: string, event: number, visit: (index: number) => void): void {
    const starts = this.tables[start] as Numbers;
    const from = starts[event] ?? 0;
    const to = starts[event + 1] ?? 0;
    for (let i = from; i < to; i++) visit(i);
  }
  private entry(table: string, index: number): number {
    return (this.tables[table] as Numbers)[index] ?? NaN;
  }

  rows(event: number): number[] {
    const result: number[] = [];
    this.part("row_start", event, (i) => result.push(this.entry("row", i)));
    return result;
  }
  visit_impulses(event: number, visit: (row: number, value: number) => void): void {
    this.part("impulse_start", event, (i) => visit(this.entry("impulse_row", i), this.entry("impulse", i)));
  }
  impulses(event: number): { row: number; value: number }[] {
    const result: { row: number; value: number }[] = [];
    this.visit_impulses(event, (row, value) => result.push({ row, value }));
    return result;
  }
  changes(event: number): { variable: number; before: number; after: number }[] {
    const result: { variable: number; before: number; after: number }[] = [];
    this.part("change_start", event, (i) =>
      result.push({
        variable: this.entry("change_variable", i),
        before: this.entry("before", i),
        after: this.entry("after", i),
      }),
    );
    return result;
  }
  lost(event: number): number {
    return this.entry("lost", event);
  }

  // The first event at or after t, or `count`.
  first_at(t: number): number {
    let low = 0;
    let high = this.count;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.times[middle] as number) < t) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
