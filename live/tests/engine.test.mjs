// The engine as WebAssembly against the command: the same events, the same states, to the last bit; and the face for programs.
//
//   ZWANG_PACKAGE=build/live/package ZWANG_COMMAND=build/release/bin/zwang node --test live/tests/engine.test.mjs
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "..", "..");
const built = resolve(process.env.ZWANG_PACKAGE ?? join(root, "build", "live", "package"));
const command = resolve(process.env.ZWANG_COMMAND ?? join(root, "build", "release", "bin", "zwang"));
const gallery = join(root, "gallery");
const folder = mkdtempSync(join(tmpdir(), "zwang-live-"));
after(() => rmSync(folder, { recursive: true, force: true }));

let zwang;
let ModelError;
before(async () => {
  const module = await import(pathToFileURL(join(built, "zwang.mjs")).href);
  ModelError = module.ModelError;
  zwang = await module.load();
});

const text_of = (name) => readFileSync(join(gallery, name, "model.toml"), "utf8");

function native(...words) {
  const result = spawnSync(command, [...words, "--json"], { encoding: "utf8", cwd: folder, maxBuffer: 1 << 29 });
  assert.ok(result.stdout.length > 0, result.stderr);
  return JSON.parse(result.stdout);
}

// What a run leaves on a disk is not part of the motion.
function bare(answer) {
  const { files, seconds, ...rest } = answer;
  return rest;
}

test("the engine has the version of the command", () => {
  assert.equal(`zwang ${zwang.version}`, spawnSync(command, ["--version"], { encoding: "utf8" }).stdout.trim());
});

// One test for each model, so that one that differs is named: every fourth, since the browser's tests compare all of them; all but those that take
// seconds with ZWANG_SOAK in the environment.
const step = process.env.ZWANG_SOAK ? 1 : 4;
const long = new Set(["avalanche", "cloth-on-a-ball", "gas-of-discs", "gas-with-a-piston", "net-on-ball", "sheared-net", "turned-tower", "two-gases-mixing"]);
for (const name of readdirSync(gallery).sort().filter((model, k) => k % step === 0 && !long.has(model)))
  test(`${name}: the same events and states as the command's, to the bit`, () => {
    const expected = native("run", `gallery:${name}`, "--no-report", "--out", folder);
    const motion = zwang.parse(text_of(name), { file: `gallery:${name}` }).run();
    const { engine, number, ...answer } = motion;
    assert.deepEqual(bare(answer), bare(expected));
    motion.close();
  });

for (const [question, names] of [
  ["check", ["string-pendulum", "net-on-ball", "rolling-coin"]],
  ["accelerate", ["chain-meets-beam", "ladder", "two-floors"]],
  ["explain", ["chain-meets-beam", "jam"]],
  ["impact", ["chain-meets-beam"]],
])
  test(`${question} answers as the command does`, () => {
    for (const name of names) assert.deepEqual(zwang.parse(text_of(name), { file: `gallery:${name}` })[question](), native(question, `gallery:${name}`));
  });

test("equations are written as the command writes them", () => {
  for (const format of ["text", "latex", "python"]) assert.deepEqual(zwang.parse(text_of("rolling-coin"), { file: "gallery:rolling-coin" }).equations(format), native("equations", "gallery:rolling-coin", "--format", format));
});

test("a mistake has the message, the line and the column that the command tells", () => {
  for (const [wrong, right] of [["mass", "mas"], ["bead[3].y", "bead[3].q"], ["gravity", "gravty"], ["5", "5 +"]]) {
    const text = text_of("chain-meets-beam").replace(wrong, right);
    const told = spawnSync(command, ["check", "-", "--json"], { input: text, encoding: "utf8" });
    const expected = JSON.parse(told.stdout).error;
    assert.throws(
      () => zwang.parse(text, { file: "standard input" }),
      (error) => error instanceof ModelError && error.what === expected.message && error.line === expected.line && error.column === expected.column,
      JSON.stringify(expected),
    );
  }
});

