// The sample that was clicked: its numbers, how to see its motion, how to have it again.
import { element } from "../dom";
import { counted, format } from "../numbers";
import type { Selection } from "./selection";
import type { Column, Table } from "./table";

const most_rows = 12;

export class SampleCard {
  readonly root = element("section", { class: "card sample", "aria-label": "The chosen sample" });
  readonly others = element("section", { class: "card sample", "aria-label": "The selection" });
  private readonly body = element("div", { "aria-live": "polite" });
  private readonly number = element("input", { type: "text", inputmode: "numeric", class: "number", id: "sample-number" });
  private readonly list = element("div", { class: "scroller", tabindex: 0, role: "region", "aria-label": "The first samples of the selection" });

  constructor(
    private readonly table: Table,
    private readonly selection: Selection,
    private columns: readonly Column[],
  ) {
    this.number.addEventListener("change", () => {
      const line = this.table.line_of(Number(this.number.value));
      if (this.number.value.trim() !== "" && line !== undefined) selection.choose(line);
      else this.number.setAttribute("aria-invalid", "true");
    });
    this.root.append(element("h2", {}, "One sample"), element("div", { class: "asked" }, element("label", { for: "sample-number" }, "Number"), this.number), this.body);
    this.others.append(element("h2", {}, "The first of the selection"), this.list);
  }

  // Its motion, in the page that computes.
  open(line: number): void {
    const address = this.table.address(line);
    if (address !== undefined) window.open(address, "_blank", "noopener");
  }

  show(columns: readonly Column[]): void {
    this.columns = columns;
    this.draw_list();
  }

  draw(): void {
    const { table } = this;
    const line = this.selection.chosen;
    if (line === undefined) {
      this.body.replaceChildren(element("p", { class: "quiet" }, "Click a dot, a tile or a line, or choose a number."));
      return;
    }
    this.number.removeAttribute("aria-invalid");
    this.number.value = String(table.sample(line));
    const values = element("dl", { class: "values" });
    for (const column of table.columns) {
      if (column.role === "status") continue;
      values.append(element("div", {}, element("dt", {}, column.name), element("dd", { class: "number" }, format(column.values[line], 10))));
    }
    const why = table.why_of(line);
    const command = table.command(line);
    const copy = element("button", { type: "button", class: "plain" }, "Copy");
    copy.addEventListener("click", () => {
      void navigator.clipboard.writeText(command).then(
        () => (copy.textContent = "Copied"),
        () => getSelection()?.selectAllChildren(code),
      );
    });
    const code = element("code", {}, command);
    const address = table.address(line);
    this.body.replaceChildren(
      element("p", { class: "told-status" }, element("b", {}, `Sample ${table.sample(line)}`), `: ${table.status_of(line)}`),
      ...(why ? [element("p", { class: "why" }, why)] : []),
      ...(address ? [element("p", {}, element("a", { class: "open", href: address, target: "_blank", rel: "noopener" }, "Open its motion"))] : []),
      values,
      element("p", { class: "quiet small" }, address ? "The same on the command line:" : "Its motion, to the last bit, is that of"),
      element("div", { class: "command" }, code, copy),
      ...(address ? [] : [element("p", { class: "quiet small" }, "and “zwang view” of it shows the animation.")]),
    );
  }

  draw_list(): void {
    const { table, selection } = this;
    const shown = this.columns.slice(0, 6);
    const rows: HTMLElement[] = [];
    for (let i = 0; i < table.length && rows.length < most_rows; i++) {
      if (selection.mask[i] !== 1) continue;
      const choose = element("button", { type: "button", class: "plain", "aria-label": `Sample ${table.sample(i)}`, onclick: () => selection.choose(i) }, String(table.sample(i)));
      rows.push(element("tr", {}, element("td", {}, choose), ...shown.map(({ values, labels }) => element("td", { class: "number" }, labels ? (labels[values[i] as number] ?? "") : format(values[i] as number)))));
    }
    const head = element("tr", {}, element("th", { scope: "col" }, "sample"), ...shown.map(({ name }) => element("th", { scope: "col" }, name)));
    this.list.replaceChildren(
      rows.length === 0 ? element("p", { class: "quiet" }, "No sample lies in all brushes.") : element("table", {}, element("thead", {}, head), element("tbody", {}, ...rows)),
      ...(selection.count > rows.length && rows.length > 0 ? [element("p", { class: "quiet small" }, `and ${counted(selection.count - rows.length)} more`)] : []),
    );
  }
}
