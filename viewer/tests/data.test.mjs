// Reading data and evaluating pieces, without a browser.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { deflateSync } from "node:zlib";
import { Blob, ball_page, base64_of, evaluate, pack, pieces_of } from "./fixtures.mjs";
import { import_sources, root, scratch } from "./harness.mjs";

const folder = scratch(after);
let viewer;

// Numbers that look random and are the same every time.
function* numbers(seed) {
  let state = seed;
  for (;;) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    yield state / 4294967296;
  }
}

before(async () => {
  viewer = await import_sources(
    `export * from "./data/read"; export * from "./data/pieces"; export * from "./data/runs"; export * from "./data/keys";
     export * from "./scene/strings"; export * from "./numbers"; export * from "./player"; export * from "./scene/camera";`,
    folder,
  );
});

test("every type of number comes back as it was written", async () => {
  const blob = new Blob();
  const written = { f64: [Math.PI, -1e300, 5e-324], f32: [0.5, -0.25], u32: [0, 4294967295], u16: [1, 65535], u8: [7, 255] };
  const blocks = Object.fromEntries(Object.entries(written).map(([type, list]) => [type, blob.block(type, list)]));
  const header = { format: 1, variables: [], runs: [{}] };
  const data = await viewer.read_data(base64_of(pack(header, blob)));
  for (const [type, list] of Object.entries(written)) assert.deepEqual([...data.numbers(blocks[type])], list);
});

test("quantised numbers are within half a step, and a gap is no number", async () => {
  const blob = new Blob();
  const list = [-3, 0.1, 7.5, NaN, 2];
  const block = blob.quantised(list);
  const data = await viewer.read_data(base64_of(pack({ format: 1, variables: [], runs: [{}] }, blob)));
  const back = data.numbers(block);
  const half_step = 10.5 / 65534 / 2;
  list.forEach((value, i) => (Number.isNaN(value) ? assert.ok(Number.isNaN(back[i])) : assert.ok(Math.abs(back[i] - value) <= half_step * 1.000001)));
});

test("data that is cut, damaged, foreign, newer or empty is refused in words", async () => {
  const good = base64_of(ball_page().bytes);
  const cases = [
    [good.slice(0, good.length >> 1), /ends too early|damaged/],
    [good.slice(0, 40) + "!!!" + good.slice(43), /base64|damaged/],
    ["", /empty/],
    [Buffer.from("no zlib data at all").toString("base64"), /damaged|early/],
    [deflateSync(Buffer.from("PK\x03\x04 something else")).toString("base64"), /not written by zwang/],
    [base64_of(pack({ format: 2, variables: [], runs: [{}] }, new Blob())), /format 2/],
    [base64_of(pack({ format: 1, variables: [], runs: [] }, new Blob())), /no run/],
  ];
  for (const [text, expected] of cases)
    await assert.rejects(viewer.read_data(text), (error) => {
      assert.equal(error.name, "DataError");
      assert.match(error.what, expected);
      assert.ok(error.advice.length > 10);
      return true;
    });
});

test("a block that reaches beyond the blob is refused", async () => {
  const blob = new Blob();
  const block = blob.block("f64", [1, 2, 3]);
  const data = await viewer.read_data(base64_of(pack({ format: 1, variables: [], runs: [{}] }, blob)));
  assert.throws(() => data.numbers({ ...block, count: 4 }), /ends before/);
});

test("pieces give the value and rate of their polynomials, at any order of asking", async () => {
  const random = numbers(7);
  const next = () => 2 * random.next().value - 1;
  for (let trial = 0; trial < 30; trial++) {
    const variables = 1 + (trial % 4);
    const blob = new Blob();
    const list = [];
    let start = next();
    for (let p = 0; p < 1 + trial; p++) {
      const order = 1 + Math.floor(random.next().value * 20);
      list.push({ start, coefficients: Array.from({ length: variables }, () => Array.from({ length: order }, next)) });
      start += 0.05 + random.next().value;
    }
    const header = { format: 1, variables: Array(variables).fill("q"), runs: [{ pieces: pieces_of(blob, list, start) }] };
    const data = await viewer.read_data(base64_of(pack(header, blob)));
    const pieces = new viewer.Pieces(data, header.runs[0].pieces, variables);
    const values = new Float64Array(variables);
    const rates = new Float64Array(variables);
    for (let i = 0; i < 40; i++) {
      const t = list[0].start + (start - list[0].start) * random.next().value;
      pieces.values(t, values);
      pieces.rates(t, rates);
      for (let v = 0; v < variables; v++) {
        const exact = evaluate(list, v, t);
        assert.ok(Math.abs(values[v] - exact.value) <= 1e-12 * (1 + Math.abs(exact.value)));
        assert.ok(Math.abs(rates[v] - exact.rate) <= 1e-10 * (1 + Math.abs(exact.rate)));
        assert.equal(pieces.value(v, t), values[v]);
        assert.ok(Math.abs(pieces.rate(v, t) - rates[v]) <= 1e-12 * (1 + Math.abs(rates[v])));
      }
    }
  }
});

