// The start of the motion in the hand: every body a handle, every velocity an arrow with another at its tip.
import type { Body } from "../data/contract";
import type { Run } from "../data/runs";
import type { Camera } from "../scene/camera";
import { add, dot, scaled, subtract, type Triple } from "../scene/vector";

const space = "http://www.w3.org/2000/svg";
const most_handles = 60;
const gap = 18; // pixels between a body and the tail of its arrow's tip
const longest = 90; // pixels of the fastest arrow
const nudge = 0.01; // of what is seen, for the arrow keys

export interface Moved {
  what: "position" | "velocity";
  body: string;
  // Variables and their values.
  values: [number, number][];
  done: boolean;
}

interface Handle {
  body: Body;
  name: string;
  place: Triple;
  velocity: Triple;
  grip: SVGCircleElement;
  tip: SVGCircleElement;
  arrow: SVGLineElement;
}

export class Handles {
  readonly root: SVGSVGElement;
  private handles: Handle[] = [];
  private scale = 1; // pixels per unit of speed
  private dragged: Handle | undefined;

  constructor(
    private readonly camera: () => Camera,
    private readonly moved: (moved: Moved) => void,
  ) {
    this.root = document.createElementNS(space, "svg");
    this.root.setAttribute("class", "handles");
    this.root.setAttribute("role", "group");
    this.root.setAttribute("aria-label", "The start: drag bodies and velocities, or move them with the arrow keys");
  }

  get shown(): boolean {
    return this.root.style.display !== "none" && this.root.isConnected;
  }

  // Something is between press and release.
  get held(): boolean {
    return this.dragged !== undefined;
  }

  // The bodies whose places are variables, and where they are at the start.
  set(bodies: readonly Body[], variables: number, run: Run): void {
    const there = bodies.filter(({ track, view }) => !view && track.length >= 2 && track.every((variable) => variable < variables)).slice(0, most_handles);
    const names = there.map(({ name }) => name).join("\n");
    if (names !== this.handles.map(({ name }) => name).join("\n")) {
      this.handles = there.map((body) => this.make(body));
      this.root.replaceChildren(...this.handles.flatMap(({ arrow, grip, tip }) => [arrow, grip, tip]));
    }
    const position = new Float64Array(run.pieces.variables);
    const velocity = new Float64Array(run.pieces.variables);
    run.pieces.values(run.pieces.begin, position);
    run.pieces.rates(run.pieces.begin, velocity);
    const triple = (track: readonly number[], from: Float64Array): Triple => [from[track[0] as number] ?? 0, from[track[1] as number] ?? 0, track.length > 2 ? (from[track[2] as number] ?? 0) : 0];
    let fastest = 0;
    this.handles.forEach((handle, k) => {
      handle.body = there[k] as Body;
      if (handle === this.dragged) return;
      handle.place = triple(handle.body.track, position);
      handle.velocity = triple(handle.body.track, velocity);
      fastest = Math.max(fastest, Math.hypot(...handle.velocity));
    });
    if (!this.dragged) this.scale = fastest > 0 ? longest / fastest : longest / Math.max(1e-300, this.camera().reach);
  }

  draw(): void {
    const camera = this.camera();
    this.root.setAttribute("viewBox", `0 0 ${camera.width} ${camera.height}`);
    const out = new Float64Array(4);
    for (const { place, velocity, grip, tip, arrow } of this.handles) {
      camera.project(...place, out);
      const [x, y] = [out[0] as number, out[1] as number];
      const dx = dot(velocity, camera.right) * this.scale;
      const dy = -dot(velocity, camera.up) * this.scale;
      const length = Math.hypot(dx, dy);
      const [ux, uy] = length > 1e-9 ? [dx / length, dy / length] : [Math.SQRT1_2, Math.SQRT1_2]; // below, for names stand above
      const [tx, ty] = [x + dx + gap * ux, y + dy + gap * uy];
      for (const [circle, cx, cy] of [[grip, x, y], [tip, tx, ty]] as const) {
        circle.setAttribute("cx", cx.toFixed(1));
        circle.setAttribute("cy", cy.toFixed(1));
      }
      for (const [name, value] of Object.entries({ x1: x, y1: y, x2: tx, y2: ty })) arrow.setAttribute(name, value.toFixed(1));
      arrow.setAttribute("class", length > 1 ? "arrow" : "arrow resting");
    }
  }

