// How often the values of a column are: all samples pale, the selected ones over them. Two grips and two fields make the brush.
import { element } from "../dom";
import { counted, format } from "../numbers";
import { first_from } from "./colours";
import { css_colour, Plot, shape } from "./plot";
import type { Selection } from "./selection";
import { type Column, Scale, type Table } from "./table";

const most_bars = 48;
const least_seen = 0.05; // of the height of the chart
const key_step = 0.01; // of the range, of one press of an arrow key

export class Histogram {
  readonly root: HTMLElement;
  private readonly plot: Plot;
  private readonly scale: Scale;
  private readonly bins: Uint16Array;
  private readonly bars: number;
  private readonly all: Uint32Array;
  private readonly grips: [HTMLElement, HTMLElement];
  private readonly fields: [HTMLInputElement, HTMLInputElement];
  private readonly said = element("p", { class: "quiet small" });

  constructor(
    private readonly column: Column,
    table: Table,
    private readonly selection: Selection,
  ) {
    // A bar for every name, for every value of a coarse grid, for equally many values of a fine one; equal parts of the range otherwise.
    const { levels, labels, grid } = column;
    const together = levels ? Math.ceil(levels.length / most_bars) : 1;
    this.bars = labels ? labels.length : grid && levels ? Math.ceil(levels.length / together) : most_bars;
    const tile = grid && levels ? (grid.high - grid.low) / levels.length : 0;
    this.scale = grid ? new Scale(grid.low, grid.low + this.bars * together * tile) : column;
    this.bins = new Uint16Array(table.length);
    this.all = new Uint32Array(this.bars);
    for (let i = 0; i < table.length; i++) {
      const value = column.values[i] as number;
      const bin = !Number.isFinite(value) ? this.bars : labels ? value : grid && levels ? Math.floor(first_from(levels, value) / together) : Math.min(this.bars - 1, Math.floor(column.share(value) * this.bars));
      this.bins[i] = bin;
      if (bin < this.bars) this.all[bin]!++;
    }
    this.plot = new Plot(`How often: ${column.name}`, { left: 10, right: 10, top: 8, bottom: 22 }, () => this.draw());
    this.plot.root.classList.add("low");
    this.grips = [this.grip(0), this.grip(1)];
    this.plot.root.append(...this.grips);
    this.fields = [this.field(0), this.field(1)];
    this.plot.hand(this.plot.svg, {
      drag: (from, to) => selection.set([column, [this.scale.at(from[0]), this.scale.at(to[0])]]),
      click: () => selection.set([column, undefined]),
    });
    this.root = element("section", { class: "card histogram", "aria-label": column.name }, element("h3", {}, column.name), this.plot.root, element("div", { class: "ends" }, this.fields[0], "to", this.fields[1]), this.said);
    if (column.finite < table.length) this.said.textContent = `${counted(table.length - column.finite)} have no value`;
  }

  private ends(): [number, number] {
    const brush = this.selection.of(this.column);
    return brush ? [...brush] : [this.column.low, this.column.high];
  }
  private put(end: 0 | 1, value: number): void {
    const ends = this.ends();
    ends[end] = value;
    if (ends[0] > ends[1]) ends[1 - end] = value;
    const whole = ends[0] <= this.column.low && ends[1] >= this.column.high;
    this.selection.set([this.column, whole ? undefined : ends]);
  }

