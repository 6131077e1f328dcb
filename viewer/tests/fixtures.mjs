// Writes pages as the engine does, from motions whose formulas are known, so that the viewer can be tested without it.
import { readFileSync, writeFileSync } from "node:fs";
import { deflateSync } from "node:zlib";

const sizes = { f64: 8, f32: 4, u32: 4, u16: 2, u8: 1 };

// Gathers arrays of numbers, each aligned to 8 bytes, and names them as blocks.
export class Blob {
  parts = [];
  length = 0;

  block(type, numbers, extra = {}) {
    const bytes = Buffer.alloc(sizes[type] * numbers.length);
    const write = { f64: "writeDoubleLE", f32: "writeFloatLE", u32: "writeUInt32LE", u16: "writeUInt16LE", u8: "writeUInt8" }[type];
    for (let i = 0; i < numbers.length; i++) bytes[write](numbers[i], i * sizes[type]);
    const at = this.length;
    const padding = Buffer.alloc((8 - (bytes.length % 8)) % 8);
    this.parts.push(bytes, padding);
    this.length += bytes.length + padding.length;
    return { type, at, count: numbers.length, ...extra };
  }

  // Numbers in 16 bits between their least and their largest, gaps as 65535.
  quantised(numbers) {
    const finite = numbers.filter(Number.isFinite);
    const low = Math.min(...finite);
    const high = Math.max(...finite);
    const code = (value) => (Number.isFinite(value) ? (high > low ? Math.round(((value - low) / (high - low)) * 65534) : 0) : 65535);
    return this.block("u16", numbers.map(code), { low, high });
  }
}

// The bytes between "ZWPG" and the end, before compression.
export function pack(header, blob) {
  let text = JSON.stringify(header);
  while ((8 + Buffer.byteLength(text)) % 8 !== 0) text += " ";
  const head = Buffer.alloc(8);
  head.write("ZWPG", "latin1");
  head.writeUInt32LE(Buffer.byteLength(text), 4);
  return Buffer.concat([head, Buffer.from(text), ...blob.parts]);
}

export const base64_of = (bytes) => deflateSync(bytes).toString("base64");
export const script_of = (base64) => `<script id="zwang-data" type="text/plain">${base64}</script>`;

export function write_page(shell, path, base64) {
  writeFileSync(path, readFileSync(shell, "utf8").replace("<!--zwang:data-->", () => script_of(base64)));
}

// Pieces of polynomials: [{start, coefficients: [variable][order]}], all variables of a piece of the same order.
export function pieces_of(blob, pieces, end, extra = {}) {
  const coefficients = [];
  for (const { coefficients: c } of pieces)
    for (let k = 0; k < c[0].length; k++) for (const variable of c) coefficients.push(variable[k] ?? 0);
  return {
    start: blob.block("f64", pieces.map(({ start }) => start)),
    end,
    orders: blob.block("u8", pieces.map(({ coefficients: c }) => c[0].length)),
    coefficients: blob.block("f64", coefficients),
    accuracy: 0,
    ...extra,
  };
}

export const kinds = ["blow", "seizure", "impact", "release", "contact", "graze", "singular", "accumulation", "let go"];

// Events: [{time, kind, rows, impulses: {row: value}, changes: [[variable, before, after]], lost}].
export function events_of(blob, events, extra = {}) {
  const starts = (list) => {
    const result = [0];
    for (const entry of list) result.push(result[result.length - 1] + entry.length);
    return result;
  };
  const impulses = events.map((event) => Object.entries(event.impulses ?? {}));
  const changes = events.map((event) => event.changes ?? []);
  const rows = events.map((event) => event.rows ?? []);
  return {
    time: blob.block("f64", events.map(({ time }) => time)),
    kind: blob.block("u8", events.map(({ kind }) => kinds.indexOf(kind))),
    kinds,
    row_start: blob.block("u32", starts(rows)),
    row: blob.block("u32", rows.flat()),
    impulse_start: blob.block("u32", starts(impulses)),
    impulse_row: blob.block("u32", impulses.flat().map(([row]) => Number(row))),
    impulse: blob.block("f64", impulses.flat().map(([, value]) => value)),
    change_start: blob.block("u32", starts(changes)),
    change_variable: blob.block("u32", changes.flat().map(([variable]) => variable)),
    before: blob.block("f64", changes.flat().map(([, before]) => before)),
    after: blob.block("f64", changes.flat().map(([, , after]) => after)),
    lost: blob.block("f64", events.map(({ lost }) => lost ?? 0)),
    left_out: 0,
    ...extra,
  };
}

