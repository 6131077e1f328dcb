// The engine's own pages: bodies must be where `zwang run --json` says, and an event must show what it says.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, statSync, writeFileSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { after, before, test } from "node:test";
import { open_browser, open_page, scratch } from "./harness.mjs";

const command = process.env.ZWANG_COMMAND;
const skip = command ? false : "ZWANG_COMMAND names no zwang";
const folder = scratch(after);
let browser;
let plain;

before(async () => {
  if (command) [browser, plain] = await Promise.all([open_browser(), open_browser({ webgl: false })]);
});
after(async () => {
  await browser?.close();
  await plain?.close();
});

// Run a model; its answer, and the page it wrote.
function run(model, ...options) {
  const result = spawnSync(command, ["run", model, "--json", "--out", join(folder, "out"), ...options], { encoding: "utf8", cwd: folder, maxBuffer: 1 << 28 });
  assert.ok([0, 3].includes(result.status), result.stderr + result.stdout.slice(0, 500));
  const answer = JSON.parse(result.stdout);
  const file = answer.files.find((name) => name.endsWith(".html"));
  assert.ok(file, `a page is among ${answer.files}`);
  return { answer, path: isAbsolute(file) ? file : join(folder, file) };
}

// Places as the page tells them against those of the engine, relative to the size of the motion.
function assert_same_places(shown, told, tolerance, what, size = size_of([told])) {
  let compared = 0;
  for (const [body, place] of Object.entries(told)) {
    if (!Array.isArray(place) || !(body in shown)) continue;
    place.forEach((value, m) => {
      compared++;
      assert.ok(Math.abs(shown[body][m] - value) <= tolerance * size, `${what}: ${body}[${m}] is shown at ${shown[body][m]} instead of ${value}`);
    });
  }
  assert.ok(compared > 0, "something was compared");
}

// The largest coordinate in a list of states.
function size_of(states) {
  return Math.max(1e-300, ...states.flatMap((places) => Object.values(places).flat().map(Math.abs)));
}

const models = [
  ["string-pendulum", "webgl", [0, 0.5, 0.9, 1.5, 3.3, 6]],
  ["bouncing-ball", "webgl", [0, 0.3, 0.55, 0.9, 2]],
  ["chain-meets-beam", "canvas", [0, 0.4, 1.7, 5.5, 10]],
];
for (const [name, renderer, times] of models)
  test(`${name}: the page shows the engine's places, with ${renderer}`, { skip }, async () => {
    const { answer, path } = run(`gallery:${name}`, "--sample-at", times.join(","));
    const { page, complaints, close } = await open_page(renderer === "webgl" ? browser : plain, path);
    assert.equal(await page.evaluate(() => window.zwang.renderer), renderer);
    const size = size_of(answer.samples.map(({ positions }) => positions));
    for (const sample of answer.samples) {
      const { computed, drawn } = await page.evaluate((t) => {
        window.zwang.seek(t);
        return { computed: Object.values(window.zwang.positions())[0], drawn: Object.values(window.zwang.drawn())[0] };
      }, sample.time);
      assert_same_places(computed, sample.positions, 1e-9, `t = ${sample.time}, computed`, size);
      assert_same_places(drawn, sample.positions, 1e-6, `t = ${sample.time}, drawn`, size);
    }

    // Playing comes to the same places: stop anywhere and ask the engine again.
    await page.evaluate(() => {
      window.zwang.seek(0);
      window.zwang.play();
    });
    await page.waitForFunction(() => window.zwang.time() > 0.02);
    const [t, shown] = await page.evaluate(() => {
      window.zwang.pause();
      return [window.zwang.time(), Object.values(window.zwang.positions())[0]];
    });
    assert_same_places(shown, run(`gallery:${name}`, "--sample-at", String(t)).answer.samples[0].positions, 1e-9, `playing, t = ${t}`, size);
    assert.deepEqual(complaints, []);
    assert.deepEqual(await page.evaluate(() => window.zwang.errors), []);
    await close();
  });

