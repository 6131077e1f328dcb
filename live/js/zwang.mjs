// zwang for programs: models from texts, motions, steppers. See zwang.d.ts for what there is.
import { start } from "./engine.mjs";

// What the text, a value or a question has wrong, with its place.
export class ModelError extends Error {
  constructor({ message, file, line, column, excerpt }) {
    super(line ? `${file}:${line}:${column}: ${message}` : message);
    this.name = "ModelError";
    this.file = file;
    this.line = line;
    this.column = column;
    this.excerpt = excerpt;
    this.what = message;
  }
}

function read(text) {
  const answer = JSON.parse(text);
  // The estimated error of a run is a number, or the word that it is lost.
  if (typeof answer.error === "object") throw new ModelError(answer.error);
  return answer;
}

const known_options = ["set", "until", "at", "tolerance", "samples", "law", "file", "format", "position", "velocity"];

// What is no option, or no number where one is meant, is refused here, where it can be named.
function checked_options(options = {}) {
  for (const [name, value] of Object.entries(options)) {
    if (!known_options.includes(name)) throw new TypeError(`there is no option '${name}': there are ${known_options.join(", ")}`);
    if (typeof value === "number" && !Number.isFinite(value)) throw new RangeError(`${name}: ${value} is not finite`);
    if (value === null) throw new TypeError(`${name}: null is no value`);
  }
  return options;
}

function checked_times(times, word) {
  if (typeof times === "string" || times === null || times?.[Symbol.iterator] === undefined) throw new TypeError(`${word}: an array of times is needed`);
  const numbers = Float64Array.from(times);
  const wrong = numbers.find((time) => !Number.isFinite(time));
  if (wrong !== undefined) throw new RangeError(`${word}: ${wrong} is no time`);
  return numbers;
}

function checked_time(time, word) {
  if (typeof time !== "number" || !Number.isFinite(time)) throw new RangeError(`${word}: a time is needed, not ${time}`);
  return time;
}

// Values and options as the engine takes them, one line each.
export function settings_text({ set = {}, until, at, tolerance, samples, law, file, format, position = {}, velocity = {} } = {}) {
  const lines = [];
  const line = (text) => lines.push(text.replaceAll("\n", " "));
  for (const [name, value] of Object.entries(set)) line(`set ${name}=${Array.isArray(value) ? `[${value.join(", ")}]` : value}`);
  for (const [word, value] of Object.entries({ until, at, tolerance, samples, law, file, format })) if (value !== undefined) line(`${word} ${value}`);
  for (const [index, value] of Object.entries(position)) line(`position ${index} ${value}`);
  for (const [index, value] of Object.entries(velocity)) line(`velocity ${index} ${value}`);
  return lines.join("\n");
}

class Motion {
  constructor(engine, number, sample_at) {
    this.engine = engine;
    this.number = number;
    Object.assign(this, read(engine.run_json(number, sample_at)));
    if (this.status === "finished" && this.samples !== undefined && this.samples.length < sample_at.length) {
      this.close();
      throw new RangeError(`sample_at: ${sample_at.find((time) => !this.samples.some((one) => one.time === time))} lies outside of the run, which ends at ${this.final.time}`);
    }
  }
  // Positions and velocities at times, one state after the other, in the order of `variables`.
  states(times) {
    const both = this.engine.states(this.number, checked_times(times, "states"));
    if (!both) throw new ModelError(JSON.parse(this.engine.answer()).error);
    return { position: both.subarray(0, both.length / 2), velocity: both.subarray(both.length / 2) };
  }
  accelerate(time) {
    return read(this.engine.at(this.number, "accelerate", checked_time(time, "accelerate")));
  }
  explain(time) {
    return read(this.engine.at(this.number, "explain", checked_time(time, "explain")));
  }
  // The data of the animated report (docs/reference/page-data.md).
  page(bytes = 1 << 22) {
    return this.engine.page(this.number, bytes);
  }
  close() {
    this.engine.close(this.number);
  }
}

