// The page of a sweep: every chart shows the same selection, every brush changes it.
import { Theme } from "../controls/theme";
import { element, icon_button } from "../dom";
import { counted, format } from "../numbers";
import { Colours, scale_css } from "./colours";
import { Histogram } from "./histogram";
import { Parallel } from "./parallel";
import { Plane } from "./plane";
import { SampleCard } from "./sample";
import { Selection } from "./selection";
import type { Column, Table } from "./table";

const most_shown = 8; // columns, until the reader asks for more

export class SweepPage {
  readonly selection: Selection;
  readonly parallel: Parallel | undefined;
  private shown: Column[];
  private colours: Colours;
  private readonly planes: Plane[] = [];
  private readonly histograms = new Map<number, Histogram>();
  private readonly card: SampleCard;
  private readonly charts = element("div", { class: "histograms" });
  private readonly said = element("p", { class: "selected", role: "status" });
  private readonly clear = element("button", { type: "button", class: "plain clear", title: "Clear all brushes (Escape)", onclick: () => this.selection.clear() }, "Clear brushes");
  private readonly legend = element("div", { class: "legend" });
  private frame = 0;

  constructor(
    root: HTMLElement,
    readonly table: Table,
    options: URLSearchParams,
  ) {
    this.selection = new Selection(table);
    const { columns, header } = table;
    const parameters = columns.filter(({ role }) => role === "parameter");
    const records = columns.filter(({ role }) => role === "record");
    const account = columns.filter(({ role }) => role === "account");
    const own = [...parameters, ...(records.length > 0 ? records : account), ...columns.filter(({ role }) => role === "status")];
    this.shown = own.filter(({ finite }) => finite > 0).slice(0, most_shown);
    const varying = columns.filter(({ varies, role }) => varies && role !== "status");
    const coloured = records.find(({ varies }) => varies) ?? account.find(({ varies }) => varies) ?? varying[0] ?? (columns[0] as Column);
    this.colours = new Colours(coloured, false);
    this.card = new SampleCard(table, this.selection, this.shown);
    const open = (line: number): void => this.card.open(line);

    // Head: what was swept, how it ended, how much is selected.
    const theme = new Theme(options.get("theme"), () => this.draw_all());
    const title = header.title || header.file;
    document.title = title;
    const ended = header.statuses.map(({ name, count }) => `${counted(count)} ${name}`).join(", ");
    const part = table.length < header.done ? ` The page holds ${counted(table.length)} of them, chosen evenly.` : "";
    const head = element(
      "header",
      {},
      element("div", {}, element("h1", {}, title), element("p", { class: "quiet" }, `${counted(header.done)}${header.done < header.total ? ` of ${counted(header.total)}` : ""} samples: ${ended}.${part}`), element("p", { class: "quiet over" }, ...header.over.flatMap((text) => [element("code", {}, text), " "]))),
      icon_button("theme", "Light or dark", undefined, () => theme.toggle()),
    );
    const choose_colour = this.chooser("Colour", columns.filter(({ finite, role }) => finite > 0 && role !== "status"), coloured, (column) => this.recolour(column, this.colours.by_rank));
    const rank = element("input", { type: "checkbox", onchange: () => this.recolour(this.colours.column, rank.checked) });
    const bar = element("div", { class: "bar" }, this.said, this.clear, element("span", { class: "space" }), choose_colour, element("label", { class: "rank", title: "Every colour for equally many samples" }, rank, "by rank"), this.legend);

    // Charts.
    const parts: HTMLElement[] = [];
    const choices = element("details", { class: "choices" }, element("summary", {}, "Columns"), element("div", {}, ...columns.filter(({ finite }) => finite > 0).map((column) => this.choice(column))));
    if (table.length > 0) {
      this.parallel = new Parallel(table, this.selection, this.shown, this.colours, open);
      parts.push(element("section", { class: "card across", "aria-label": "Parallel coordinates" }, element("div", { class: "heading" }, element("h2", {}, "All columns side by side"), choices), element("p", { class: "quiet small" }, "Drag along an axis to brush it; click a line for its sample."), this.parallel.root));
    }
    if (varying.length >= 2) {
      const [px, py] = [parameters.find(({ varies }) => varies) ?? (varying[0] as Column), undefined];
      const y = coloured !== px ? coloured : (varying.find((one) => one !== px) as Column);
      parts.push(this.plane_card("cloud", "One against another", varying, px, py ?? y, open));
      const free = parameters.filter(({ varies }) => varies);
      if (free.length >= 2) parts.push(this.plane_card("map", "Over two parameters", varying, free[0] as Column, free[1] as Column, open));
    }
    parts.push(this.card.root, this.card.others);
    root.replaceChildren(head, bar, element("div", { class: "cards" }, ...parts), element("h2", { class: "often" }, "How often"), this.charts);
    this.lay_histograms();

    this.selection.follow((what) => {
      cancelAnimationFrame(this.frame);
      this.frame = requestAnimationFrame(() => this.draw_all());
      if (what === "chosen") this.card.draw();
      this.say();
    });
    document.addEventListener("keydown", (event) => {
      if (event.key === "Escape") this.selection.clear();
    });
    this.card.draw();
    this.say();
    this.draw_all();
  }