test("at a shock the piece after it answers, and the one before it when asked", async () => {
  const { bytes, all } = ball_page();
  const data = await viewer.read_data(base64_of(bytes));
  const [run] = viewer.open_runs(data);
  for (let e = 0; e < 5; e++) {
    const { time, changes } = all[0].events[e];
    assert.ok(Math.abs(run.pieces.rate(1, time, true) - changes[0][1]) < 1e-9);
    assert.ok(Math.abs(run.pieces.rate(1, time) - changes[0][2]) < 1e-9);
    assert.deepEqual(run.events.changes(e), [{ variable: 1, before: changes[0][1], after: changes[0][2] }]);
    assert.equal(run.events.first_at(time), e);
  }
  assert.equal(run.events.first_at(1e9), run.events.count);
});

test("keys are linear between their times and stand still outside", () => {
  const table = new viewer.KeyTable([0, 1, 3], [0, 10, 1, 20, 5, 0], 2);
  const out = new Float64Array(2);
  for (const [t, expected] of [[-1, [0, 10]], [0.5, [0.5, 15]], [1, [1, 20]], [2, [3, 10]], [9, [5, 0]], [0, [0, 10]]]) {
    table.at(t, out);
    assert.deepEqual([...out], expected);
  }
});

test("a slack string is drawn with its own length between its ends", () => {
  const random = numbers(3);
  const next = () => 2 * random.next().value - 1;
  const count = 400;
  const out = new Float64Array(3 * (count + 1));
  for (let trial = 0; trial < 100; trial++) {
    const a = [next(), next(), trial % 2 ? next() : 0];
    const b = trial % 10 === 0 ? [a[0], a[1] - 0.7, a[2]] : [next(), next(), trial % 2 ? next() : 0];
    const far = Math.hypot(b[0] - a[0], b[1] - a[1], b[2] - a[2]);
    const length = far * (1.0005 + 2 * random.next().value) + 1e-3;
    viewer.hang(a, b, length, trial % 2 ? [0, 0, -1] : [0, -1, 0], out, count);
    let drawn = 0;
    for (let i = 0; i < count; i++) drawn += Math.hypot(out[3 * i + 3] - out[3 * i], out[3 * i + 4] - out[3 * i + 1], out[3 * i + 5] - out[3 * i + 2]);
    for (let m = 0; m < 3; m++) {
      assert.ok(Math.abs(out[m] - a[m]) < 1e-12);
      assert.ok(Math.abs(out[3 * count + m] - b[m]) < 1e-12);
    }
    assert.ok(Math.abs(drawn - length) < 6e-3 * length, `${drawn} instead of ${length}`);
  }
});

test("numbers are written for readers", () => {
  assert.equal(viewer.format(-0.25), "−0.25");
  assert.equal(viewer.format(1.5e-9, 3), "1.5·10⁻⁹");
  assert.equal(viewer.format(-2e12, 3), "−2·10¹²");
  assert.equal(viewer.format(1573, 3), "1570");
  assert.equal(viewer.format(NaN), "–");
  assert.equal(viewer.clock(0.5, 10), "0.500");
  assert.equal(viewer.clock(-0.5, 10), "−0.500");
});

test("time runs at its speed, stops at the end or comes round", () => {
  const player = new viewer.Player(1, 11);
  player.playing = true;
  player.loop = false;
  player.advance(2);
  assert.equal(player.time, 3);
  player.set_speed_exponent(1);
  assert.ok(player.advance(5));
  assert.equal(player.time, 11);
  assert.equal(player.playing, false);
  player.playing = true;
  player.loop = true;
  player.time = 10;
  player.advance(0.2);
  assert.ok(Math.abs(player.time - 2) < 1e-12);
  assert.equal(new viewer.Player(0, 10000).base, 1000);
  assert.equal(new viewer.Player(0, 0).advance(1), false);
});

test("the camera projects to pixels, and zooming keeps what is under the pointer", () => {
  for (const dimension of [2, 3]) {
    const camera = new viewer.Camera(dimension, undefined);
    camera.resize(800, 600);
    camera.set_box([-1, -1, dimension === 3 ? -1 : 0], [1, 1, dimension === 3 ? 1 : 0]);
    const out = new Float64Array(4);
    camera.project(...camera.target, out);
    assert.ok(Math.abs(out[0] - 400) < 1e-9 && Math.abs(out[1] - 300) < 1e-9);
    for (const corner of [[1, 1, 0], [-1, -1, 0]]) {
      camera.project(...corner, out);
      assert.ok(out[0] > 0 && out[0] < 800 && out[1] > 0 && out[1] < 600, "corners of the box are in sight");
    }
  }
  const camera = new viewer.Camera(2, [0, 1]);
  camera.resize(800, 600);
  camera.set_box([-1, -1, 0], [1, 1, 0]);
  const before = new Float64Array(4);
  const after_zoom = new Float64Array(4);
  camera.project(0.3, 0.4, 0, before);
  camera.zoom(0.5, before[0], before[1]);
  camera.project(0.3, 0.4, 0, after_zoom);
  assert.ok(Math.abs(before[0] - after_zoom[0]) < 1e-9 && Math.abs(before[1] - after_zoom[1]) < 1e-9);
});

test("the sources are typed strictly", { skip: !existsSync(join(root, "node_modules", "typescript")) && "typescript is not installed" }, () => {
  const result = spawnSync(process.execPath, [join(root, "node_modules", "typescript", "bin", "tsc"), "--noEmit", "-p", root], { encoding: "utf8" });
  assert.equal(result.status, 0, result.stdout);
});
