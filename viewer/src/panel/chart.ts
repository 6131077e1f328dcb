// One chart over time: curves of one group of quantities, a line at the present instant, a click that seeks.
import uPlot from "uplot";
import type { Run } from "../data/runs";
import { element } from "../dom";
import { format, format_beside } from "../numbers";
import { css, run_colour, type Palette } from "../scene/palette";
import { axis_width, cut_of, labels, range_of } from "./scales";
import type { Quantity } from "./catalogue";

const grid_points = 900;
const most_jumps = 500;
const most_samples = 6000;
const dashes: number[][] = [[], [6, 4], [2, 3], [8, 3, 2, 3]];

const within = (value: number | null, cut: number): number | null => (value === null ? null : Math.max(-cut, Math.min(cut, value)));

// Strokes from the line of zero to the values.
const stems: uPlot.Series.PathBuilder = (plot, index, from, to) => {
  const path = new Path2D();
  const [times, values] = [plot.data[0], plot.data[index] ?? []];
  const zero = plot.valToPos(0, "y", true);
  for (let i = from; i <= to; i++) {
    const value = values[i];
    if (value === null || value === undefined) continue;
    const x = plot.valToPos(times[i] as number, "x", true);
    path.moveTo(x, zero);
    path.lineTo(x, plot.valToPos(value, "y", true));
  }
  return { stroke: path };
};

export class Chart {
  readonly root: HTMLElement;
  private readonly holder: HTMLElement;
  private plot: uPlot | undefined;
  private readonly cursor: HTMLElement;
  private readonly readings: { quantity: Quantity; run: Run; output: HTMLElement }[] = [];
  private width = 0;
  // The largest value in sight, beside which rounding errors are nothing.
  private size = 0;
  private range: [number, number];
  // Where peaks are cut off, and the words that say so.
  private cut = Infinity;
  private readonly peaks = element("span", { class: "quiet" });

  constructor(
    title: string,
    private readonly quantities: readonly Quantity[],
    private readonly runs: readonly Run[],
    private readonly palette: Palette,
    private readonly begin: number,
    private readonly end: number,
    private readonly seek: (t: number) => void,
    drop: (quantity: Quantity) => void,
  ) {
    this.range = [begin, end];
    this.cursor = element("div", { class: "now" });
    this.holder = element("div", { class: "plot", role: "img", "aria-label": `${title} over time: ${quantities.map(({ name }) => name).join(", ")}` });
    const legend = element("div", { class: "legend" });
    for (const [q, quantity] of quantities.entries())
      for (const run of this.runs_of(quantity)) {
        const swatch = element("span", { class: "swatch" });
        swatch.style.borderTopColor = this.colour(q, run);
        if (runs.length > 1 && q > 0) swatch.style.borderTopStyle = q % 2 ? "dashed" : "dotted";
        const output = element("span", { class: "number" });
        this.readings.push({ quantity, run, output });
        const remove = element("button", { type: "button", class: "drop", "aria-label": `Take ${quantity.name} off`, onclick: () => drop(quantity) }, "×");
        legend.append(element("span", { class: "entry" }, swatch, element("span", {}, runs.length > 1 && !quantity.common ? `${quantity.name}, ${run.label}` : quantity.name), output, runs.indexOf(run) === 0 && remove));
      }
    this.root = element("figure", { class: "chart" }, element("figcaption", {}, title, this.peaks), this.holder, legend);
  }

  // Draw for a width in pixels; only where that is new.
  fit(width: number): void {
    if (width < 40 || width === this.width) return;
    this.width = width;
    if (this.plot) {
      this.plot.setSize({ width, height: 156 });
      return;
    }
    this.plot = new uPlot(this.options(width), this.sample(), this.holder);
    this.plot.over.append(this.cursor);
    let down: [number, number] | undefined;
    this.plot.over.addEventListener("pointerdown", (event) => (down = [event.clientX, event.clientY]));
    this.plot.over.addEventListener("pointerup", (event) => {
      if (!this.plot || !down || Math.hypot(event.clientX - down[0], event.clientY - down[1]) > 4) return;
      this.seek(this.plot.posToVal(event.clientX - this.plot.over.getBoundingClientRect().left, "x"));
    });
  }

  // Move the line, and the numbers every so often.
  follow(t: number, with_numbers: boolean): void {
    if (this.plot) {
      const x = this.plot.valToPos(t, "x");
      const inside = x >= 0 && x <= this.plot.bbox.width / (devicePixelRatio || 1) + 1;
      this.cursor.style.display = inside ? "" : "none";
      this.cursor.style.transform = `translateX(${x.toFixed(1)}px)`;
    }
    if (with_numbers)
      for (const { quantity, run, output } of this.readings) {
        const at = Math.min(run.pieces.end, Math.max(run.pieces.begin, t));
        output.textContent = format_beside(quantity.value(run, at, false), Math.min(this.size, this.cut), 4);
      }
  }

  dispose(): void {
    this.plot?.destroy();
    this.root.remove();
  }

  // One curve for each run, or one for all together.
  private runs_of(quantity: Quantity): readonly Run[] {
    return quantity.common ? this.runs.slice(0, 1) : this.runs;
  }

  private colour(index: number, run: Run): string {
    return css(run_colour(this.palette, this.runs.length > 1 ? run.index : index));
  }

