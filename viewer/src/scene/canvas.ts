// Draws a picture on a plain two-dimensional canvas, in space from back to front.
import type { Camera } from "./camera";
import { css, type Colour, type Palette } from "./palette";
import { Look, type Picture } from "./picture";
import type { Renderer } from "./renderer";

const most_triangles = 6000;
// More points than these are drawn together, those of one colour in one path.
const most_single = 3000;
const shades = 24;

export class CanvasRenderer implements Renderer {
  readonly name = "canvas";
  private readonly context: CanvasRenderingContext2D;
  private ratio = 1;
  private order = new Float64Array(0);
  private readonly a = new Float64Array(4);
  private readonly b = new Float64Array(4);
  private readonly c = new Float64Array(4);
  private kept = new Float32Array(0);

  constructor(private readonly canvas: HTMLCanvasElement) {
    const context = canvas.getContext("2d");
    if (!context) throw new Error("this browser has neither WebGL nor a two-dimensional canvas");
    this.context = context;
  }

  resize(width: number, height: number, ratio: number): void {
    this.ratio = ratio;
    this.canvas.width = Math.max(1, Math.round(width * ratio));
    this.canvas.height = Math.max(1, Math.round(height * ratio));
  }

  draw(picture: Picture, camera: Camera, palette: Palette): void {
    const context = this.context;
    context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    context.clearRect(0, 0, camera.width, camera.height);
    context.lineCap = "round";
    context.lineJoin = "round";
    this.draw_surfaces(picture, camera);
    this.draw_strokes(picture, camera);
    this.draw_points(picture, camera, palette);
  }

  drawn(point: number, out: number[]): void {
    for (let m = 0; m < 3; m++) out[m] = this.kept[3 * point + m] as number;
  }

  forget(): void {}

  dispose(): void {
    this.canvas.remove();
  }

  private project(picture: Picture, camera: Camera, array: ArrayLike<number>, at: number, out: Float64Array): void {
    camera.project((array[at] as number) + picture.origin[0], (array[at + 1] as number) + picture.origin[1], (array[at + 2] as number) + picture.origin[2], out);
  }

  // Translucent triangles; the order hardly shows.
  private draw_surfaces(picture: Picture, camera: Camera): void {
    const context = this.context;
    for (const surface of picture.surfaces) {
      const { positions, triangles } = surface;
      if (triangles.length / 3 > most_triangles || surface.opacity === 0) continue;
      context.fillStyle = css(surface.colour as Colour, surface.opacity * 0.7);
      context.beginPath();
      for (let i = 0; i < triangles.length; i += 3) {
        this.project(picture, camera, positions, 3 * (triangles[i] as number), this.a);
        this.project(picture, camera, positions, 3 * (triangles[i + 1] as number), this.b);
        this.project(picture, camera, positions, 3 * (triangles[i + 2] as number), this.c);

        // All triangles turn the same way, so that overlaps are filled once.
        const turn = ((this.b[0] as number) - (this.a[0] as number)) * ((this.c[1] as number) - (this.a[1] as number)) - ((this.b[1] as number) - (this.a[1] as number)) * ((this.c[0] as number) - (this.a[0] as number));
        const [second, third] = turn > 0 ? [this.b, this.c] : [this.c, this.b];
        context.moveTo(this.a[0] as number, this.a[1] as number);
        context.lineTo(second[0] as number, second[1] as number);
        context.lineTo(third[0] as number, third[1] as number);
        context.closePath();
      }
      context.fill();
    }
  }

  private draw_strokes(picture: Picture, camera: Camera): void {
    const context = this.context;
    const { segments } = picture;
    const bytes = segments.colour;
    let colour = -1;
    let width = -1;
    const { ends } = segments;
    let followed = false;
    context.beginPath();
    for (let i = 0; i < segments.count; i++) {
      const c = 8 * i;
      const alpha = Math.round(((bytes[c + 3] as number) + (bytes[c + 7] as number)) / 32);
      if (alpha === 0) {
        followed = false;
        continue;
      }

      // Strokes of one kind share a path; sixteen steps of opacity are enough to fade.
      const next = (((bytes[c] as number) * 256 + (bytes[c + 1] as number)) * 256 + (bytes[c + 2] as number)) * 32 + alpha;
      if (next !== colour || segments.width[i] !== width) {
        context.stroke();
        context.beginPath();
        context.strokeStyle = this.style(next);
        colour = next;
        context.lineWidth = width = segments.width[i] as number;
        followed = false;
      }
      // A stroke that begins where the last one ended goes on with it.
      const e = 6 * i;
      if (!followed || ends[e] !== ends[e - 3] || ends[e + 1] !== ends[e - 2] || ends[e + 2] !== ends[e - 1]) {
        this.project(picture, camera, ends, e, this.a);
        context.moveTo(this.a[0] as number, this.a[1] as number);
      }
      this.project(picture, camera, ends, e + 3, this.b);
      context.lineTo(this.b[0] as number, this.b[1] as number);
      followed = true;
    }
    context.stroke();
  }

