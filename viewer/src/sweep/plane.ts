// Two columns against each other: a cloud of dots, or a map of means over tiles. A rectangle drawn on either brushes both columns.
import { element } from "../dom";
import { counted, format } from "../numbers";
import { type Colours, first_from, scale_packed } from "./colours";
import { Dots, packed_colour, Plot, shape } from "./plot";
import type { Selection } from "./selection";
import type { Column, Scale, Table } from "./table";

const near = 24; // pixels within which a click finds a sample
const most_tiles = 160; // along a side, where there is no grid

// Tiles of a column: one per value of a grid, else equal parts.
function tiles_of(column: Column, lines: number): { count: number; of: (value: number) => number } {
  const { grid, levels } = column;
  if (grid && levels) return { count: levels.length, of: (value) => first_from(levels, value) };
  const count = Math.max(2, Math.min(most_tiles, Math.round(Math.sqrt(lines / 3))));
  return { count, of: (value) => Math.min(count - 1, Math.floor(column.share(value) * count)) };
}

export class Plane {
  readonly root: HTMLElement;
  private readonly plot: Plot;
  private readonly picture = document.createElement("canvas");
  private tiles: { x: number; y: number; of: Int32Array } | undefined;
  private readonly told = element("p", { class: "quiet small" });

  constructor(
    readonly kind: "cloud" | "map",
    private readonly table: Table,
    private readonly selection: Selection,
    public x: Column,
    public y: Column,
    private colours: Colours,
    open: (line: number) => void,
  ) {
    this.plot = new Plot("", { left: 62, right: 12, top: 10, bottom: 40 }, () => this.draw());
    this.plot.root.classList.add("square");
    this.plot.hand(this.plot.svg, {
      drag: (from, to) => {
        const [sx, sy] = [this.scale(this.x), this.scale(this.y)];
        selection.set([this.x, [sx.at(from[0]), sx.at(to[0])]], [this.y, [sy.at(from[1]), sy.at(to[1])]]);
      },
      click: (at) => {
        const line = this.nearest(at);
        if (line !== undefined) selection.choose(line);
      },
    });
    this.plot.svg.addEventListener("dblclick", () => {
      if (selection.chosen !== undefined) open(selection.chosen);
    });
    this.root = element("div", {}, this.plot.root, this.told);
  }

  show(x: Column, y: Column, colours: Colours): void {
    if (x !== this.x || y !== this.y) this.tiles = this.places = undefined;
    [this.x, this.y, this.colours] = [x, y, colours];
    this.draw();
  }

  // The selected sample next to a place, in pixels of the picture.
  private nearest(at: [number, number]): number | undefined {
    const { x, y, selection } = this;
    const { width, height } = this.plot.frame;
    const [sx, sy] = [this.scale(x), this.scale(y)];
    let [best, found] = [this.kind === "map" ? Infinity : near ** 2, undefined as number | undefined];
    for (let i = 0; i < this.table.length; i++) {
      if (selection.mask[i] !== 1) continue;
      const square = ((sx.share(x.values[i] as number) - at[0]) * width) ** 2 + ((sy.share(y.values[i] as number) - at[1]) * height) ** 2;
      if (square < best) [best, found] = [square, i];
    }
    return found;
  }
  // A map shows every value of a grid as a tile.
  private scale(column: Column): Scale {
    return this.kind === "map" ? (column.grid ?? column) : column;
  }

  draw(): void {
    const { plot, x, y } = this;
    plot.name = this.kind === "map" ? `Map: mean of ${this.colours.column.name} over ${x.name} and ${y.name}` : `Cloud: ${y.name} against ${x.name}, coloured by ${this.colours.column.name}`;
    if (!plot.ready) return;
    const { left, top, width, height } = plot.frame;
    const { context, ratio } = plot;
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.clearRect(0, 0, plot.canvas.width, plot.canvas.height);
    if (this.kind === "map") this.draw_tiles(context, [left * ratio, top * ratio, width * ratio, height * ratio]);
    else this.draw_dots(context, Math.round(left * ratio), Math.round(top * ratio), Math.round(width * ratio), Math.round(height * ratio));

    const [sx, sy] = [this.scale(x), this.scale(y)];
    const marks = plot.axes(sx, sy, { x: x.name, y: y.name });
    const [bx, by] = [this.selection.of(x), this.selection.of(y)];
    if (bx || by) {
      const clamp = (scale: Scale, value: number): number => Math.min(1, Math.max(0, scale.share(value)));
      const [x0, x1] = bx ? [clamp(sx, bx[0]), clamp(sx, bx[1])] : [0, 1];
      const [y0, y1] = by ? [clamp(sy, by[0]), clamp(sy, by[1])] : [0, 1];
      marks.push(shape("rect", { class: "brush", x: left + x0 * width, y: top + (1 - y1) * height, width: Math.max(1, (x1 - x0) * width), height: Math.max(1, (y1 - y0) * height) }));
    }
    const { chosen } = this.selection;
    if (chosen !== undefined && Number.isFinite(x.values[chosen]) && Number.isFinite(y.values[chosen]))
      marks.push(shape("circle", { class: "chosen", cx: left + sx.share(x.values[chosen] as number) * width, cy: top + (1 - sy.share(y.values[chosen] as number)) * height, r: 7 }));
    plot.svg.replaceChildren(...marks);
  }