  private options(width: number): uPlot.Options {
    const ink = css(this.palette.pale);
    const grid = { stroke: css(this.palette.faint, this.palette.dark ? 0.6 : 0.5), width: 1 };
    const font = "11px system-ui, sans-serif";
    return {
      width,
      height: 156,
      padding: [8, 20, 0, 0],
      legend: { show: false },
      cursor: { y: false, points: { show: false }, drag: { x: true, y: false } },
      scales: {
        x: { time: false, range: (_, low, high) => [low ?? this.begin, high ?? this.end] },
        y: { range: (_, low, high) => range_of(within(low, this.cut), within(high, this.cut), this.quantities.some(({ instants }) => instants)) },
      },
      axes: [
        { stroke: ink, grid, ticks: { show: false }, font, size: 26, values: labels },
        { stroke: ink, grid, ticks: { show: false }, font, size: (plot, shown) => axis_width(plot.ctx, font, shown), values: labels },
      ],
      series: [
        {},
        ...this.quantities.flatMap((quantity, q) =>
          this.runs_of(quantity).map((run) => ({
            stroke: this.colour(q, run),
            width: 1.4,
            dash: this.runs.length > 1 ? dashes[q % dashes.length] : undefined,
            points: { show: quantity.instants !== undefined, size: 5, fill: this.colour(q, run) },
            paths: quantity.instants ? stems : undefined,
            spanGaps: false,
          })),
        ),
      ],
      hooks: { setScale: [(plot, key) => this.rescaled(plot, key)] },
    };
  }

  // After zooming the curves are sampled anew over what is in sight.
  private rescaled(plot: uPlot, key: string): void {
    const { min, max } = plot.scales["x"] ?? {};
    if (key !== "x" || typeof min !== "number" || typeof max !== "number") return;
    if (min === this.range[0] && max === this.range[1]) return;
    if (!this.plot) return;
    this.range = [min, max];
    plot.setData(this.sample(), false);
    plot.redraw(true, true);
  }

  private sample(): uPlot.AlignedData {
    const [from, to] = this.range;
    const times = this.instants(from, to);
    const columns: number[][] = [times.map(({ t }) => t)];
    for (const quantity of this.quantities)
      for (const run of this.runs_of(quantity)) {
        const single = quantity.instants && new Map(this.seen(quantity, run, from, to).map(({ t, value }) => [t, value]));
        columns.push(
          times.map(({ t, before }) => {
            if (single && (before || !single.has(t))) return null as unknown as number;
            if (t < run.pieces.begin || t > run.pieces.end) return null as unknown as number;
            const value = single ? (single.get(t) as number) : quantity.value(run, t, before);
            if (Number.isFinite(value)) this.size = Math.max(this.size, Math.abs(value));
            return Number.isFinite(value) ? value : (null as unknown as number);
          }),
        );
      }
    this.cut = this.quantities.every(({ group }) => group === "multipliers") ? cut_of(columns.slice(1)) : Infinity;
    this.peaks.textContent = Number.isFinite(this.cut) ? `: peaks reach ${format(this.size, 2)}` : "";
    return columns as unknown as uPlot.AlignedData;
  }

  // What exists at single instants, of many in one place the largest.
  private seen(quantity: Quantity, run: Run, from: number, to: number): { t: number; value: number }[] {
    const all = quantity.instants?.(run, from, to) ?? [];
    if (all.length <= most_jumps) return all;
    const largest: ({ t: number; value: number } | undefined)[] = [];
    for (const one of all) {
      const place = Math.floor((most_jumps * (one.t - from)) / Math.max(to - from, 1e-300));
      const other = largest[place];
      if (!other || Math.abs(one.value) > Math.abs(other.value)) largest[place] = one;
    }
    return largest.filter((one) => one !== undefined);
  }

  // Evenly spaced instants, those of the samples where they are few, and both sides of every jump where they are not too many.
  private instants(from: number, to: number): { t: number; before: boolean }[] {
    const list: { t: number; before: boolean }[] = [];
    const continuous = this.quantities.some(({ instants }) => !instants);
    for (let i = 0; i <= grid_points; i += continuous ? 1 : grid_points) list.push({ t: from + ((to - from) * i) / grid_points, before: false });
    for (const run of this.runs) {
      for (const quantity of this.quantities) if (quantity.instants) for (const { t } of this.seen(quantity, run, from, to)) list.push({ t, before: false });
      if (!continuous) continue;
      const { events, channels } = run;
      const first = events.first_at(from);
      const last = events.first_at(to);
      const stride = Math.max(1, Math.ceil((last - first) / most_jumps));
      for (let e = first; e < last; e += stride) {
        const t = events.times[e] as number;
        list.push({ t, before: true }, { t, before: false });
      }
      if (this.quantities.some(({ sampled }) => sampled) && channels.times.length <= most_samples)
        for (const t of channels.times) if (t >= from && t <= to) list.push({ t, before: false });
    }
    list.sort((a, b) => a.t - b.t || Number(b.before) - Number(a.before));

    // One of each; "before" stands first of its instant.
    return list.filter(({ t, before }, i) => i === 0 || t !== (list[i - 1] as { t: number }).t || before !== (list[i - 1] as { before: boolean }).before);
  }
}
