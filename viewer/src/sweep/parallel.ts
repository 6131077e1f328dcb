// Parallel coordinates: one axis per column, one line per sample. Lines come a few milliseconds at a time, in an order that is fair from the first, so that a
// brush never waits for them.
import { element } from "../dom";
import { counted } from "../numbers";
import { type Colours, scale_css } from "./colours";
import { css_colour, Plot, shape, ticks_of } from "./plot";
import type { Selection } from "./selection";
import type { Column, Table } from "./table";

export const most_lines = 20000;
const most_pale = 3000; // of those that are not selected
const slice = 7; // milliseconds of drawing per frame
const strip = 15; // pixels to each side of an axis that belong to its brush

// A stride that visits every line once, far from the last one each time.
export function fair_stride(count: number): number {
  const common = (a: number, b: number): number => (b === 0 ? a : common(b, a % b));
  let stride = Math.max(1, Math.round(count * 0.6180339887));
  while (common(stride, count) !== 1) stride++;
  return stride;
}

export class Parallel {
  readonly root: HTMLElement;
  private readonly plot: Plot;
  private readonly lines_told = element("p", { class: "quiet small" });
  private readonly stride: number;
  private going = 0;
  private frame = 0;

  constructor(
    private readonly table: Table,
    private readonly selection: Selection,
    private columns: readonly Column[],
    private colours: Colours,
    open: (line: number) => void,
  ) {
    this.stride = fair_stride(table.length);
    this.plot = new Plot("", { left: 46, right: 46, top: 30, bottom: 18 }, () => this.draw());
    this.plot.root.classList.add("wide");

    // A drag near an axis brushes its column; a click elsewhere finds the line below it.
    let held: Column | undefined;
    this.plot.svg.addEventListener("pointerdown", (event) => {
      const { left, width } = this.plot.frame;
      const place = event.clientX - this.plot.svg.getBoundingClientRect().left;
      held = this.columns.find((_, k) => Math.abs(left + this.across(k) * width - place) <= strip);
    });
    this.plot.hand(this.plot.svg, {
      drag: (from, to) => {
        if (held?.varies) selection.set([held, [held.at(from[1]), held.at(to[1])]]);
      },
      click: (at) => {
        if (held && selection.of(held)) return selection.set([held, undefined]);
        const line = this.nearest(at);
        if (line !== undefined) selection.choose(line);
      },
    });
    this.plot.svg.addEventListener("dblclick", () => {
      if (selection.chosen !== undefined) open(selection.chosen);
    });
    this.root = element("div", {}, element("div", { class: "scroller", tabindex: 0, role: "region", "aria-label": "Axes of the columns" }, this.plot.root), this.lines_told);
  }

  show(columns: readonly Column[], colours: Colours): void {
    [this.columns, this.colours] = [columns, colours];
    this.draw();
  }

  private across(k: number): number {
    return this.columns.length > 1 ? k / (this.columns.length - 1) : 0.5;
  }

  // The selected sample whose line passes next to a place.
  private nearest([across, up]: [number, number]): number | undefined {
    const place = across * (this.columns.length - 1);
    const k = Math.min(this.columns.length - 2, Math.max(0, Math.floor(place)));
    const [a, b] = [this.columns[k], this.columns[k + 1] ?? this.columns[k]];
    if (!a || !b) return undefined;
    const part = Math.min(1, Math.max(0, place - k));
    let [best, found] = [0.05, undefined as number | undefined];
    for (let i = 0; i < this.table.length; i++) {
      if (this.selection.mask[i] !== 1) continue;
      const far = Math.abs((1 - part) * a.share(a.values[i] as number) + part * b.share(b.values[i] as number) - up);
      if (far < best) [best, found] = [far, i];
    }
    return found;
  }

