// The line of time: a handle to drag, and under it the marks of events, gathered by pixel so that any number can be drawn.
import type { Run } from "../data/runs";
import { element } from "../dom";
import { clock } from "../numbers";
import { kind_colour } from "../scene/palette";

const positions = 100000;

export class Timeline {
  readonly root: HTMLElement;
  private readonly slider: HTMLInputElement;
  private readonly marks: HTMLCanvasElement;
  private readonly done: HTMLElement;
  private readonly handle: HTMLElement;
  private shown = "";
  private width = 0;
  // Asking for the layout with every new motion would cost more than the marks do.
  private marks_size: [number, number] = [0, 0];
  private share = 0;
  private blank = false;

  constructor(
    private begin: number,
    private end: number,
    private run: Run,
    private dark: boolean,
    seek: (t: number) => void,
  ) {
    this.slider = element("input", { type: "range", min: 0, max: positions, step: "any", value: 0, "aria-label": "Time" });
    this.marks = element("canvas", { class: "marks", "aria-hidden": "true" });
    this.done = element("div", { class: "done" });
    this.handle = element("div", { class: "handle" });
    this.root = element("div", { class: "timeline" }, element("div", { class: "track" }, this.done), this.marks, this.handle, this.slider);
    this.slider.addEventListener("input", () => seek(this.begin + ((this.end - this.begin) * Number(this.slider.value)) / positions));
    new ResizeObserver(() => {
      this.width = this.root.clientWidth;
      this.marks_size = [Math.floor(this.marks.clientWidth), Math.floor(this.marks.clientHeight)];
      this.move(this.share);
      this.draw_marks();
    }).observe(this.root);
  }

  set_range(begin: number, end: number): void {
    this.begin = begin;
    this.end = end;
    this.shown = "";
  }

  set_run(run: Run, dark: boolean): void {
    this.run = run;
    this.dark = dark;
    this.draw_marks();
  }

  follow(t: number): void {
    const span = this.end - this.begin;
    const share = span > 0 ? (t - this.begin) / span : 0;
    this.move(share);
    const text = clock(t, span);
    if (text === this.shown) return;
    this.shown = text;
    this.slider.value = String(share * positions);
    this.slider.setAttribute("aria-valuetext", `time ${text} of ${clock(this.end, span)}`);
  }

  // By transformations alone, which need no new layout.
  private move(share: number): void {
    this.share = share;
    this.done.style.transform = `scaleX(${share})`;
    this.handle.style.transform = `translateX(${(share * this.width).toFixed(1)}px)`;
  }

  private draw_marks(): void {
    const [width, height] = this.marks_size;
    if (width < 2 || (this.run.events.count === 0 && this.blank)) return;
    this.blank = this.run.events.count === 0;
    const ratio = Math.min(2, devicePixelRatio || 1);
    this.marks.width = width * ratio;
    this.marks.height = height * ratio;
    const context = this.marks.getContext("2d") as CanvasRenderingContext2D;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, height);
    const { events } = this.run;
    if (events.count === 0) return;

    // How many of each kind fall on a pixel.
    const kinds = events.kinds.length;
    const counts = new Uint32Array(kinds * (width + 1));
    const totals = new Uint32Array(width + 1);
    const span = Math.max(this.end - this.begin, 1e-300);
    let most = 1;
    for (let e = 0; e < events.count; e++) {
      const x = Math.min(width, Math.max(0, Math.round((((events.times[e] as number) - this.begin) / span) * width)));
      const index = x * kinds + events.kind_index(e);
      counts[index] = (counts[index] as number) + 1;
      totals[x] = (totals[x] as number) + 1;
      most = Math.max(most, totals[x] as number);
    }

    // One event is a clear stroke; many grow with the logarithm of their number, each kind with its part of the stroke.
    const scale = Math.log1p(most);
    for (let x = 0; x <= width; x++) {
      const total = totals[x] as number;
      if (total === 0) continue;
      const tall = height * (most > 1 ? 0.5 + (0.5 * Math.log1p(total)) / scale : 0.85);
      const left = Math.min(width - 1.5, Math.max(0, x - 0.75));
      let bottom = height;
      for (let k = 0; k < kinds; k++) {
        const part = (tall * (counts[x * kinds + k] as number)) / total;
        if (part === 0) continue;
        context.fillStyle = kind_colour(events.kinds[k] as string, this.dark);
        context.fillRect(left, bottom - part, 1.5, part);
        bottom -= part;
      }
    }
  }
}
