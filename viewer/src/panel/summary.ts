// What became of the run: how it ended, the balance of energy, and how far it can be trusted.
import type { Header, RunHeader } from "../data/contract";
import type { Run } from "../data/runs";
import { element } from "../dom";
import { counted, format } from "../numbers";

export function make_summary(header: Header, runs: readonly Run[], front: () => number): { root: HTMLElement; update: () => void } {
  const root = element("div", { class: "summary" });
  const update = () => root.replaceChildren(...sections(header, runs[front()] as Run, runs.length > 1));
  update();
  return { root, update };
}

function sections(header: Header, run: Run, several: boolean): HTMLElement[] {
  const { summary } = run;
  const parts: HTMLElement[] = [];
  if (several) parts.push(element("h3", {}, run.label));
  for (const sentence of summary.sentences ?? []) parts.push(element("p", {}, sentence));
  parts.push(facts(run.header, run));
  if (summary.energy) parts.push(energy_balance(summary.energy));
  const trust = certificates(run);
  if (trust) parts.push(trust);
  const parameters = { ...header.parameters, ...run.header.parameters };
  if (Object.keys(parameters).length > 0)
    parts.push(
      element("h3", {}, "Parameters"),
      table(Object.entries(parameters).map(([name, value]) => [name, typeof value === "number" ? format(value, 8) : Array.isArray(value) ? value.map((v) => (typeof v === "number" ? format(v, 6) : String(v))).join(", ") : String(value)])),
    );
  parts.push(element("p", { class: "quiet" }, `Written by zwang ${header.zwang}.`));
  return parts;
}

function facts(header: RunHeader, run: Run): HTMLElement {
  const rows: [string, string][] = [];
  if (header.status) rows.push(["Ended", header.why ? `${header.status}: ${header.why}` : header.status]);
  if (header.law) rows.push(["Law", header.law]);
  rows.push(["Time", `${format(run.pieces.begin, 9)} to ${format(run.pieces.end, 9)}`]);
  rows.push(["Events", counted(run.events.count + run.events.left_out) + (run.events.left_out > 0 ? `, ${counted(run.events.count)} of them listed` : "")]);
  const steps = run.summary.steps ?? header.steps;
  if (steps !== undefined) rows.push(["Steps", counted(steps)]);
  rows.push(["Pieces here", counted(run.pieces.count) + (header.pieces.accuracy ? `, fitted to ${format(header.pieces.accuracy, 2)} of the picture` : ", the engine’s own polynomials")]);
  if (run.summary.seconds !== undefined) rows.push(["Computed in", `${format(run.summary.seconds, 3)} s`]);
  return table(rows);
}

// initial + work - lost + defect = final, each part as a bar over the same scale.
function energy_balance(energy: NonNullable<Run["summary"]["energy"]>): HTMLElement {
  const parts: [string, number | undefined, string][] = [
    ["at the start", energy.initial, "start"],
    ["work put in", energy.work, "work"],
    ["lost in shocks", energy.lost === undefined ? undefined : -energy.lost, "lost"],
    ["at the end", energy.final, "end"],
  ];
  const largest = Math.max(...parts.map(([, value]) => Math.abs(value ?? 0)), 1e-300);
  const body = element("tbody");
  for (const [name, value, kind] of parts) {
    if (value === undefined) continue;
    const bar = element("span", { class: `bar ${kind}` });
    bar.style.width = `${(50 * Math.abs(value)) / largest}%`;
    bar.style.left = value < 0 ? `${50 - (50 * Math.abs(value)) / largest}%` : "50%";
    body.append(element("tr", {}, element("th", { scope: "row" }, name), element("td", { class: "number" }, format(value, 7)), element("td", { class: "bars" }, bar)));
  }
  const box = element("div", {}, element("h3", {}, "Energy"), element("table", { class: "balance" }, body));
  if (energy.defect !== undefined) box.append(element("p", { class: "quiet" }, `The books close to ${format(energy.defect, 3)}.`));
  return box;
}

function certificates(run: Run): HTMLElement | undefined {
  const rows: [string, string][] = [];
  for (const [name, value] of Object.entries(run.summary.drift ?? {})) rows.push([`Worst violation in ${name}`, format(value, 3)]);
  for (const [name, value] of Object.entries(run.summary.correction ?? {})) rows.push([`Start corrected in ${name}`, format(value, 3)]);
  return rows.length > 0 ? element("div", {}, element("h3", {}, "Certificates"), table(rows)) : undefined;
}

function table(rows: [string, string][]): HTMLElement {
  const body = element("tbody");
  for (const [name, value] of rows) body.append(element("tr", {}, element("th", { scope: "row" }, name), element("td", {}, value)));
  return element("table", { class: "facts" }, body);
}