  draw(): void {
    const { plot, columns, selection, table } = this;
    plot.name = `Parallel coordinates of ${columns.map(({ name }) => name).join(", ")}`;
    plot.root.style.minWidth = `${Math.max(280, columns.length * 74)}px`;
    cancelAnimationFrame(this.frame);
    if (!plot.ready) return;
    this.draw_axes();

    // What is not selected first, pale; then the selected, coloured.
    const { context, ratio } = plot;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, plot.canvas.width / ratio, plot.canvas.height / ratio);
    const shown = Math.min(selection.count, most_lines);
    this.lines_told.textContent = shown < selection.count ? `${counted(shown)} of ${counted(selection.count)} lines are drawn` : "";
    const going = ++this.going;
    let pass = selection.count < table.length ? 0 : 1;
    let [at, visited, drawn] = [0, 0, 0];
    context.lineWidth = 1;
    const alpha = Math.min(0.8, Math.max(0.05, 450 / Math.max(1, shown)));
    const pale = css_colour("--bar");
    const plain = css_colour("--pale");
    const step = (): void => {
      if (going !== this.going) return;
      const end = performance.now() + slice;
      let since = 0;
      for (; pass < 2; pass++, at = visited = drawn = 0) {
        const most = pass === 0 ? most_pale : most_lines;
        context.globalAlpha = pass === 0 ? 0.5 : alpha;
        while (visited < table.length && drawn < most) {
          if (++since > 64 && performance.now() > end) {
            this.frame = requestAnimationFrame(step);
            return;
          }
          if (since > 64) since = 0;
          if (selection.mask[at] === pass) {
            this.stroke(context, at, pass === 0 ? pale : plain, pass);
            drawn++;
          }
          visited++;
          at = (at + this.stride) % table.length;
        }
      }
      this.going_on = false;
    };
    this.going_on = true;
    step();
  }
  // Are lines still on their way?
  going_on = false;

  private stroke(context: CanvasRenderingContext2D, line: number, colour: string, pass: number): void {
    const { left, top, width, height } = this.plot.frame;
    const shade = pass === 1 ? (this.colours.shades[line] as number) : -1;
    context.strokeStyle = shade >= 0 ? (scale_css[shade] as string) : colour;
    context.beginPath();
    let pen = false;
    for (let k = 0; k < this.columns.length; k++) {
      const column = this.columns[k] as Column;
      const share = column.share(column.values[line] as number);
      if (!Number.isFinite(share)) {
        pen = false;
        continue;
      }
      const [px, py] = [left + this.across(k) * width, top + (1 - share) * height];
      if (pen) context.lineTo(px, py);
      else context.moveTo(px, py);
      pen = true;
    }
    context.stroke();
  }

  private draw_axes(): void {
    const { plot, columns, selection } = this;
    const { left, top, width, height } = plot.frame;
    const marks: SVGElement[] = [];
    columns.forEach((column, k) => {
      const x = left + this.across(k) * width;
      const last = k > 0 && k === columns.length - 1;
      const group = shape("g", { class: "strand" });
      group.append(shape("path", { class: "axis strong", d: `M${x} ${top}v${height}` }), shape("rect", { class: "grab", x: x - strip, y: top - 8, width: 2 * strip, height: height + 16 }));
      for (const { value, text } of ticks_of(column, 5)) {
        const y = top + (1 - column.share(value)) * height;
        group.append(shape("path", { class: "axis", d: `M${x - 3} ${y}h6` }), shape("text", { class: "halo", x: last ? x - 6 : x + 6, y: y + 4, "text-anchor": last ? "end" : "start" }, text));
      }
      const name = column.name.length > 20 ? `${column.name.slice(0, 19)}…` : column.name;
      // Long names at the ends stay within the chart.
      const long = name.length > 12;
      const [at, anchor] = long && k === 0 ? [6, "start"] : long && last ? [left + width + 40, "end"] : [x, "middle"];
      group.append(shape("text", { class: "named", x: at, y: 16, "text-anchor": anchor }, name, shape("title", {}, column.name)));
      const brush = selection.of(column);
      if (brush) {
        const [y0, y1] = brush.map((end) => top + (1 - Math.min(1, Math.max(0, column.share(end)))) * height) as [number, number];
        group.append(shape("rect", { class: "brush", x: x - 7, y: y1, width: 14, height: Math.max(2, y0 - y1) }));
      }
      marks.push(group);
    });
    const { chosen } = selection;
    if (chosen !== undefined) {
      let path = "";
      let pen = false;
      columns.forEach((column, k) => {
        const share = column.share(column.values[chosen] as number);
        if (!Number.isFinite(share)) pen = false;
        else {
          path += `${pen ? "L" : "M"}${left + this.across(k) * width} ${top + (1 - share) * height}`;
          pen = true;
        }
      });
      marks.push(shape("path", { class: "chosen", d: path }));
    }
    plot.svg.replaceChildren(...marks);
  }
}