test("every event of a run shows the engine's time, impulses and velocities", { skip }, async () => {
  const { answer, path } = run("gallery:string-pendulum");
  const { page, complaints, close } = await open_page(plain, path);
  const near = (a, b, size) => assert.ok(Math.abs(a - b) <= 1e-6 * (size + Math.abs(b)), `${a} instead of ${b}`);
  for (const [index, event] of answer.events.entries()) {
    await page.keyboard.press("]");
    const shown = await page.evaluate(() => ({
      event: window.zwang.event(),
      time: window.zwang.time(),
      title: document.querySelector(".event-card h2").textContent.toLowerCase(),
      changes: [...document.querySelectorAll(".changes tbody tr")].map((row) => [row.querySelector("th").textContent, ...[...row.querySelectorAll("td")].map((cell) => Number(cell.dataset.value))]),
      impulses: Object.fromEntries([...document.querySelectorAll(".impulses tbody tr")].map((row) => [row.querySelector("th").textContent, Number(row.querySelector("td").dataset.value)])),
      places: Object.values(window.zwang.positions())[0],
    }));
    assert.equal(shown.event, index);
    assert.ok(shown.title.includes(event.kind), `${shown.title} names the ${event.kind}`);
    near(shown.time, event.time, 0);
    assert_same_places(shown.places, event.positions, 1e-9, `event ${index}`);
    assert.deepEqual(Object.keys(shown.impulses).sort(), Object.keys(event.impulses ?? {}).sort());
    for (const [row, value] of Object.entries(event.impulses ?? {})) near(shown.impulses[row], value, 1e-9);

    // Velocities that the shock changed are those after it.
    for (const [variable, , value] of shown.changes) {
      const [, body, axis] = variable.match(/^(.*)\.([xyz])′$/);
      near(value, event.velocities[body]["xyz".indexOf(axis)], 1);
    }
  }
  assert.deepEqual(complaints, []);
  await close();
});

test("models of every kind open without a complaint", { skip }, async () => {
  for (const name of ["bead-on-rotating-wire", "hard-balls", "two-floors", "jam"]) {
    const { path } = run(`gallery:${name}`);
    const { page, complaints, close } = await open_page(plain, path, { width: 700, height: 420 });
    assert.equal(await page.locator(".stage").count(), 1, name);
    assert.deepEqual(complaints, [], name);
    await close();
  }
});

test("runs of several parameters lie over one another under their names", { skip }, async () => {
  const { answer, path } = (() => {
    const result = spawnSync(command, ["run", "gallery:string-pendulum", "--vary", "g=5,9.81", "--out", join(folder, "vary")], { encoding: "utf8", cwd: folder });
    assert.equal(result.status, 0, result.stderr);
    const found = spawnSync("find", [join(folder, "vary"), "-name", "*.html"], { encoding: "utf8" }).stdout.trim().split("\n");
    return { answer: result.stdout, path: found[0] };
  })();
  assert.ok(existsSync(path), answer);
  const { page, complaints, close } = await open_page(plain, path, { hash: "t=1" });
  assert.equal(Object.keys(await page.evaluate(() => window.zwang.drawn())).length, 2);
  assert.equal(await page.locator(".run").count(), 2);
  assert.deepEqual(complaints, []);
  await close();
});

test("a run of 10^5 pieces stays under ten mebibytes, opens, plays, and is as exact as its note says", { skip }, async () => {
  const file = join(folder, "box.toml");
  const wall = (name, condition) => `${name} = { condition = "${condition}", restitution = 1 }\n`;
  writeFileSync(
    file,
    'gravity = [0, -9.81]\n[points.ball]\nmass = 1\nposition = [0.3, 0.7]\nvelocity = [1, 0]\n[constraints]\n' +
      wall("floor", "ball.y >= 0") + wall("left", "ball.x >= 0") + wall("right", "ball.x <= 1") + "[simulation]\nuntil = 45000\n",
  );
  const { answer, path } = run(file, "--sample-at", "10.25,22222.125,44999.5");
  assert.ok(answer.events.length > 100000, `${answer.events.length} events`);
  assert.ok(statSync(path).size < 10 * 1024 * 1024);
  const { page, complaints, close } = await open_page(plain, path, { hash: "play=1" });
  await page.waitForFunction(() => window.zwang.time() > 0.05);
  for (const sample of answer.samples) {
    const shown = await page.evaluate((t) => (window.zwang.pause(), window.zwang.seek(t), Object.values(window.zwang.positions())[0]), sample.time);
    assert_same_places(shown, sample.positions, 1e-4, `t = ${sample.time}`);
  }
  assert.deepEqual(complaints, []);
  await close();
});