// A ball that bounces in exact parabolas with restitution e, and lies still once its flights have become too short to see.
export function bounces(g, height, speed_x, e, until) {
  const pieces = [];
  const events = [];
  let t = 0;
  let y = height;
  let v = 0;
  while (t < until) {
    if (t > 0 && v < 0.05) {
      pieces.push({ start: t, coefficients: [[speed_x * t, speed_x, 0], [0, 0, 0]] });
      events.push({ time: t, kind: "accumulation", rows: [0] });
      break;
    }
    const flight = (v + Math.sqrt(v * v + 2 * g * y)) / g;
    pieces.push({ start: t, coefficients: [[speed_x * t, speed_x, 0], [y, v, -g / 2]] });
    t += flight;
    const down = v - g * flight;
    if (t < until) events.push({ time: t, kind: "impact", rows: [0], impulses: { 0: -down * (1 + e) }, changes: [[1, down, -e * down]], lost: (down * down * (1 - e * e)) / 2 });
    y = 0;
    v = -e * down;
  }
  return { pieces, events };
}

// Value and rate of variable i at t, straight from the list of pieces.
export function evaluate(pieces, i, t) {
  let p = 0;
  while (p + 1 < pieces.length && pieces[p + 1].start <= t) p++;
  const s = t - pieces[p].start;
  const c = pieces[p].coefficients[i];
  let value = 0;
  let rate = 0;
  c.forEach((coefficient, k) => {
    value += coefficient * Math.pow(s, k);
    if (k > 0) rate += k * coefficient * Math.pow(s, k - 1);
  });
  return { value, rate };
}

// A plane page: the bouncing ball over its floor, and a second body on a string that goes slack and taut.
const formula = '<math display="block"><mi>m</mi><mover><mi>y</mi><mo>¨</mo></mover><mo>=</mo><mo>-</mo><mi>m</mi><mi>g</mi><mo>-</mo><mi>λ</mi></math>';
export function ball_page({ until = 6, e = 0.8, labels = [""], notes = [], equations = formula } = {}) {
  const blob = new Blob();
  const g = 9.81;
  const all = labels.map((_, r) => bounces(g, 1.5 - 0.3 * r, 0.5, e, until));
  const times = Array.from({ length: 301 }, (_, i) => (until * i) / 300);
  const runs = all.map(({ pieces, events }, r) => {
    const height = times.map((t) => evaluate(pieces, 1, t));
    return {
      ...(labels[r] ? { label: labels[r] } : {}),
      status: "finished",
      start: 0,
      end: until,
      steps: pieces.length,
      pieces: pieces_of(blob, pieces, until),
      events: events_of(blob, events),
      channels: {
        time: blob.block("f64", times),
        series: [
          { group: "multipliers", name: "floor", row: 0, value: blob.quantised(times.map((t) => (t >= pieces[pieces.length - 1].start ? g : 0))) },
          { group: "conditions", name: "floor", row: 0, value: blob.quantised(height.map(({ value }) => -value)) },
          { group: "energy", name: "kinetic", value: blob.quantised(height.map(({ rate }) => (rate * rate + 0.25) / 2)) },
          { group: "energy", name: "potential", value: blob.quantised(height.map(({ value }) => g * value)) },
          { group: "energy", name: "total", value: blob.quantised(height.map(({ value, rate }) => g * value + (rate * rate + 0.25) / 2)) },
        ],
      },
      summary: {
        energy: { initial: g * 1.5 + 0.125, work: 0, lost: events.reduce((sum, { lost }) => sum + lost, 0), final: 1.2, defect: 1e-15 },
        drift: { position: 1e-16, velocity: 2e-16 },
        steps: pieces.length,
        sentences: [`The ball struck the floor ${events.length} times.`],
      },
    };
  });
  const header = {
    zwang: "0.1.0",
    format: 1,
    title: "A ball that bounces",
    file: "ball.toml",
    model: 'title = "A ball that bounces"\n\n[parameters]\ng = 9.81  # m/s^2\n\n[points.ball]\nmass = 1.0\nposition = [0, 1.5]\n\n[constraints]\nfloor = { condition = "ball.y >= 0", restitution = 0.8 }\n',
    parameters: { g },
    dimension: 2,
    variables: ["ball.x", "ball.y"],
    coordinates: 2,
    bodies: [{ name: "ball", mass: 1, track: [0, 1] }],
    rows: [{ name: "floor", kind: "holonomic inequality", text: "ball.y >= 0" }],
    shapes: [{ kind: "plane", row: 0, name: "floor", relation: ">=", normal: [0, -1, 0], offset: 0, side: 1, bodies: [0] }],
    box: [[0, 0, 0], [0.5 * until, 1.5, 0]],
    up: [0, 1, 0],
    equations,
    notes,
    runs,
  };
  return { bytes: pack(header, blob), all };
}

