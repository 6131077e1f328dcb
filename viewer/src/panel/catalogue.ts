// Everything that can be plotted over time: coordinates and velocities from the pieces, the rest from the channels.
import type { Header } from "../data/contract";
import type { Series } from "../data/channels";
import { KeyTable } from "../data/keys";
import type { Data } from "../data/read";
import type { Run } from "../data/runs";

export interface Quantity {
  key: string;
  group: string;
  name: string;
  // The value at t, or just before it; NaN where a run has none.
  value(run: Run, t: number, before: boolean): number;
  sampled: boolean;
  // Belongs to all runs together.
  common?: boolean;
}

export const groups: [string, string][] = [
  ["comparison", "Distance between the runs"],
  ["coordinates", "Coordinates"],
  ["velocities", "Velocities"],
  ["multipliers", "Multipliers"],
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
  return list;
}

// What is worth seeing first: few curves, energy always.
export function first_choice(header: Header, catalogue: readonly Quantity[]): string[] {
  const of = (group: string, most: number) => catalogue.filter((quantity) => quantity.group === group).slice(0, most).map(({ key }) => key);
  const width = header.dimension === 0 ? 4 : header.dimension;
  return [...of("comparison", 1), ...of("coordinates", width), ...(header.dimension === 0 ? of("velocities", 4) : []), ...of("multipliers", 4), ...of("outputs", 4), ...of("rho", 2), ...of("energy", 3)];
}