  private grip(end: 0 | 1): HTMLElement {
    const { column } = this;
    const name = `${column.name}, ${end === 0 ? "lower" : "upper"} end of the brush`;
    const made = element("div", { class: "grip", role: "slider", tabindex: 0, "aria-label": name, "aria-orientation": "horizontal" });
    made.addEventListener("keydown", (event) => {
      const steps: Record<string, number> = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageDown: -10, PageUp: 10 };
      const step = steps[event.key];
      if (step !== undefined) this.put(end, this.moved(this.ends()[end], step));
      else if (event.key === "Home") this.put(end, column.low);
      else if (event.key === "End") this.put(end, column.high);
      else if (event.key === "Delete" || event.key === "Backspace") this.selection.set([column, undefined]);
      else return;
      event.preventDefault();
    });
    made.addEventListener("pointerdown", (event) => {
      made.setPointerCapture(event.pointerId);
      event.stopPropagation();
    });
    made.addEventListener("pointermove", (event) => {
      if (!made.hasPointerCapture(event.pointerId)) return;
      const { left, width } = this.plot.frame;
      this.put(end, this.scale.at((event.clientX - this.plot.root.getBoundingClientRect().left - left) / width));
    });
    return made;
  }
  // Steps go from value to value of a grid, else over equal parts of the range.
  private moved(value: number, steps: number): number {
    const { levels, labels, low, high } = this.column;
    if (labels) return Math.min(high, Math.max(low, value + Math.sign(steps)));
    if (levels && levels.length > 1) {
      const at = first_from(levels, value);
      const next = steps < 0 ? at + steps : (levels[at] === value ? at : at - 1) + steps;
      return levels[Math.min(levels.length - 1, Math.max(0, next))] as number;
    }
    return Math.min(high, Math.max(low, value + steps * key_step * (high - low)));
  }

  private field(end: 0 | 1): HTMLInputElement {
    const { column } = this;
    const made = element("input", { type: "text", inputmode: "decimal", class: "number", "aria-label": `${column.name} ${end === 0 ? "from" : "to"}` });
    made.addEventListener("change", () => {
      const value = Number(made.value.replace("−", "-").replace(",", "."));
      if (made.value.trim() === "") this.put(end, end === 0 ? column.low : column.high);
      else if (Number.isFinite(value)) this.put(end, value);
      else this.draw();
    });
    return made;
  }

  draw(): void {
    const { plot, column, selection, bins, bars, all } = this;
    const brush = selection.of(column);
    this.fields.forEach((field, end) => {
      if (document.activeElement !== field) field.value = brush ? String(brush[end]) : "";
      field.placeholder = format(end === 0 ? column.low : column.high);
      field.hidden = column.labels !== undefined;
    });
    (this.fields[0].parentElement as HTMLElement).hidden = column.labels !== undefined;
    if (!plot.ready) return;
    const { left, top, width, height } = plot.frame;
    const counts = new Uint32Array(bars + 1);
    for (let i = 0; i < bins.length; i++) if (selection.mask[i] === 1) counts[bins[i] as number]!++;
    // The selected are to be seen, even beside a bar that holds nearly all samples.
    const [every, chosen] = [Math.max(1, ...all), Math.max(0, ...counts.subarray(0, bars))];
    const most = chosen > 0 && chosen < least_seen * every ? chosen : every;
    const { context } = plot;
    context.setTransform(plot.ratio, 0, 0, plot.ratio, 0, 0);
    context.clearRect(0, 0, left + width + 20, top + height + 40);
    const bar = width / bars;
    const gap = bar > 5 ? 1 : 0;
    for (const [shown, colour] of [[all, css_colour("--bar")], [counts, css_colour("--accent")]] as const) {
      context.fillStyle = colour;
      for (let k = 0; k < bars; k++) {
        const tall = Math.min(1, (shown[k] as number) / most) * height;
        if (tall > 0) context.fillRect(left + k * bar, top + height - Math.max(1, tall), bar - gap, Math.max(1, tall));
      }
    }
    const marks = plot.axes(this.scale, undefined);
    const ends = this.ends();
    const at = ends.map((end) => left + Math.min(1, Math.max(0, this.scale.share(end))) * width) as [number, number];
    if (brush) marks.push(shape("rect", { class: "brush", x: at[0], y: top, width: Math.max(1, at[1] - at[0]), height }));
    plot.svg.replaceChildren(...marks);
    this.grips.forEach((grip, end) => {
      grip.style.left = `${at[end]}px`;
      grip.setAttribute("aria-valuemin", String(column.low));
      grip.setAttribute("aria-valuemax", String(column.high));
      grip.setAttribute("aria-valuenow", String(Math.min(column.high, Math.max(column.low, ends[end] as number))));
      grip.setAttribute("aria-valuetext", column.labels ? (column.labels[Math.round(ends[end] as number)] ?? "") : format(ends[end], 8));
      grip.hidden = !column.varies;
      // Where there is no brush yet, a drag from the edge begins one.
      grip.style.pointerEvents = brush ? "auto" : "none";
    });
  }
}
