// Everything that can be plotted over time: coordinates and velocities from the pieces, the rest from the channels.
import type { Header } from "../data/contract";
import type { Series } from "../data/channels";
import { KeyTable } from "../data/keys";
import type { Data } from "../data/read";
import type { Run } from "../data/runs";

// To see whether a coordinate moves at all: so many are looked at, at so many instants; what moves by less than this part of the largest stands still.
const most_looked_at = 120;
const most_looks = 12;
const still = 1e-6;
const most_turning = 4;

export interface Quantity {
  key: string;
  group: string;
  name: string;
  // The value at t, or just before it; NaN where a run has none.
  value(run: Run, t: number, before: boolean): number;
  sampled: boolean;
  // Of what exists at single instants alone: those from one time to another, in order.
  instants?(run: Run, from: number, to: number): { t: number; value: number }[];
  // Belongs to all runs together.
  common?: boolean;
}

export const groups: [string, string][] = [
  ["comparison", "Distance between the runs"],
  ["coordinates", "Coordinates"],
  ["velocities", "Velocities"],
  ["multipliers", "Multipliers"],
  ["impulses", "Impulses"],
  ["conditions", "Condition values"],
  ["energy", "Energy"],
  ["rho", "ρ of variational conditions"],
  ["outputs", "Outputs"],
];

export function make_catalogue(data: Data, runs: readonly Run[]): Quantity[] {
  const { header } = data;
  const list: Quantity[] = [];
  const distance = header.comparison?.distance;
  if (distance) {
    const table = new KeyTable(data.numbers(distance.time), data.numbers(distance.value), 1);
    const out = new Float64Array(1);
    list.push({
      key: "comparison:distance",
      group: "comparison",
      name: header.comparison?.title ?? "distance",
      sampled: false,
      common: true,
      value: (_run, t) => {
        table.at(t, out);
        return out[0] as number;
      },
    });
  }
  header.variables.forEach((name, i) =>
    list.push({ key: `coordinates:${name}`, group: "coordinates", name, sampled: false, value: (run, t, before) => run.pieces.value(i, t, before) }),
  );
  header.variables.forEach((name, i) =>
    list.push({ key: `velocities:${name}`, group: "velocities", name: `${name}′`, sampled: false, value: (run, t, before) => run.pieces.rate(i, t, before) }),
  );

  // The same name in several runs is one quantity.
  const found = new Map<string, Map<number, Series>>();
  for (const run of runs)
    for (const series of run.channels.series) {
      const key = `${series.group}:${series.name}`;
      let of_runs = found.get(key);
      if (!of_runs) {
        const made = (of_runs = new Map<number, Series>());
        found.set(key, made);
        list.push({
          key,
          group: series.group,
          name: series.name,
          sampled: true,
          value: (which, t, before) => {
            const channel = made.get(which.index);
            return channel ? which.channels.value(channel, t, before) : NaN;
          },
        });
      }
      of_runs.set(run.index, series);
    }
  return [...list, ...impulses(header, runs)];
}

// What shocks gave through the conditions, the largest first.
function impulses(header: Header, runs: readonly Run[]): Quantity[] {
  const found = new Map<number, Map<number, { t: number; value: number }[]>>();
  for (const run of runs)
    for (let e = 0; e < run.events.count; e++)
      run.events.visit_impulses(e, (row, value) => {
        let of_runs = found.get(row);
        if (!of_runs) found.set(row, (of_runs = new Map()));
        const list = of_runs.get(run.index);
        const entry = { t: run.events.times[e] as number, value };
        if (list) list.push(entry);
        else of_runs.set(run.index, [entry]);
      });
  const size = (of_runs: Map<number, { value: number }[]>) => {
    let largest = 0;
    for (const list of of_runs.values()) for (const { value } of list) largest = Math.max(largest, Math.abs(value));
    return largest;
  };
  return [...found]
    .map(([row, of_runs]) => ({ row, of_runs, size: size(of_runs) }))
    .sort((a, b) => b.size - a.size || a.row - b.row)
    .map(({ row, of_runs }) => {
      const name = header.rows?.[row]?.name ?? `condition ${row + 1}`;
      const part = (run: Run, from: number, to: number) => {
        const list = of_runs.get(run.index) ?? [];
        return list.slice(first_from(list, from), first_from(list, to, true));
      };
      return { key: `impulses:${name}`, group: "impulses", name, sampled: false, instants: part, value: (run: Run, t: number) => part(run, t, t)[0]?.value ?? NaN };
    });
}

// The first entry at or after t, or after it.
function first_from(list: readonly { t: number }[], t: number, after = false): number {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const at = (list[middle] as { t: number }).t;
    if (after ? at <= t : at < t) low = middle + 1;
    else high = middle;
  }
  return low;
}

// The coordinates of the first body that moves, where the very first does not; of one that only turns, those that turn.
function first_moving(header: Header, catalogue: readonly Quantity[], run: Run | undefined, most: number): string[] {
  const all = catalogue.filter(({ group }) => group === "coordinates");
  const first = all.slice(0, most);
  if (!run) return first.map(({ key }) => key);
  const { begin, end } = run.pieces;
  const range = (quantity: Quantity) => {
    let [low, high] = [Infinity, -Infinity];
    for (let k = 0; k <= most_looks; k++) {
      const value = quantity.value(run, begin + ((end - begin) * k) / most_looks, false);
      [low, high] = [Math.min(low, value), Math.max(high, value)];
    }
    return high - low;
  };
  const ranges = all.slice(0, most_looked_at).map(range);
  const moves = (k: number) => (ranges[k] as number) > still * Math.max(...ranges);
  if (first.some((_, k) => moves(k))) return first.map(({ key }) => key);
  const goes = (header.bodies ?? []).find(({ track, view }) => !view && track.some((k) => k < ranges.length && moves(k)));
  if (goes) return goes.track.flatMap((k) => all[k]?.key ?? []);
  const mover = all.find((_, k) => k < ranges.length && moves(k));
  if (!mover) return first.map(({ key }) => key);
  const body = (name: string) => name.replace(/\.[^.]*$/, "");
  return all.filter(({ name }, k) => body(name) === body(mover.name) && k < ranges.length && moves(k)).slice(0, most_turning).map(({ key }) => key);
}

// What is worth seeing first: few curves, energy always; multipliers that are zero throughout give way to impulses.
export function first_choice(header: Header, catalogue: readonly Quantity[], runs: readonly Run[]): string[] {
  const of = (group: string, most: number) => catalogue.filter((quantity) => quantity.group === group).slice(0, most).map(({ key }) => key);
  const width = header.dimension === 0 ? 4 : header.dimension;
  const struck = of("impulses", 4);
  const carries = runs.some(({ channels }) => [...channels.multiplier_of_row.values()].some(({ values }) => Array.prototype.some.call(values, (value: number) => value !== 0 && !Number.isNaN(value))));
  return [...of("comparison", 1), ...first_moving(header, catalogue, runs[0], width), ...(header.dimension === 0 ? of("velocities", 4) : []), ...(struck.length > 0 && !carries ? [] : of("multipliers", 4)), ...struck, ...of("outputs", 4), ...of("rho", 2), ...of("energy", 3)];
}
