// The panel of charts: one per group of chosen quantities, and the list to choose from.
import type { Data } from "../data/read";
import type { Run } from "../data/runs";
import { element } from "../dom";
import type { Palette } from "../scene/palette";
import { first_choice, groups, make_catalogue, type Quantity } from "./catalogue";
import { Chart } from "./chart";

const most_listed = 150;
const most_curves = 12;

export class Plots {
  readonly root: HTMLElement;
  private readonly charts_box: HTMLElement;
  private readonly choices: HTMLElement;
  private readonly search: HTMLInputElement;
  private catalogue: Quantity[];
  private chosen: Set<string>;
  private charts: Chart[] = [];
  private counter = 0;
  private in_sight = true;
  private touched = false;

  constructor(
    data: Data,
    private runs: readonly Run[],
    private readonly visible: () => boolean[],
    private palette: Palette,
    private begin: number,
    private end: number,
    private readonly seek: (t: number) => void,
    wake: () => void,
  ) {
    this.catalogue = make_catalogue(data, runs);
    this.chosen = new Set(first_choice(data.header, this.catalogue, runs));
    this.charts_box = element("div", { class: "charts" });
    this.choices = element("div", { class: "choices", role: "group", "aria-label": "Quantities to plot" });
    this.search = element("input", { type: "search" });
    this.search.addEventListener("input", () => this.list());
    const chooser = element("details", { class: "chooser" }, element("summary", {}, "Choose what to plot"), element("label", { class: "search" }, `Search ${this.catalogue.length} quantities`, this.search), this.choices);
    chooser.addEventListener("toggle", () => this.list());
    this.root = element("div", { class: "plots" }, chooser, this.charts_box, element("p", { class: "quiet" }, "Click in a chart to go there; drag to zoom, double-click to see all."));
    new ResizeObserver(() => this.fit()).observe(this.charts_box);

    // Asking for the layout in every frame would cost more than the drawing.
    new IntersectionObserver((entries) => {
      this.in_sight = entries.some(({ isIntersecting }) => isIntersecting);
      this.refresh();
      wake();
    }).observe(this.charts_box);
    this.rebuild();
  }

  // Another motion: what was chosen stays chosen where it still exists.
  replace(data: Data, runs: readonly Run[], begin: number, end: number): void {
    this.runs = runs;
    this.begin = begin;
    this.end = end;
    this.catalogue = make_catalogue(data, runs);
    // As long as nobody has chosen, the best choice for what there is now.
    const kept = this.touched ? [...this.chosen].filter((key) => this.catalogue.some((quantity) => quantity.key === key)) : [];
    this.chosen = new Set(kept.length > 0 ? kept : first_choice(data.header, this.catalogue, runs));
    this.rebuild();
    this.list();
  }

  set_palette(palette: Palette): void {
    this.palette = palette;
    this.rebuild();
  }

  // Charts of what is chosen, for the runs in sight.
  rebuild(): void {
    for (const chart of this.charts) chart.dispose();
    const visible = this.visible();
    const runs = this.runs.filter((_, r) => visible[r]);
    this.charts = [];
    // Where no time passes there is nothing over time.
    const ends_at_once = !(this.end > this.begin);
    this.charts_box.replaceChildren(...(ends_at_once ? [element("p", { class: "quiet" }, "The motion ends where it begins: there is nothing to plot. The summary says why.")] : []));
    if (ends_at_once) return;
    for (const [group, title] of groups) {
      const quantities = this.catalogue.filter((quantity) => quantity.group === group && this.chosen.has(quantity.key));
      if (quantities.length === 0 || runs.length === 0) continue;
      const chart = new Chart(title, quantities, runs, this.palette, this.begin, this.end, this.seek, (quantity) => {
        this.touched = true;
        this.chosen.delete(quantity.key);
        this.rebuild();
        this.list();
      });
      this.charts.push(chart);
      this.charts_box.append(chart.root);
    }
    this.fit();
  }

  fit(): void {
    const width = Math.floor(this.charts_box.clientWidth);
    for (const chart of this.charts) chart.fit(width);
    this.counter = 0;
  }

  follow(t: number): void {
    if (!this.in_sight) return;
    const with_numbers = this.counter++ % 6 === 0;
    for (const chart of this.charts) chart.follow(t, with_numbers);
  }
  // The numbers too, at the next occasion.
  refresh(): void {
    this.counter = 0;
  }

  private list(): void {
    const words = this.search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const found = this.catalogue.filter(({ key, name }) => words.every((word) => key.toLowerCase().includes(word) || name.toLowerCase().includes(word)));
    const parts: HTMLElement[] = [];
    let shown = 0;
    for (const [group, title] of groups) {
      const of_group = found.filter((quantity) => quantity.group === group);
      if (of_group.length === 0) continue;
      const listed = of_group.slice(0, Math.max(8, most_listed - shown));
      shown += listed.length;
      parts.push(element("h4", {}, title), ...listed.map((quantity) => this.choice(quantity)));
      if (of_group.length > listed.length) parts.push(element("p", { class: "quiet" }, `${of_group.length - listed.length} more: search for them`));
    }
    if (parts.length === 0) parts.push(element("p", { class: "quiet" }, "Nothing has that name."));
    this.choices.replaceChildren(...parts);
  }

  private choice(quantity: Quantity): HTMLElement {
    const box = element("input", { type: "checkbox", checked: this.chosen.has(quantity.key) });
    box.addEventListener("change", () => {
      if (box.checked && [...this.chosen].filter((key) => key.startsWith(`${quantity.group}:`)).length >= most_curves) {
        box.checked = false;
        return;
      }
      this.touched = true;
      if (box.checked) this.chosen.add(quantity.key);
      else this.chosen.delete(quantity.key);
      this.rebuild();
    });
    return element("label", {}, box, quantity.name);
  }
}
