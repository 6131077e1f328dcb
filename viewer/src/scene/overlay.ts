// What is written over and under the drawing: names of bodies, the tripod of axes, the scale, squared paper in the plane.
import { format, round_step } from "../numbers";
import type { Camera } from "./camera";
import type { Description } from "./describe";
import { css } from "./palette";
import type { Triple } from "./vector";

const most_names = 14;
const axes: [string, Triple][] = [
  ["x", [1, 0, 0]],
  ["y", [0, 1, 0]],
  ["z", [0, 0, 1]],
];

export class Overlay {
  private readonly paper: HTMLCanvasElement;
  private readonly ink: HTMLCanvasElement;
  private readonly place = new Float64Array(4);
  private ratio = 1;
  private drawn_paper = "";
  // Where a name was written last, so that it does not jump from side to side.
  private readonly sides: number[] = [];

  constructor(stage: HTMLElement) {
    this.paper = sheet("paper");
    this.ink = sheet("ink");
    stage.prepend(this.paper);
    stage.append(this.ink);
  }

  resize(width: number, height: number, ratio: number): void {
    this.ratio = ratio;
    for (const canvas of [this.paper, this.ink]) {
      canvas.width = Math.max(1, Math.round(width * ratio));
      canvas.height = Math.max(1, Math.round(height * ratio));
    }
    this.drawn_paper = "";
  }

  draw(camera: Camera, description: Description, run: number, names: boolean): void {
    const palette = description.palette;
    const state = `${camera.changes} ${palette.dark}`;
    if (state !== this.drawn_paper) {
      this.drawn_paper = state;
      this.draw_paper(camera, css(palette.faint, palette.dark ? 0.45 : 0.42), css(palette.faint, palette.dark ? 0.95 : 0.95));
    }
    const context = this.begin(this.ink);
    context.clearRect(0, 0, camera.width, camera.height);
    if (names && description.bodies.length <= most_names) this.draw_names(context, camera, description, run);
    if (camera.plane) this.draw_scale(context, camera, css(palette.pale));
    else this.draw_tripod(context, camera, css(palette.pale));
  }

  private begin(canvas: HTMLCanvasElement): CanvasRenderingContext2D {
    const context = canvas.getContext("2d") as CanvasRenderingContext2D;
    context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    return context;
  }

  private draw_paper(camera: Camera, fine: string, strong: string): void {
    const context = this.begin(this.paper);
    context.clearRect(0, 0, camera.width, camera.height);
    if (!camera.plane) return;

    // Squares of a round size, the axes a little stronger; along screen directions when the model's axes are turned.
    const step = round_step(90 / camera.pixels_per_unit);
    const straight = Math.abs(camera.up[1]) > 0.999 || Math.abs(camera.up[0]) > 0.999;
    if (!straight) return;
    const half = Math.hypot(camera.width, camera.height) / 2 / camera.pixels_per_unit;
    for (const m of [0, 1] as const) {
      const from = Math.ceil((camera.target[m] - half) / step);
      const to = Math.floor((camera.target[m] + half) / step);
      for (let k = from; k <= to; k++) {
        const ends: Triple[] = [[0, 0, 0], [0, 0, 0]];
        for (const [index, end] of ends.entries()) {
          const other = m === 0 ? 1 : 0;
          end[m] = k * step;
          end[other] = camera.target[other] + (index === 0 ? -half : half);
        }
        context.strokeStyle = k === 0 ? strong : fine;
        context.lineWidth = 1;
        context.beginPath();
        for (const end of ends) {
          camera.project(...end, this.place);
          context.lineTo(Math.round(this.place[0] as number) + 0.5, Math.round(this.place[1] as number) + 0.5);
        }
        context.stroke();
      }
    }
  }