  private make(body: Body): Handle {
    const circle = (radius: number, kind: string, label: string) => {
      const made = document.createElementNS(space, "circle");
      made.setAttribute("r", String(radius));
      made.setAttribute("class", kind);
      made.setAttribute("tabindex", "0");
      made.setAttribute("role", "button");
      made.setAttribute("aria-label", label);
      return made;
    };
    const handle: Handle = {
      body,
      name: body.name,
      place: [0, 0, 0],
      velocity: [0, 0, 0],
      grip: circle(12, "grip", `${body.name}: place at the start`),
      tip: circle(7, "tip", `${body.name}: velocity at the start`),
      arrow: document.createElementNS(space, "line"),
    };
    this.listen(handle, handle.grip, "position");
    this.listen(handle, handle.tip, "velocity");
    return handle;
  }

  private listen(handle: Handle, grip: SVGCircleElement, what: "position" | "velocity"): void {
    const at = (event: PointerEvent): [number, number] => {
      const box = this.root.getBoundingClientRect();
      return [event.clientX - box.left, event.clientY - box.top];
    };
    const follow = (event: PointerEvent, done: boolean) => {
      const camera = this.camera();
      const [px, py] = at(event);
      if (what === "position") handle.place = camera.place_under(px, py, handle.place);
      else {
        // The part of the velocity along the line of sight stays.
        const out = new Float64Array(4);
        camera.project(...handle.place, out);
        const [dx, dy] = [px - (out[0] as number), py - (out[1] as number)];
        const length = Math.hypot(dx, dy);
        const share = length > gap ? (length - gap) / length / this.scale : 0;
        const along = camera.plane ? 0 : dot(handle.velocity, camera.back);
        handle.velocity = add(add(scaled(camera.right, dx * share), scaled(camera.up, -dy * share)), scaled(camera.back, along));
      }
      this.draw();
      this.tell(handle, what, done);
    };
    grip.addEventListener("pointerdown", (event) => {
      event.stopPropagation();
      event.preventDefault();
      grip.focus();
      grip.setPointerCapture(event.pointerId);
      this.dragged = handle;
    });
    grip.addEventListener("pointermove", (event) => {
      if (this.dragged === handle && grip.hasPointerCapture(event.pointerId)) follow(event, false);
    });
    for (const kind of ["pointerup", "pointercancel"] as const)
      grip.addEventListener(kind, (event) => {
        if (this.dragged !== handle || !grip.hasPointerCapture(event.pointerId)) return;
        this.dragged = undefined;
        follow(event, true);
      });
    grip.addEventListener("keydown", (event) => {
      const step = ({ ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] } as Record<string, [number, number]>)[event.key];
      if (!step) return;
      event.preventDefault();
      event.stopPropagation();
      const camera = this.camera();
      const size = nudge * (event.shiftKey ? 10 : 1) * (what === "position" ? 2 * camera.reach : (2 * longest) / this.scale);
      const by = add(scaled(camera.right, step[0] * size), scaled(camera.up, step[1] * size));
      if (what === "position") handle.place = add(handle.place, by);
      else handle.velocity = subtract(handle.velocity, scaled(by, -1));
      this.tell(handle, what, true);
    });
  }

  private tell(handle: Handle, what: "position" | "velocity", done: boolean): void {
    const values = what === "position" ? handle.place : handle.velocity;
    this.moved({ what, body: handle.name, values: handle.body.track.map((variable, m) => [variable, values[m] as number]), done });
  }
}