// Space: `count` points that circle at different heights, tied to their neighbours by strings.
export function crowd_page(count, { until = 10, order = 16 } = {}) {
  const blob = new Blob();
  const pieces = [];
  const step = 0.25;

  // Taylor pieces of cosine and sine with angular velocity w about each start.
  const factorial = [1];
  for (let k = 1; k <= order; k++) factorial.push(factorial[k - 1] * k);
  for (let start = 0; start < until; start += step) {
    const coefficients = [];
    for (let b = 0; b < count; b++) {
      const w = 0.6 + (0.8 * b) / count;
      const phase = (2 * Math.PI * b * 7) / count;
      const radius = 1 + 0.5 * Math.sin(b);
      const series = (shift) => Array.from({ length: order }, (_, k) => (radius * Math.pow(w, k) * Math.cos(w * start + phase + shift + (k * Math.PI) / 2)) / factorial[k]);
      coefficients.push(series(0), series(-Math.PI / 2), [(2 * b) / count, ...Array(order - 1).fill(0)]);
    }
    pieces.push({ start, coefficients });
  }
  const bodies = Array.from({ length: count }, (_, b) => ({ name: `bead[${b + 1}]`, mass: 1 + (b % 5), track: [3 * b, 3 * b + 1, 3 * b + 2] }));
  const shapes = [];
  const rows = [];
  for (let b = 0; b + 1 < count; b++) {
    rows.push({ name: `link[${b + 1}]`, kind: "holonomic inequality", text: `distance(bead[${b + 1}], bead[${b + 2}]) <= L` });
    shapes.push({ kind: "line", row: b, name: `link[${b + 1}]`, relation: "<=", from: { body: b }, to: { body: b + 1 }, length: 3.2 });
  }
  const times = [0, until];
  const header = {
    zwang: "0.1.0",
    format: 1,
    title: `${count} points`,
    dimension: 3,
    variables: bodies.flatMap(({ name }) => ["x", "y", "z"].map((axis) => `${name}.${axis}`)),
    bodies,
    rows,
    shapes,
    box: [[-1.5, -1.5, 0], [1.5, 1.5, 2]],
    up: [0, 0, 1],
    runs: [
      {
        status: "finished",
        pieces: pieces_of(blob, pieces, until),
        events: events_of(blob, []),
        channels: { time: blob.block("f64", times), series: rows.map(({ name }, row) => ({ group: "multipliers", name, row, value: blob.quantised([row % 7, (row * 3) % 11]) })) },
        summary: {},
      },
    ],
  };
  return { bytes: pack(header, blob), pieces };
}

// A pendulum swinging with as many pieces as asked for, every one of them ended by an event.
export function long_page(count) {
  const blob = new Blob();
  const step = 0.01;
  const order = 4;
  const starts = new Float64Array(count);
  const coefficients = new Float64Array(count * order * 2);
  for (let p = 0; p < count; p++) {
    const t = (starts[p] = p * step);
    const [c, s] = [Math.cos(t), Math.sin(t)];
    coefficients.set([s, -c, c, s, -s / 2, c / 2, -c / 6, -s / 6], p * order * 2);
  }
  const events = Array.from({ length: count - 1 }, (_, p) => ({ time: (p + 1) * step, kind: kinds[2 + (p % 4)], rows: [0] }));
  const header = {
    zwang: "0.1.0",
    format: 1,
    title: "A long run",
    dimension: 2,
    variables: ["a.x", "a.y"],
    bodies: [{ name: "a", mass: 1, track: [0, 1] }],
    rows: [{ name: "string", kind: "holonomic inequality", text: "distance(a, O) <= 1" }],
    shapes: [{ kind: "line", row: 0, name: "string", relation: "<=", from: { at: [0, 0, 0] }, to: { body: 0 }, length: 1 }],
    box: [[-1, -1, 0], [1, 1, 0]],
    up: [0, 1, 0],
    notes: ["The motion was fitted anew, to 1e-5 of the picture’s size, to keep this page small."],
    runs: [
      {
        status: "finished",
        pieces: {
          start: blob.block("f64", starts),
          end: count * step,
          orders: blob.block("u8", new Uint8Array(count).fill(order)),
          coefficients: blob.block("f64", coefficients),
          accuracy: 1e-5,
        },
        events: events_of(blob, events),
        summary: {},
      },
    ],
  };
  return { bytes: pack(header, blob) };
}

