// Phase portraits: a velocity over its coordinate, the whole path and the present point.
import type { Header } from "../data/contract";
import type { Run } from "../data/runs";
import { element } from "../dom";
import { format, round_step } from "../numbers";
import { css, run_colour, type Palette } from "../scene/palette";

const samples = 4000;

interface Path {
  x: Float64Array;
  y: Float64Array;
}

export class PhasePortrait {
  readonly root: HTMLElement;
  private readonly canvas: HTMLCanvasElement;
  private readonly paths: Path[];
  private readonly bounds: [number, number, number, number];
  private still: { image: HTMLCanvasElement; key: string } | undefined;

  constructor(
    private readonly variable: number,
    private readonly x_name: string,
    private readonly y_name: string,
    private readonly runs: readonly Run[],
  ) {
    this.canvas = element("canvas", { role: "img", "aria-label": `Phase portrait: ${y_name} over ${x_name}` });
    this.root = element("figure", { class: "phase" }, this.canvas);
    this.paths = runs.map((run) => path_of(run, variable));
    let [x_low, x_high, y_low, y_high] = [Infinity, -Infinity, Infinity, -Infinity];
    for (const { x, y } of this.paths)
      for (let i = 0; i < x.length; i++) {
        x_low = Math.min(x_low, x[i] as number);
        x_high = Math.max(x_high, x[i] as number);
        y_low = Math.min(y_low, y[i] as number);
        y_high = Math.max(y_high, y[i] as number);
      }
    const widen = (low: number, high: number): [number, number] => {
      // What hardly changes is shown as standing still, not as noise writ large.
      const size = Math.max(Math.abs(low), Math.abs(high));
      const half = high - low > 1e-9 * size && high - low > 1e-12 ? 0.56 * (high - low) : size > 1e-12 ? 0.1 * size : 1;
      return [(low + high) / 2 - half, (low + high) / 2 + half];
    };
    this.bounds = [...widen(x_low, x_high), ...widen(y_low, y_high)];
  }

  draw(t: number, palette: Palette, visible: readonly boolean[]): void {
    const ratio = Math.min(2, devicePixelRatio || 1);
    const width = this.canvas.clientWidth;
    const height = this.canvas.clientHeight;
    if (width < 20 || height < 20) return;
    if (this.canvas.width !== Math.round(width * ratio) || this.canvas.height !== Math.round(height * ratio)) {
      this.canvas.width = Math.round(width * ratio);
      this.canvas.height = Math.round(height * ratio);
    }

    // The path is drawn once and copied from then on.
    const key = `${width} ${height} ${palette.dark} ${visible.join()}`;
    if (this.still?.key !== key) this.still = { key, image: this.draw_still(width, height, ratio, palette, visible) };
    const context = this.canvas.getContext("2d") as CanvasRenderingContext2D;
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.clearRect(0, 0, this.canvas.width, this.canvas.height);
    context.drawImage(this.still.image, 0, 0);
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.runs.forEach((run, r) => {
      if (!visible[r]) return;
      const at = Math.min(run.pieces.end, Math.max(run.pieces.begin, t));
      const [x, y] = this.place(run.pieces.value(this.variable, at), run.pieces.rate(this.variable, at), width, height);
      context.beginPath();
      context.arc(x, y, 6, 0, 2 * Math.PI);
      context.fillStyle = css(run_colour(palette, r));
      context.fill();
      context.lineWidth = 2;
      context.strokeStyle = palette.dark ? "#14161a" : "#fbfaf7";
      context.stroke();
    });
  }

  private place(x: number, y: number, width: number, height: number): [number, number] {
    const [x_low, x_high, y_low, y_high] = this.bounds;
    const left = 58;
    const bottom = 34;
    return [left + ((x - x_low) / (x_high - x_low)) * (width - left - 16), height - bottom - ((y - y_low) / (y_high - y_low)) * (height - bottom - 14)];
  }

  private draw_still(width: number, height: number, ratio: number, palette: Palette, visible: readonly boolean[]): HTMLCanvasElement {
    const image = element("canvas");
    image.width = Math.round(width * ratio);
    image.height = Math.round(height * ratio);
    const context = image.getContext("2d") as CanvasRenderingContext2D;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    const [x_low, x_high, y_low, y_high] = this.bounds;
    context.font = "11px system-ui, sans-serif";
    context.fillStyle = css(palette.pale);

    // Squares of a round size with their numbers.
    const x_step = round_step(((x_high - x_low) * 110) / width);
    const y_step = round_step(((y_high - y_low) * 70) / height);
    context.textAlign = "center";
    context.textBaseline = "top";
    for (let k = Math.ceil(x_low / x_step); k <= x_high / x_step; k++) {
      const [x] = this.place(k * x_step, 0, width, height);
      line(context, x, 14, x, height - 34, css(palette.faint, k === 0 ? 1 : 0.5));
      context.fillText(format(k * x_step, 4), x, height - 28);
    }
    context.textAlign = "right";
    context.textBaseline = "middle";
    for (let k = Math.ceil(y_low / y_step); k <= y_high / y_step; k++) {
      const [, y] = this.place(0, k * y_step, width, height);
      line(context, 58, y, width - 16, y, css(palette.faint, k === 0 ? 1 : 0.5));
      context.fillText(format(k * y_step, 4), 50, y);
    }
    context.font = "italic 14px Georgia, serif";
    context.fillStyle = css(palette.ink);
    context.fillText(this.x_name, width - 18, height - 10);
    context.textAlign = "left";
    context.fillText(this.y_name, 6, 10);

    context.lineJoin = "round";
    context.lineWidth = 1.5;
    this.paths.forEach(({ x, y }, r) => {
      if (!visible[r]) return;
      context.strokeStyle = css(run_colour(palette, r), 0.85);
      context.beginPath();
      for (let i = 0; i < x.length; i++) context.lineTo(...this.place(x[i] as number, y[i] as number, width, height));
      context.stroke();
    });
    return image;
  }
}

function line(context: CanvasRenderingContext2D, x: number, y: number, x_end: number, y_end: number, colour: string): void {
  context.strokeStyle = colour;
  context.lineWidth = 1;
  context.beginPath();
  context.moveTo(x, y);
  context.lineTo(x_end, y_end);
  context.stroke();
}

// The path with both sides of every shock.
function path_of(run: Run, variable: number): Path {
  const x: number[] = [];
  const y: number[] = [];
  const { pieces } = run;
  const per_piece = Math.max(2, Math.min(40, Math.ceil(samples / pieces.count)));
  const stride = Math.max(1, Math.ceil(pieces.count / samples));
  for (let p = 0; p < pieces.count; p += stride) {
    const from = pieces.starts[p] as number;
    const to = p + stride < pieces.count ? (pieces.starts[p + stride] as number) : pieces.end;
    for (let i = 0; i <= per_piece; i++) {
      const t = from + ((to - from) * i) / per_piece;
      x.push(pieces.value(variable, t, i === per_piece));
      y.push(pieces.rate(variable, t, i === per_piece));
    }
  }
  return { x: Float64Array.from(x), y: Float64Array.from(y) };
}

// The portraits that the engine suggests, or of the first coordinates.
export function make_portraits(header: Header, runs: readonly Run[]): PhasePortrait[] {
  const suggested = header.phase ?? header.variables.slice(0, Math.min(header.coordinates ?? header.variables.length, 4)).map((name, i): [number, string, string] => [i, name, `${name}′`]);
  return suggested.slice(0, 4).map(([variable, x, y]) => new PhasePortrait(variable, x, y.replace("'", "′"), runs));
}
