// Brushes, one interval per column, and the lines that lie in all of them.
import type { Column, Table } from "./table";

export class Selection {
  readonly brushes = new Map<number, readonly [number, number]>();
  // Per line: 1 where it is selected.
  readonly mask: Uint8Array;
  count: number;
  // The line that was clicked.
  chosen: number | undefined;
  private readonly followers: ((what: "brushes" | "chosen") => void)[] = [];

  constructor(private readonly table: Table) {
    this.mask = new Uint8Array(table.length).fill(1);
    this.count = table.length;
  }

  follow(act: (what: "brushes" | "chosen") => void): void {
    this.followers.push(act);
  }

  // Brushes of several columns at once; undefined takes one away.
  set(...changes: readonly (readonly [Column, readonly [number, number] | undefined])[]): void {
    for (const [column, interval] of changes) {
      if (interval) this.brushes.set(column.index, interval[0] <= interval[1] ? interval : [interval[1], interval[0]]);
      else this.brushes.delete(column.index);
    }
    this.compute();
  }
  clear(): void {
    if (this.brushes.size === 0) return;
    this.brushes.clear();
    this.compute();
  }
  of(column: Column): readonly [number, number] | undefined {
    return this.brushes.get(column.index);
  }
  choose(line: number | undefined): void {
    this.chosen = line;
    for (const act of this.followers) act("chosen");
  }

  private compute(): void {
    const { mask } = this;
    mask.fill(1);
    for (const [index, [low, high]] of this.brushes) {
      const { values } = this.table.columns[index] as Column;
      // What has no value lies in no interval.
      for (let i = 0; i < mask.length; i++) if (!((values[i] as number) >= low && (values[i] as number) <= high)) mask[i] = 0;
    }
    let count = 0;
    for (let i = 0; i < mask.length; i++) count += mask[i] as number;
    this.count = count;
    for (const act of this.followers) act("brushes");
  }
}