test("a start is mended as the command mends it", () => {
  const text = '# nearly on the rod\n[points.a]\nmass = 1\nposition = [0.6, 0.81]\nvelocity = [1, 0]\n[constraints]\nrod = "norm(a) = 1"\n';
  const told = spawnSync(command, ["check", "-", "--repair"], { input: text, encoding: "utf8" });
  assert.equal(told.status, 0, told.stderr);
  const mended = zwang.parse(text, { file: "standard input" }).repair();
  assert.equal(mended.succeeded, true);
  assert.equal(mended.text, told.stdout);

  // What is dragged in the page comes with the question.
  const [, x, y] = /position = \[([^,]*), ([^\]]*)\]/.exec(zwang.parse(text).repair({ position: { 0: 3, 1: 4 } }).text).map(Number);
  assert.ok(Math.abs(x - 0.6) < 1e-12 && Math.abs(y - 0.8) < 1e-12, `${x}, ${y}`);
});

test("the program in the documentation runs", () => {
  const page = readFileSync(join(root, "docs", "how-to", "play-with-a-model.md"), "utf8");
  const program = /```js fragment\n([^]*?)```/.exec(page)[1].replace("./build/live/package/zwang.mjs", pathToFileURL(join(built, "zwang.mjs")).href);
  const result = spawnSync(process.execPath, ["--input-type=module", "--eval", program], { encoding: "utf8" });
  assert.equal(result.status, 0, result.stderr);
  assert.match(result.stdout, /\n3 Float64Array/);
  assert.match(page, /\$ zwang live gallery:chain-meets-beam --no-open\nout\/chain-meets-beam-live.html\n/);
});

test("states at any times come as arrays of numbers, and agree with the samples of the answer", () => {
  const motion = zwang.parse(text_of("chain-meets-beam")).run({ until: 2, sample_at: [0.5, 1.5] });
  const { position, velocity } = motion.states([0.5, 1.5]);
  const flat = (quantities) => Object.values(quantities).flat();
  assert.deepEqual([...position], motion.samples.flatMap(({ positions }) => flat(positions)));
  assert.deepEqual([...velocity], motion.samples.flatMap(({ velocities }) => flat(velocities)));
  assert.equal(motion.final.time, 2);
  motion.close();
  assert.throws(() => motion.states([1]), ModelError);
});

test("what means nothing is refused with its name", () => {
  const text = 'gravity = [0, -10]\n[points.ball]\nmass = 2\nposition = [0, 5]\n[simulation]\nuntil = 1\n';
  const model = zwang.parse(text);
  assert.throws(() => zwang.parse(), /the text of a model is needed/);
  assert.throws(() => zwang.parse(text, { untill: 2 }), /there is no option 'untill'/);
  assert.throws(() => model.run({ until: Infinity }), /until: Infinity is not finite/);
  assert.throws(() => model.run({ sample_at: "0.5" }), /sample_at: an array of times/);
  assert.throws(() => model.run({ sample_at: [NaN] }), /sample_at: NaN is no time/);
  assert.throws(() => model.run({ sample_at: [0.5, 9] }), /sample_at: 9 lies outside of the run, which ends at 1/);
  assert.throws(() => model.equations("fortran"), /not 'fortran'/);
  const motion = model.run();
  assert.throws(() => motion.states([NaN]), /states: NaN/);
  motion.close();
  const stepper = model.stepper();
  assert.throws(() => stepper.advance(), /advance: a time is needed/);
  assert.throws(() => stepper.push([0, NaN]), /the impulse is not finite/);
});

test("a run that is asked to stop is interrupted where it is", () => {
  let asked = 0;
  const motion = zwang.parse(text_of("chain-meets-beam")).run({ until: 1e7, go_on: () => ++asked < 2 });
  assert.equal(motion.status, "interrupted");
  assert.ok(motion.final.time > 0 && motion.final.time < 1e7);
});

test("a stepper goes on to the events of the run, feels a push, and says what it set off", () => {
  const model = zwang.parse('gravity = [0, -10]\n[points.ball]\nmass = 2\nposition = [0, 5]\n[constraints]\nfloor = "ball.y >= 0"\n[simulation]\nuntil = 3\n');
  const stepper = model.stepper();
  const events = stepper.advance(3);
  assert.equal(events.length, 1);
  assert.equal(events[0].kind, "impact");
  assert.ok(Math.abs(stepper.time - 1) < 1e-12);
  stepper.push([0, 2 * 4]);
  stepper.advance(stepper.time + 0.1);
  assert.ok(Math.abs(stepper.velocity[1] - 3) < 1e-12);
  assert.ok(Math.abs(stepper.position[1] - 0.35) < 1e-12);
});