  private say(): void {
    const { selection, table } = this;
    this.said.textContent = `${counted(selection.count)} of ${counted(table.length)} samples`;
    this.clear.disabled = selection.brushes.size === 0;
  }

  private chooser(label: string, columns: readonly Column[], chosen: Column, act: (column: Column) => void): HTMLElement {
    const made = element("select", { "aria-label": label }, ...columns.map((column) => element("option", { value: column.index, selected: column === chosen }, column.name)));
    made.addEventListener("change", () => act(this.table.columns[Number(made.value)] as Column));
    return element("label", { class: "chooser" }, element("span", { class: "quiet" }, label), made);
  }

  private plane_card(kind: "cloud" | "map", title: string, columns: readonly Column[], x: Column, y: Column, open: (line: number) => void): HTMLElement {
    const plane = new Plane(kind, this.table, this.selection, x, y, this.colours, open);
    this.planes.push(plane);
    return element(
      "section",
      { class: "card", "aria-label": title },
      element("div", { class: "heading" }, element("h2", {}, title), this.chooser("across", columns, x, (column) => plane.show(column, plane.y, this.colours)), this.chooser("up", columns, y, (column) => plane.show(plane.x, column, this.colours))),
      plane.root,
    );
  }

  // Which columns are shown.
  private choice(column: Column): HTMLElement {
    const box = element("input", { type: "checkbox", checked: this.shown.includes(column) });
    box.addEventListener("change", () => {
      this.shown = this.table.columns.filter((one) => (one === column ? box.checked : this.shown.includes(one)));
      if (!box.checked) this.selection.set([column, undefined]);
      this.lay_histograms();
      this.parallel?.show(this.shown, this.colours);
      this.card.show(this.shown);
      this.draw_all();
    });
    return element("label", {}, box, column.name);
  }
  private lay_histograms(): void {
    for (const column of this.shown) if (!this.histograms.has(column.index)) this.histograms.set(column.index, new Histogram(column, this.table, this.selection));
    this.charts.replaceChildren(...this.shown.map(({ index }) => (this.histograms.get(index) as Histogram).root));
  }

  private recolour(column: Column, by_rank: boolean): void {
    this.colours = new Colours(column, by_rank);
    this.parallel?.show(this.shown, this.colours);
    for (const plane of this.planes) plane.show(plane.x, plane.y, this.colours);
    this.draw_legend();
  }
  private draw_legend(): void {
    const { colours } = this;
    const strip = element("canvas", { width: scale_css.length, height: 1, "aria-hidden": "true" });
    const context = strip.getContext("2d") as CanvasRenderingContext2D;
    scale_css.forEach((colour, k) => {
      context.fillStyle = colour;
      context.fillRect(k, 0, 1, 1);
    });
    this.legend.replaceChildren(element("span", { class: "number" }, format(colours.value(0), 4)), strip, element("span", { class: "number" }, format(colours.value(1), 4)));
  }

  private draw_all(): void {
    const begun = performance.now();
    this.draw_legend();
    this.parallel?.draw();
    for (const plane of this.planes) plane.draw();
    for (const { index } of this.shown) this.histograms.get(index)?.draw();
    this.card.draw_list();
    this.drawn++;
    this.milliseconds = performance.now() - begun;
  }
  // How often everything was drawn, and how long the last time took, for tests.
  drawn = 0;
  milliseconds = NaN;
}
