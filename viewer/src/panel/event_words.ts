// Events in words and as a card: what happened, to which conditions, what the shock changed.
import type { Header } from "../data/contract";
import type { Run } from "../data/runs";
import { element } from "../dom";
import { event_decimals, fixed, format, format_beside } from "../numbers";

const meanings: Record<string, string> = {
  blow: "an external blow",
  seizure: "an equation was imposed suddenly",
  impact: "a condition was struck",
  release: "a condition let go",
  contact: "a condition closed without a shock",
  graze: "touched, without effect",
  singular: "the position stopped being regular",
  accumulation: "infinitely many impacts, in finite time",
};

export function names_of_rows(header: Header, rows: readonly number[], most = Infinity): string {
  const names = rows.slice(0, most).map((row) => header.rows?.[row]?.name ?? `condition ${row + 1}`);
  return names.join(", ") + (rows.length > most ? ` and ${rows.length - most} more` : "");
}

const time_of = (events: Run["events"], event: number, span: number): string => fixed(events.times[event] as number, event_decimals(events.times, event, span));

// One sentence for the live region.
export function told(header: Header, run: Run, event: number, span: number): string {
  const { events } = run;
  const rows = names_of_rows(header, events.rows(event), 4);
  const lost = events.lost(event);
  return `${events.kind_of(event)} at ${time_of(events, event, span)}${rows ? `: ${rows}` : ""}${lost > 0 ? `, energy lost ${format(lost, 4)}` : ""}`;
}

// The card at an event.
export function event_card(header: Header, run: Run, event: number, span: number): HTMLElement[] {
  const { events } = run;
  const kind = events.kind_of(event);
  const rows = events.rows(event);
  const parts: HTMLElement[] = [
    element("h2", {}, element("span", { class: `mark ${kind}` }), `${kind[0]?.toUpperCase()}${kind.slice(1)}`, element("span", { class: "quiet" }, ` ${event + 1} of ${events.count}`)),
    element("p", { class: "when" }, `t = ${time_of(events, event, span)}`),
    element("p", { class: "quiet" }, meanings[kind] ?? ""),
  ];
  if (rows.length > 0)
    parts.push(
      element(
        "ul",
        { class: "conditions" },
        ...rows.slice(0, 6).map((row) => {
          const text = header.rows?.[row]?.text;
          return element("li", {}, element("b", {}, names_of_rows(header, [row])), text && text !== header.rows?.[row]?.name ? ` ${text}` : "");
        }),
        rows.length > 6 && element("li", { class: "quiet" }, `and ${rows.length - 6} more`),
      ),
    );

  const changes = events.changes(event);
  if (changes.length > 0) {
    const scale = Math.max(...changes.map(({ before, after }) => Math.max(Math.abs(before), Math.abs(after))));
    const body = element("tbody");
    for (const { variable, before, after } of changes.slice(0, 200))
      body.append(
        element(
          "tr",
          {},
          element("th", { scope: "row" }, `${header.variables[variable] ?? "?"}′`),
          element("td", { class: "number", "data-value": before }, format_beside(before, scale)),
          element("td", { class: "number", "data-value": after }, format_beside(after, scale)),
        ),
      );
    const head = element("thead", {}, element("tr", {}, element("th", { scope: "col" }, "velocity"), element("th", { scope: "col", class: "before" }, "before"), element("th", { scope: "col", class: "after" }, "after")));
    parts.push(element("table", { class: "changes" }, head, body));
    if (changes.length > 200) parts.push(element("p", { class: "quiet" }, `and ${changes.length - 200} more`));
  }
  const impulses = events.impulses(event);
  if (impulses.length > 0) {
    const body = element("tbody");
    for (const { row, value } of impulses.slice(0, 100))
      body.append(element("tr", {}, element("th", { scope: "row" }, names_of_rows(header, [row])), element("td", { class: "number", "data-value": value }, format(value))));
    parts.push(element("table", { class: "impulses" }, element("thead", {}, element("tr", {}, element("th", { scope: "col" }, "impulse of"), element("th", { scope: "col" }, "value"))), body));
  }
  const lost = events.lost(event);
  if (Number.isFinite(lost) && (lost !== 0 || changes.length > 0))
    parts.push(element("p", { class: "lost" }, "energy lost ", element("span", { class: "number", "data-value": lost }, format(lost))));
  const note = events.note(event);
  if (note) parts.push(element("p", { class: "note" }, note));
  return parts;
}