  // The colour of strokes as text, made once.
  private readonly styles = new Map<number, string>();
  private style(code: number): string {
    let text = this.styles.get(code);
    if (text === undefined) {
      if (this.styles.size > 20000) this.styles.clear();
      const rgb = Math.floor(code / 32);
      text = `rgba(${rgb >> 16},${(rgb >> 8) & 255},${rgb & 255},${Math.min(1, (code % 32) / 16)})`;
      this.styles.set(code, text);
    }
    return text;
  }

  private draw_crowd(picture: Picture, camera: Camera, palette: Palette): void {
    const context = this.context;
    const { points } = picture;
    const paths = new Map<number, { path: Path2D; code: number }>();
    for (let i = 0; i < points.count; i++) {
      if (points.colour[4 * i + 3] === 0) continue;
      this.project(picture, camera, points.position, 3 * i, this.a);
      const x = this.a[0] as number;
      const y = this.a[1] as number;
      const radius = Math.max(0.8, (points.radius[i] as number) * (this.a[3] as number));
      if (x < -radius || y < -radius || x > camera.width + radius || y > camera.height + radius) continue;

      // Neighbouring shades share a path.
      const part = (m: number) => Math.round(((points.colour[4 * i + m] as number) / 255) * shades);
      const code = (part(0) * (shades + 1) + part(1)) * (shades + 1) + part(2);
      let of_shade = paths.get(code);
      if (!of_shade) paths.set(code, (of_shade = { path: new Path2D(), code: i }));
      if (radius < 1.5) of_shade.path.rect(x - radius, y - radius, 2 * radius, 2 * radius);
      else {
        of_shade.path.moveTo(x + radius, y);
        of_shade.path.arc(x, y, radius, 0, 2 * Math.PI);
      }
    }
    for (const { path, code } of paths.values()) {
      const colour = [points.colour[4 * code], points.colour[4 * code + 1], points.colour[4 * code + 2]] as unknown as Colour;
      context.fillStyle = css(colour, palette.dark ? 0.75 : 0.8);
      context.fill(path);
    }
  }

  private draw_points(picture: Picture, camera: Camera, palette: Palette): void {
    const context = this.context;
    const { points } = picture;
    const count = points.count;
    if (this.order.length < count) {
      this.order = new Float64Array(2 * count);
      this.kept = new Float32Array(6 * count);
    }
    this.kept.set(points.position.subarray(0, 3 * count));

    if (camera.plane && count > most_single) {
      this.draw_crowd(picture, camera, palette);
      return;
    }

    // Far ones first; rings and flat pictures stay in their order.
    const order = this.order.subarray(0, count);
    for (let i = 0; i < count; i++) order[i] = i;
    if (!camera.plane) {
      const depth = new Float64Array(count);
      for (let i = 0; i < count; i++) {
        this.project(picture, camera, points.position, 3 * i, this.a);
        depth[i] = this.a[2] as number;
      }
      order.sort((i, j) => (depth[i] as number) - (depth[j] as number));
    }
    for (const i of order) {
      if (points.colour[4 * i + 3] === 0) continue;
      this.project(picture, camera, points.position, 3 * i, this.a);
      const x = this.a[0] as number;
      const y = this.a[1] as number;
      const radius = Math.max(1.6, (points.radius[i] as number) * (this.a[3] as number));
      const colour = [points.colour[4 * i], points.colour[4 * i + 1], points.colour[4 * i + 2]] as unknown as Colour;
      const alpha = (points.colour[4 * i + 3] as number) / 255;
      const look = points.look[i];
      context.beginPath();
      context.arc(x, y, radius, 0, 2 * Math.PI);
      if (look === Look.ring) {
        context.strokeStyle = css(colour, alpha);
        context.lineWidth = 2.4;
        context.stroke();
        continue;
      }
      if (look === Look.disc) {
        context.fillStyle = css(colour, alpha * (palette.dark ? 0.55 : 0.6));
        context.fill();
        context.strokeStyle = css(colour, alpha);
        context.lineWidth = 1.6;
        context.stroke();
        continue;
      }
      context.fillStyle = css(colour, alpha);
      context.fill();

      // A soft light from above left where there is room for it.
      if (radius > 4 && count < 400) {
        const light = context.createRadialGradient(x - 0.35 * radius, y - 0.4 * radius, 0.1 * radius, x, y, radius);
        light.addColorStop(0, "rgba(255,255,255,0.38)");
        light.addColorStop(0.6, "rgba(255,255,255,0)");
        light.addColorStop(1, "rgba(0,0,0,0.16)");
        context.fillStyle = light;
        context.fill();
      }
    }
  }
}
