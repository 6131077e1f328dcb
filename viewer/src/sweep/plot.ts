// A chart: a canvas for what is many, over it an SVG for what is few, and the hand that draws brushes on it.
import { element } from "../dom";
import { round_step } from "../numbers";
import { labels as tick_labels } from "../panel/scales";
import type { Scale } from "./table";

export interface Frame {
  left: number;
  top: number;
  width: number;
  height: number;
}

const space = "http://www.w3.org/2000/svg";
export function shape(tag: string, attributes: Record<string, string | number>, ...children: (Node | string)[]): SVGElement {
  const made = document.createElementNS(space, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, String(value));
  made.append(...children);
  return made;
}

// Round numbers within the ends of a column, or its names.
export function ticks_of(column: Scale, wanted: number): { value: number; text: string }[] {
  if (column.labels) return column.labels.map((text, value) => ({ value, text }));
  if (!column.varies) return [{ value: column.low, text: tick_labels(undefined, [column.low])[0] as string }];
  let step = round_step((column.high - column.low) / wanted);
  while ((column.high - column.low) / step > wanted + 1) step *= 2;
  const values: number[] = [];
  for (let k = Math.ceil(column.low / step - 1e-9); k * step <= column.high + 1e-9 * step; k++) values.push(k * step);
  const texts = tick_labels(undefined, values);
  return values.map((value, k) => ({ value, text: texts[k] as string }));
}

export class Plot {
  readonly root: HTMLElement;
  readonly canvas = element("canvas", { "aria-hidden": "true" });
  readonly svg = shape("svg", { role: "img" }) as SVGSVGElement;
  frame: Frame = { left: 0, top: 0, width: 0, height: 0 };
  ratio = 1;

  constructor(
    label: string,
    private readonly margins: { left: number; right: number; top: number; bottom: number },
    redraw: () => void,
  ) {
    this.root = element("div", { class: "plot" }, this.canvas);
    this.root.append(this.svg);
    this.name = label;
    new ResizeObserver(() => {
      if (this.measure()) redraw();
    }).observe(this.root);
  }
  set name(label: string) {
    this.svg.setAttribute("aria-label", label);
  }

  // True where there is another size than before.
  private measure(): boolean {
    const { clientWidth: width, clientHeight: height } = this.root;
    const ratio = Math.min(2, window.devicePixelRatio || 1);
    const [w, h] = [Math.round(width * ratio), Math.round(height * ratio)];
    if (width === 0 || (w === this.canvas.width && h === this.canvas.height && ratio === this.ratio)) return false;
    this.ratio = ratio;
    this.canvas.width = w;
    this.canvas.height = h;
    this.svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    const { left, right, top, bottom } = this.margins;
    this.frame = { left, top, width: Math.max(1, width - left - right), height: Math.max(1, height - top - bottom) };
    return true;
  }
  get ready(): boolean {
    return this.frame.width > 0;
  }
  get context(): CanvasRenderingContext2D {
    return this.canvas.getContext("2d") as CanvasRenderingContext2D;
  }

  // Axes, with the names of the columns.
  axes(x: Scale | undefined, y: Scale | undefined, names: { x?: string; y?: string } = {}): SVGElement[] {
    const { left, top, width, height } = this.frame;
    const out: SVGElement[] = [];
    const bottom = top + height;
    out.push(shape("path", { class: "axis", d: `M${left} ${top}V${bottom}H${left + width}` }));
    if (x)
      for (const { value, text } of ticks_of(x, Math.max(2, Math.floor(width / 90)))) {
        const at = left + x.share(value) * width;
        out.push(shape("path", { class: "axis", d: `M${at} ${bottom}v4` }), shape("text", { x: at, y: bottom + 15, "text-anchor": "middle" }, text));
      }
    if (y)
      for (const { value, text } of ticks_of(y, Math.max(2, Math.floor(height / 45)))) {
        const at = bottom - y.share(value) * height;
        out.push(shape("path", { class: "axis", d: `M${left} ${at}h-4` }), shape("text", { x: left - 7, y: at + 4, "text-anchor": "end" }, text));
      }
    if (names.x) out.push(shape("text", { class: "named", x: left + width / 2, y: bottom + 31, "text-anchor": "middle" }, names.x));
    if (names.y) out.push(shape("text", { class: "named", x: 13, y: top + height / 2, "text-anchor": "middle", transform: `rotate(-90 13 ${top + height / 2})` }, names.y));
    return out;
  }