  private draw_names(context: CanvasRenderingContext2D, camera: Camera, description: Description, run: number): void {
    const places = description.places[run] as Float64Array;
    context.font = "italic 13px Georgia, 'Iowan Old Style', 'Palatino Linotype', serif";
    context.textBaseline = "middle";
    context.lineJoin = "round";
    const shown: { name: string; b: number; x: number; y: number; radius: number; width: number }[] = [];
    description.bodies.forEach((body, b) => {
      if (body.size === 0 || !Number.isFinite(places[3 * b] as number)) return;
      camera.project(places[3 * b] as number, places[3 * b + 1] as number, places[3 * b + 2] as number, this.place);
      const radius = Math.max(2, description.radius(b) * (this.place[3] as number));
      shown.push({ name: body.name, b, x: this.place[0] as number, y: this.place[1] as number, radius, width: context.measureText(body.name).width });
    });
    const taken: Box[] = [];
    for (const { name, b, x, y, radius, width } of shown) {
      // Within a disc where it fits; else beside it, at the first of four corners that hides neither a body nor another name.
      const within = description.is_flat(b) && width + 6 < 2 * radius && radius > 12;
      const corner = radius / Math.SQRT2 + 3;
      const places_beside: Box[] = [[1, -1], [-1, -1], [1, 1], [-1, 1]].map(([right, down]) => ({
        left: right === 1 ? x + corner : x - corner - width,
        top: y + (down as number) * (corner + 5) - 8,
        width,
      }));
      const order = [this.sides[b] ?? 0, 0, 1, 2, 3];
      const free = (box: Box) => !taken.some((other) => overlap(box, other)) && !shown.some((other) => other.b !== b && covers(other, box));
      const side = within ? 0 : order.find((k) => free(places_beside[k] as Box));
      const box = within ? { left: x - width / 2, top: y - 8, width } : side === undefined ? undefined : places_beside[side];

      // A name that would lie on another one, or on a body, is left out.
      if (!box || side === undefined || taken.some((other) => overlap(box, other))) continue;
      this.sides[b] = side;
      taken.push(box);
      context.strokeStyle = description.palette.dark ? "rgba(19,21,25,0.75)" : "rgba(251,250,247,0.8)";
      context.lineWidth = 4;
      if (!within) context.strokeText(name, box.left, box.top + 8);
      context.fillStyle = css(description.palette.ink, within ? 1 : 0.85);
      context.fillText(name, box.left, box.top + 8);
    }
  }

  private draw_scale(context: CanvasRenderingContext2D, camera: Camera, colour: string): void {
    const step = round_step(90 / camera.pixels_per_unit);
    const length = step * camera.pixels_per_unit;
    const x = 18;
    const y = camera.height - 18;
    context.strokeStyle = context.fillStyle = colour;
    context.lineWidth = 1;
    context.beginPath();
    context.moveTo(x, y - 4);
    context.lineTo(x, y);
    context.lineTo(x + length, y);
    context.lineTo(x + length, y - 4);
    context.stroke();
    context.font = "11px system-ui, sans-serif";
    context.textBaseline = "bottom";
    context.fillText(format(step, 3), x + 5, y - 3);
  }

  private draw_tripod(context: CanvasRenderingContext2D, camera: Camera, colour: string): void {
    const x = 40;
    const y = camera.height - 40;
    context.font = "italic 12px Georgia, serif";
    context.textBaseline = "middle";
    context.textAlign = "center";
    context.lineWidth = 1.2;
    context.strokeStyle = context.fillStyle = colour;
    for (const [name, direction] of axes) {
      const [a, b] = camera.axis(direction);
      context.beginPath();
      context.moveTo(x, y);
      context.lineTo(x + 22 * a, y - 22 * b);
      context.stroke();
      context.fillText(name, x + 31 * a, y - 31 * b);
    }
    context.textAlign = "start";
  }
}

// A line of text on the screen, 16 pixels high.
interface Box {
  left: number;
  top: number;
  width: number;
}
const overlap = (a: Box, b: Box): boolean => a.left < b.left + b.width + 2 && b.left < a.left + a.width + 2 && Math.abs(a.top - b.top) < 14;
const covers = (disc: { x: number; y: number; radius: number }, box: Box): boolean => {
  const x = Math.max(box.left, Math.min(disc.x, box.left + box.width));
  const y = Math.max(box.top + 2, Math.min(disc.y, box.top + 14));
  return Math.hypot(disc.x - x, disc.y - y) < disc.radius;
};

function sheet(name: string): HTMLCanvasElement {
  const canvas = document.createElement("canvas");
  canvas.className = name;
  canvas.setAttribute("aria-hidden", "true");
  return canvas;
}