  private draw_dots(context: CanvasRenderingContext2D, left: number, top: number, width: number, height: number): void {
    const { x, y, selection, colours, table } = this;
    const size = table.length <= 2000 ? 5 : table.length <= 20000 ? 3 : 2;
    const dots = new Dots(width, height, Math.max(1, Math.round(size * this.plot.ratio)));
    if (this.places?.width !== width || this.places.height !== height) {
      const at = new Int32Array(table.length);
      for (let i = 0; i < table.length; i++) {
        const across = x.share(x.values[i] as number);
        const up = y.share(y.values[i] as number);
        at[i] = across >= 0 && up >= 0 ? dots.place(Math.round(across * (width - 1)), Math.round((1 - up) * (height - 1))) : -1;
      }
      this.places = { width, height, at };
    }
    const { at } = this.places;
    const [pale, plain] = [packed_colour("--bar"), packed_colour("--pale")];
    // What is not selected lies below.
    if (selection.count < table.length) for (let i = 0; i < table.length; i++) if (selection.mask[i] === 0 && (at[i] as number) >= 0) dots.put(at[i] as number, pale);
    for (let i = 0; i < table.length; i++) {
      if (selection.mask[i] !== 1 || (at[i] as number) < 0) continue;
      const shade = colours.shades[i] as number;
      dots.put(at[i] as number, shade >= 0 ? (scale_packed[shade] as number) : plain);
    }
    context.putImageData(dots.image, left - dots.margin, top - dots.margin);
  }
  private places: { width: number; height: number; at: Int32Array } | undefined;

  private draw_tiles(context: CanvasRenderingContext2D, [left, top, width, height]: [number, number, number, number]): void {
    const { x, y, selection, colours, table } = this;
    this.tiles ??= this.lay_tiles();
    const { x: columns, y: rows, of } = this.tiles;
    const sum = new Float64Array(columns * rows);
    const count = new Uint32Array(columns * rows);
    const { values } = colours.column;
    for (let i = 0; i < table.length; i++) {
      const tile = of[i] as number;
      const value = values[i] as number;
      if (tile < 0 || selection.mask[i] !== 1 || !Number.isFinite(value)) continue;
      sum[tile]! += value;
      count[tile]!++;
    }
    const image = new ImageData(columns, rows);
    const pixels = new Uint32Array(image.data.buffer);
    for (let tile = 0; tile < count.length; tile++) {
      if (count[tile] === 0) continue;
      const shade = colours.shade((sum[tile] as number) / (count[tile] as number));
      pixels[(rows - 1 - Math.floor(tile / columns)) * columns + (tile % columns)] = scale_packed[shade] as number;
    }
    [this.picture.width, this.picture.height] = [columns, rows];
    (this.picture.getContext("2d") as CanvasRenderingContext2D).putImageData(image, 0, 0);
    context.imageSmoothingEnabled = columns > width || rows > height;
    context.drawImage(this.picture, left, top, width, height);
    const several = table.length > columns * rows;
    this.told.textContent = `${counted(columns)} × ${counted(rows)} tiles${several ? ", means of the samples in each" : ""}: ${x.name} from ${format(x.low)} to ${format(x.high)}, ${y.name} from ${format(y.low)} to ${format(y.high)}`;
  }
  private lay_tiles(): { x: number; y: number; of: Int32Array } {
    const { x, y, table } = this;
    const [across, up] = [tiles_of(x, table.length), tiles_of(y, table.length)];
    const of = new Int32Array(table.length);
    for (let i = 0; i < table.length; i++) {
      const [vx, vy] = [x.values[i] as number, y.values[i] as number];
      of[i] = Number.isFinite(vx) && Number.isFinite(vy) ? up.of(vy) * across.count + across.of(vx) : -1;
    }
    return { x: across.count, y: up.count, of };
  }
}