class Stepper {
  constructor(engine, number) {
    this.engine = engine;
    this.number = number;
    this.take(engine.answer());
  }
  take(text) {
    const { time, status, why, position, velocity, events } = read(text);
    Object.assign(this, { time, status, why, position: Float64Array.from(position), velocity: Float64Array.from(velocity), events });
    return this.events;
  }
  // On to a time, or to the next event if that comes first; the events of that instant.
  advance(until) {
    return this.take(this.engine.stepper_advance(this.number, checked_time(until, "advance"), true));
  }
  // On to a time whatever happens; all events on the way.
  advance_through(until) {
    return this.take(this.engine.stepper_advance(this.number, checked_time(until, "advance_through"), false));
  }
  // An impulse now, one number per variable; what it sets off.
  push(impulse) {
    return this.take(this.engine.stepper_push(this.number, impulse));
  }
  close() {
    this.engine.stepper_close(this.number);
  }
}

class Model {
  constructor(engine, text, options) {
    if (typeof text !== "string") throw new TypeError(`the text of a model is needed, not ${text === undefined ? "nothing" : typeof text}`);
    this.engine = engine;
    this.text = text;
    this.options = checked_options(options);
    this.check();
  }
  ask(question, options) {
    return read(this.engine.ask(question, this.text, settings_text({ ...this.options, ...checked_options(options) })));
  }
  check(options) {
    return this.ask("check", options);
  }
  repair(options) {
    return this.ask("repair", options);
  }
  accelerate(options) {
    return this.ask("accelerate", options);
  }
  impact(options) {
    return this.ask("impact", options);
  }
  explain(options) {
    return this.ask("explain", options);
  }
  equations(format = "text") {
    if (!["text", "latex", "cpp", "python"].includes(format)) throw new TypeError(`format: 'text', 'latex', 'cpp' or 'python', not '${format}'`);
    return this.ask("equations", { format });
  }
  // The motion to its end. `go_on` is asked about every tenth of a second; false interrupts.
  run({ sample_at = [], go_on, ...options } = {}) {
    return this.follow(false, sample_at, go_on, options);
  }
  // Under the straightest and under the variational law.
  compare({ sample_at = [], go_on, ...options } = {}) {
    return this.follow(true, sample_at, go_on, options);
  }
  follow(both_laws, sample_at, go_on, options) {
    const { engine } = this;
    const times = checked_times(sample_at, "sample_at");
    const number = engine.begin(this.text, settings_text({ ...this.options, ...checked_options(options) }), both_laws);
    if (number === 0) throw new ModelError(JSON.parse(engine.answer()).error);
    for (;;) {
      const going = engine.go_on(number, 100);
      if (going < 0) throw new ModelError(JSON.parse(engine.answer()).error);
      if (going === 0 || (go_on && !go_on(engine.time(number)))) break;
    }
    return new Motion(engine, number, times);
  }
  stepper(options) {
    const { engine } = this;
    const number = engine.stepper(this.text, settings_text({ ...this.options, ...checked_options(options) }));
    if (number === 0) throw new ModelError(JSON.parse(engine.answer()).error);
    return new Stepper(engine, number);
  }
}

// The engine from its bytes, a compiled module, or the file beside this one.
export async function load(source) {
  let module = source;
  if (source === undefined) {
    const place = new URL("./zwang.wasm", import.meta.url);
    if (place.protocol === "file:") source = await (await import("node:fs/promises")).readFile(place);
    else source = await (await fetch(place)).arrayBuffer();
  }
  if (!(module instanceof WebAssembly.Module)) module = await WebAssembly.compile(source);
  const engine = await start(module);
  return {
    version: engine.version(),
    schema: () => JSON.parse(engine.ask("schema", "", "")),
    // Throws ModelError where the text is wrong.
    parse: (text, options = {}) => new Model(engine, text, options),
  };
}