  // Where a brush was drawn, in shares of the frame; a click that did not move is told apart.
  hand(target: Element, act: { drag: (from: [number, number], to: [number, number]) => void; click: (at: [number, number], event: PointerEvent) => void }): void {
    const far = 4; // pixels
    let begun: { x: number; y: number; moved: boolean } | undefined;
    const place = (x: number, y: number): [number, number] => {
      const box = this.svg.getBoundingClientRect();
      const { left, top, width, height } = this.frame;
      return [(x - box.left - left) / width, 1 - (y - box.top - top) / height];
    };
    target.addEventListener("pointerdown", (event) => {
      const { clientX, clientY, button, pointerId } = event as PointerEvent;
      if (button !== 0) return;
      begun = { x: clientX, y: clientY, moved: false };
      target.setPointerCapture(pointerId);
    });
    target.addEventListener("pointermove", (event) => {
      if (!begun) return;
      const { clientX, clientY } = event as PointerEvent;
      begun.moved ||= Math.hypot(clientX - begun.x, clientY - begun.y) >= far;
      if (begun.moved) act.drag(place(begun.x, begun.y), place(clientX, clientY));
    });
    target.addEventListener("pointerup", (event) => {
      const { clientX, clientY } = event as PointerEvent;
      if (begun && !begun.moved) act.click(place(clientX, clientY), event as PointerEvent);
      begun = undefined;
    });
    target.addEventListener("pointercancel", () => (begun = undefined));
  }
}

// A picture in memory to which dots are put, one number per pixel; round it is room for dots that reach beyond it.
export class Dots {
  readonly image: ImageData;
  readonly margin: number;
  private readonly pixels: Uint32Array;
  private readonly stamp: Int32Array;
  private readonly stride: number;

  constructor(width: number, height: number, diameter: number) {
    this.margin = diameter;
    this.stride = width + 2 * diameter;
    this.image = new ImageData(this.stride, height + 2 * diameter);
    this.pixels = new Uint32Array(this.image.data.buffer);
    const middle = (diameter - 1) / 2;
    const places: number[] = [];
    for (let y = 0; y < diameter; y++) for (let x = 0; x < diameter; x++) if ((x - middle) ** 2 + (y - middle) ** 2 <= (diameter / 2) ** 2) places.push((y - Math.floor(middle)) * this.stride + x - Math.floor(middle));
    this.stamp = Int32Array.from(places);
  }

  // The place of a dot whose middle lies in the picture.
  place(x: number, y: number): number {
    return (y + this.margin) * this.stride + x + this.margin;
  }
  put(place: number, colour: number): void {
    const { pixels, stamp } = this;
    for (let k = 0; k < stamp.length; k++) pixels[place + (stamp[k] as number)] = colour;
  }
}

// A colour of the style sheet; asked for once per theme, since every question makes the browser lay out the page.
const known = new Map<string, string>();
export function css_colour(name: string): string {
  const key = `${document.documentElement.dataset["theme"]} ${name}`;
  let colour = known.get(key);
  if (colour === undefined) known.set(key, (colour = getComputedStyle(document.documentElement).getPropertyValue(name).trim()));
  return colour;
}
// The same as one number of a picture's memory.
export function packed_colour(name: string): number {
  const text = css_colour(name);
  const part = (at: number): number => parseInt(text.slice(at, at + 2), 16) || 0;
  return (0xff000000 | (part(5) << 16) | (part(3) << 8) | part(1)) >>> 0;
}