// No picture: one coordinate that oscillates.
export function oscillator_page() {
  const blob = new Blob();
  const pieces = [];
  for (let p = 0; p < 40; p++) {
    const t = p * 0.25;
    const [c, s] = [Math.cos(t), Math.sin(t)];
    pieces.push({ start: t, coefficients: [[c, -s, -c / 2, s / 6, c / 24, -s / 120, -c / 720]] });
  }
  const header = {
    zwang: "0.1.0",
    format: 1,
    title: "An oscillator",
    dimension: 0,
    variables: ["x"],
    coordinates: 1,
    phase: [[0, "x", "x'"]],
    runs: [{ status: "finished", pieces: pieces_of(blob, pieces, 10), summary: {} }],
  };
  return { bytes: pack(header, blob), pieces };
}

// Discs in a box, their places on a common grid of times with straight lines between them, in single precision.
export function discs_page(count, { frames = 20, radius = 0.35 } = {}) {
  const blob = new Blob();
  const side = Math.ceil(Math.sqrt(count));
  const place = (v, frame) => {
    const b = v >> 1;
    const home = v & 1 ? Math.floor(b / side) : b % side;
    return home + 0.1 * Math.sin(0.7 * frame + b);
  };
  const coefficients = new Float32Array(4 * count * frames);
  for (let f = 0, at = 0; f < frames; f++) {
    for (let v = 0; v < 2 * count; v++) coefficients[at++] = place(v, f);
    for (let v = 0; v < 2 * count; v++) coefficients[at++] = place(v, f + 1) - place(v, f);
  }
  const header = {
    zwang: "0.1.0",
    format: 1,
    title: `${count} discs`,
    dimension: 2,
    variables: Array.from({ length: 2 * count }, (_, v) => `ball[${(v >> 1) + 1}].${"xy"[v & 1]}`),
    bodies: Array.from({ length: count }, (_, b) => ({ name: `ball[${b + 1}]`, mass: 1, track: [2 * b, 2 * b + 1], size: radius })),
    box: [[-1, -1, 0], [side, side, 0]],
    up: [0, 1, 0],
    runs: [{ status: "finished", pieces: { start: blob.block("f64", Array.from({ length: frames }, (_, f) => f)), end: frames, orders: blob.block("u8", Array(frames).fill(2)), coefficients: blob.block("f32", coefficients), accuracy: 1e-6 }, summary: {} }],
  };
  return { bytes: pack(header, blob), place };
}

// A sweep of thrown balls over a grid: e of `columns` values by 1 / columns, v of `rows` values by 1/8 from 1 on, or of an eighth's part of them; of the last e there are none.
export function sweep_page({ columns, rows, live }) {
  const blob = new Blob();
  const count = columns * rows;
  const of = (act) => Array.from({ length: count }, (_, k) => act(Math.floor(k / rows) / columns, 1 + (k % rows) * (rows > 8 ? 1 / 8 : 0.5), k));
  const failed = (k) => Math.floor(k / rows) === columns - 1 && !live;
  const column = (name, role, values, extra = {}) => ({ name, role, values: blob.block("f64", values), ...extra });
  const table = [
    column("e", "parameter", of((e) => e), { parameter: "e" }),
    column("v", "parameter", of((_, v) => v), { parameter: "v" }),
    column("time", "account", of(() => 7)),
    column("steps", "account", of((_e, _v, k) => 10 + (k % 7))),
    column("peak", "record", of((e, v, k) => (failed(k) ? NaN : (e * v) ** 2 / 19.62))),
    column("late", "record", of((e, v, k) => (failed(k) || e < 0.1 ? NaN : (2 * v * (1 + e)) / 9.81))),
  ];
  const failures = of((_e, _v, k) => k).filter(failed);
  const statuses = [{ name: "finished", count: count - failures.length }, ...(failures.length > 0 ? [{ name: "error", count: failures.length }] : [])];
  const header = {
    format: 1,
    kind: "sweep",
    title: "Thrown balls",
    file: "models/a ball.toml",
    total: count,
    done: count,
    columns: table,
    statuses: count > 0 ? statuses : [],
    status: blob.block("u8", of((_e, _v, k) => (failed(k) ? 1 : 0))),
    over: [`e=0..1:${columns}`, "v=1.."],
    fixed: { set: ["g=9.81", "e=0.5"], until: "7" },
    failures: failures.map((sample) => ({ sample, why: "there is no such ball" })),
    live,
  };
  return pack(header, blob);
}
