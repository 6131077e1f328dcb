/** Mechanics with constraints by Gauss's principle, in JavaScript. Answers are those of the command `zwang ... --json`. */

/** What the text, a value or a question has wrong, with its place (lines and columns from 1). */
export class ModelError extends Error {
  readonly what: string;
  readonly file?: string;
  readonly line?: number;
  readonly column?: number;
  readonly excerpt?: string;
}

/** What is set instead of what the text says; expressions are texts. */
export interface Options {
  set?: Record<string, number | string | number[]>;
  until?: number | string;
  at?: number | string;
  tolerance?: number | string;
  samples?: number;
  law?: "straightest" | "variational";
  /** What messages call the text. */
  file?: string;
  /** Another start: by the number of a variable. */
  position?: Record<number, number>;
  velocity?: Record<number, number>;
}

export interface RunOptions extends Options {
  /** Instants whose states the answer shows. */
  sample_at?: number[];
  /** Asked about every tenth of a second with the time reached; false interrupts. */
  go_on?: (time: number) => boolean;
}

export type Quantities = Record<string, number | number[]>;
export interface Event {
  time: number;
  kind: string;
  constraints: string[];
  impulses?: Record<string, number>;
  positions: Quantities;
  velocities: Quantities;
}

/** The answer of `run`, and what else can be asked of a motion. */
export interface Motion {
  readonly status: string;
  readonly final: { time: number; positions: Quantities; velocities: Quantities; multipliers: Record<string, unknown> };
  readonly samples: { time: number; positions: Quantities; velocities: Quantities }[];
  readonly events: Event[];
  readonly steps: number;
  readonly [key: string]: unknown;
  /** One state after the other, in the order of the model's variables. */
  states(times: ArrayLike<number>): { position: Float64Array; velocity: Float64Array };
  accelerate(time: number): Record<string, unknown>;
  explain(time: number): { text: string; explain: Record<string, unknown> };
  /** The data of the animated report. */
  page(bytes?: number): Uint8Array;
  /** Its memory is given back. */
  close(): void;
}

/** A motion in the caller's hand. */
export interface Stepper {
  readonly time: number;
  readonly status: string;
  readonly why?: string;
  readonly position: Float64Array;
  readonly velocity: Float64Array;
  readonly events: Event[];
  advance(until: number): Event[];
  advance_through(until: number): Event[];
  push(impulse: ArrayLike<number>): Event[];
  close(): void;
}

export interface Model {
  readonly text: string;
  check(options?: Options): Record<string, unknown>;
  /** The answer of `check --repair`, and the text with the repaired start. */
  repair(options?: Options): { succeeded: boolean; check: Record<string, unknown>; text?: string; broken?: string };
  accelerate(options?: Options): Record<string, unknown>;
  impact(options?: Options): Record<string, unknown>;
  explain(options?: Options): Record<string, unknown>;
  equations(format?: "text" | "latex" | "cpp" | "python"): Record<string, unknown>;
  run(options?: RunOptions): Motion;
  compare(options?: RunOptions): Motion;
  stepper(options?: Options): Stepper;
}

export interface Zwang {
  readonly version: string;
  schema(): Record<string, unknown>;
  /** Throws ModelError where the text is wrong. */
  parse(text: string, options?: Options): Model;
}

/** The engine from its bytes, a compiled module, or the file beside this one. */
export function load(source?: BufferSource | WebAssembly.Module): Promise<Zwang>;
