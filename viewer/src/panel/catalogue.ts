// Everything that can be plotted over time: coordinates and velocities from the pieces, the rest from the channels.
import type { Header } from "../data/contract";
import type { Series } from "../data/channels";
import type { Run } from "../data/runs";

export interface Quantity {
  key: string;
  group: string;
  name: string;
  // The value at t, or just before it; NaN where a run has none.
  value(run: Run, t: number, before: boolean): number;
  sampled: boolean;
}

export const groups: [string, string][] = [
  ["coordinates", "Coordinates"],
  ["velocities", "Velocities"],
  ["multipliers", "Multipliers"],
  ["conditions", "Condition values"],
  ["energy", "Energy"],
  ["rho", "ρ of variational conditions"],
  ["outputs", "Outputs"],
];

export function make_catalogue(header: Header, runs: readonly Run[]): Quantity[] {
  const list: Quantity[] = [];
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
  return [...of("coordinates", width), ...(header.dimension === 0 ? of("velocities", 4) : []), ...of("multipliers", 4), ...of("outputs", 4), ...of("rho", 2), ...of("energy", 3)];
}
