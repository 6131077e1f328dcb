// The page of a sweep in Chromium: brushes filter every chart, keys reach them, a click finds the sample and the way to its motion.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { base64_of, sweep_page, write_page } from "./fixtures.mjs";
import { import_sources, open_browser, open_page, scratch, shell } from "./harness.mjs";

const folder = scratch(after);
const empty = shell && join(dirname(shell), "sweep.html");
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const command = process.env.ZWANG_COMMAND;
const pictures = process.env.ZWANG_PICTURES;
const skip = command ? false : "ZWANG_COMMAND names no zwang";
const paths = {};
let browser;

before(async () => {
  const tables = { small: sweep_page({ columns: 40, rows: 25 }), live: sweep_page({ columns: 8, rows: 6, live: "balls & more-live.html" }), large: sweep_page({ columns: 400, rows: 250 }), none: sweep_page({ columns: 0, rows: 0 }) };
  for (const [name, table] of Object.entries(tables)) {
    paths[name] = join(folder, `${name}.html`);
    write_page(empty, paths[name], base64_of(table));
  }
  browser = await open_browser({ webgl: false });
});
after(() => browser?.close());

const open = (name, options) => open_page(browser, paths[name], { hash: "theme=light", width: 1200, height: 900, ...options });
const state = (page) => page.evaluate(() => ({ selected: window.zwang.selected(), brushes: window.zwang.brushes(), chosen: window.zwang.chosen(), errors: window.zwang.errors }));
const told = (page) => page.textContent(".selected");
const picture = async (page, name) => {
  if (!pictures) return;
  mkdirSync(pictures, { recursive: true });
  await page.waitForFunction(() => !window.zwang.busy());
  await page.screenshot({ path: join(pictures, `${name}.png`), fullPage: true });
};
// Drags over a chart from one share of its box to another.
async function drag(page, selector, [x0, y0], [x1, y1]) {
  const chart = page.locator(selector);
  await chart.scrollIntoViewIfNeeded();
  const box = await chart.boundingBox();
  await page.mouse.move(box.x + x0 * box.width, box.y + y0 * box.height);
  await page.mouse.down();
  await page.mouse.move(box.x + (x0 + x1) / 2 * box.width, box.y + (y0 + y1) / 2 * box.height);
  await page.mouse.move(box.x + x1 * box.width, box.y + y1 * box.height);
  await page.mouse.up();
}
// The colour of a canvas at a share of its box.
const pixel = (page, selector, x, y) =>
  page.evaluate(([where, px, py]) => {
    const canvas = document.querySelector(where);
    const copy = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
    copy.drawImage(canvas, -Math.round(px * canvas.width), -Math.round(py * canvas.height));
    return [...copy.getImageData(0, 0, 1, 1).data];
  }, [`${selector} canvas`, x, y]);

test("brushes of a histogram, an axis and a map combine, are counted, and Escape takes them away", async () => {
  const { page, complaints, close } = await open("small");
  assert.equal((await state(page)).selected, 1000);
  assert.match(await told(page), /1\u202f000 of 1\u202f000/);
  await picture(page, "sweep");

  // e is a grid of 40 values from 0 to 0.975 over tiles; half of the chart's width is half of them.
  const e = "section[aria-label='e'] .plot";
  const width = await page.evaluate((where) => document.querySelector(where).clientWidth, e);
  await drag(page, e, [10 / width, 0.5], [0.5, 0.5]);
  const first = await state(page);
  assert.equal(first.selected, 500);
  assert.ok(first.brushes.e[0] <= 0 && first.brushes.e[1] > 0.475 && first.brushes.e[1] < 0.5, JSON.stringify(first.brushes));

  // The upper half of the axis v, first in the order of the columns.
  const across = "section[aria-label='Parallel coordinates'] .plot";
  const height = await page.evaluate((where) => document.querySelector(where).clientHeight, across);
  const axis = await page.evaluate((where) => document.querySelector(where).clientWidth, across);
  const strands = await page.locator(`${across} .strand`).count();
  assert.equal(strands, 5, "e, v, peak, late and status");
  const x = (46 + (axis - 92) / (strands - 1)) / axis;
  await drag(page, across, [x, 30 / height], [x, (30 + (height - 48) / 2) / height]);
  const second = await state(page);
  assert.equal(second.selected, 20 * 13, JSON.stringify(second.brushes));
  assert.match(await told(page), /^260 of/);
  await picture(page, "sweep-brushed");

  // On the map a rectangle takes the place of both.
  await drag(page, "section[aria-label='Over two parameters'] .plot", [0.3, 0.3], [0.6, 0.6]);
  const third = await state(page);
  assert.deepEqual(Object.keys(third.brushes).sort(), ["e", "v"]);
  assert.ok(third.selected > 0 && third.selected < 1000 && third.selected !== second.selected);

  await page.keyboard.press("Escape");
  assert.deepEqual((await state(page)).brushes, {});
  assert.equal((await state(page)).selected, 1000);
  assert.deepEqual(complaints, []);
  assert.deepEqual((await state(page)).errors, []);
  await close();
});

test("what is not selected loses its colour in every chart", async () => {
  const { page, complaints, close } = await open("small");
  const map = "section[aria-label='Over two parameters']";
  await page.waitForFunction(() => window.zwang.drawn() > 0);
  const [left, right] = [await pixel(page, map, 0.25, 0.5), await pixel(page, map, 0.9, 0.5)];
  assert.ok(left[3] === 255 && right[3] === 255, "tiles everywhere");
  await page.fill("[aria-label='e to']", "0.4875");
  await page.press("[aria-label='e to']", "Enter");
  assert.equal((await state(page)).selected, 500);
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  assert.deepEqual(await pixel(page, map, 0.25, 0.5), left, "the selected tile keeps its colour");
  assert.equal((await pixel(page, map, 0.9, 0.5))[3], 0, "the other is gone");

  // A field that is emptied takes its end away.
  await page.fill("[aria-label='e to']", "");
  await page.press("[aria-label='e to']", "Enter");
  assert.equal((await state(page)).selected, 1000);
  assert.deepEqual(complaints, []);
  await close();
});

test("brushes are drawn by the keys alone, a name is a brush too, and samples are chosen from the list", async () => {
  const { page, complaints, close } = await open("small");
  const grip = page.locator("[aria-label='v, lower end of the brush']");
  await grip.focus();
  for (let k = 0; k < 3; k++) await page.keyboard.press("ArrowRight");
  // v is a grid of 25 values: three steps leave out the first three.
  assert.equal((await state(page)).selected, 40 * 22);
  // What is read aloud follows with the next picture.
  await page.waitForFunction((value) => Number(document.querySelector("[aria-label='v, lower end of the brush']").getAttribute("aria-valuenow")) === value, 1 + 3 / 8);
  await page.keyboard.press("End");
  assert.equal((await state(page)).selected, 40);
  await page.keyboard.press("Delete");
  assert.equal((await state(page)).selected, 1000);

  // Those that failed: the last of two names.
  await page.focus("[aria-label='status, lower end of the brush']");
  await page.keyboard.press("ArrowRight");
  const { selected } = await state(page);
  assert.equal(selected, 25, "the samples of the last e are errors");
  await page.focus("section[aria-label='The selection'] tbody button");
  await page.keyboard.press("Enter");
  assert.equal((await state(page)).chosen, 975);
  const card = await page.textContent("section[aria-label='The chosen sample']");
  assert.match(card, /Sample 975: error/);
  assert.match(card, /there is no such ball/);

  // And by its number.
  await page.fill("#sample-number", "26");
  await page.press("#sample-number", "Enter");
  assert.equal((await state(page)).chosen, 26);
  assert.deepEqual(complaints, []);
  await close();
});

test("a click finds the sample under it, with the command and the address of its motion", async () => {
  const { page, complaints, close } = await open("live");
  // The tile in column 5 and row 4 of 8 by 6.
  const map = page.locator("section[aria-label='Over two parameters'] .plot");
  await map.scrollIntoViewIfNeeded();
  const box = await map.boundingBox();
  const [w, h] = [box.width - 74, box.height - 50];
  await page.mouse.click(box.x + 62 + (5.4 / 8) * w, box.y + 10 + (1 - 4.6 / 6) * h);
  assert.equal((await state(page)).chosen, 5 * 6 + 4);
  const card = page.locator("section[aria-label='The chosen sample']");
  assert.equal(await card.locator(".command code").textContent(), "zwang run 'models/a ball.toml' --set g=9.81 --set e=0.625 --set v=3 --until 7");
  const href = await card.locator("a.open").getAttribute("href");
  assert.equal(href.split("#")[0], "balls%20%26%20more-live.html");
  const options = new URLSearchParams(href.split("#")[1]);
  assert.deepEqual(options.getAll("set"), ["g=9.81", "e=0.625", "v=3"]);
  assert.equal(options.get("until"), "7");

  // The line of the same sample in the parallel coordinates.
  await page.fill("#sample-number", "0");
  await page.press("#sample-number", "Enter");
  const across = page.locator("section[aria-label='Parallel coordinates'] .plot");
  await across.scrollIntoViewIfNeeded();
  const wide = await across.boundingBox();
  const strands = await across.locator(".strand").count();
  // Between e and v, on the line of sample 34: e = 0.625 of 0 to 0.875, v = 3 of 1 to 3.5.
  const part = 0.4;
  const up = (1 - part) * (0.625 / 0.875) + part * (2 / 2.5);
  await page.mouse.click(wide.x + 46 + (part * (wide.width - 92)) / (strands - 1), wide.y + 30 + (1 - up) * (wide.height - 48));
  assert.equal((await state(page)).chosen, 34);
  assert.deepEqual(complaints, []);
  await close();
});

test("columns are chosen, colours go by rank, and an empty sweep says so", async () => {
  const { page, complaints, close } = await open("small");
  await page.click("summary:has-text('Columns')");
  await page.click(".choices label:has-text('steps')");
  assert.equal(await page.locator("section.histogram").count(), 6);
  await page.click(".choices label:has-text('late')");
  assert.equal(await page.locator("section.histogram").count(), 5);
  const before_it = await page.textContent(".legend");
  await page.selectOption("select[aria-label='Colour']", { label: "v" });
  await page.click(".rank");
  assert.notEqual(await page.textContent(".legend"), before_it);
  assert.deepEqual(complaints, []);
  await close();

  const none = await open("none");
  assert.match(await told(none.page), /^0 of 0/);
  assert.deepEqual((await state(none.page)).errors, []);
  await none.close();
});

for (const [theme, width] of [["light", 1200], ["dark", 1200], ["light", 390], ["dark", 390]])
  test(`axe-core finds nothing: ${theme}, ${width} pixels wide, and nothing is wider than the page`, async () => {
    const { page, close } = await open("small", { hash: `theme=${theme}`, width, height: 800, bypassCSP: true });
    await page.evaluate(axe);
    await page.fill("[aria-label='v from']", "2");
    await page.press("[aria-label='v from']", "Enter");
    await page.fill("#sample-number", "980");
    await page.press("#sample-number", "Enter");
    const { violations } = await page.evaluate(() => window.axe.run(document, { resultTypes: ["violations"], runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] }));
    assert.deepEqual(violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target.join(" ")}`)), []);
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), "no scrolling sideways");
    await picture(page, `sweep-${theme}-${width}`);
    await close();
  });

test("a hundred thousand samples are a few hundred elements, and a brush is seen in the next frame", async () => {
  const { page, complaints, close } = await open("large");
  assert.ok((await page.evaluate(() => document.querySelectorAll("*").length)) < 1500);
  const [milliseconds, drawn] = await page.evaluate(async () => {
    const before_it = window.zwang.drawn();
    const field = document.querySelector("[aria-label='e to']");
    const times = [];
    for (let k = 1; k <= 10; k++) {
      const begun = performance.now();
      field.value = String(k / 11);
      field.dispatchEvent(new Event("change"));
      await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
      times.push(performance.now() - begun);
    }
    return [times.sort((a, b) => a - b)[5], window.zwang.drawn() - before_it];
  });
  assert.equal(drawn, 10, "each in the next frame, once");
  console.log(`# a brush over 100000 samples: ${milliseconds.toFixed(0)} ms`);
  assert.equal((await state(page)).selected, 250 * (Math.floor((10 / 11) * 400) + 1));
  await page.waitForFunction(() => !window.zwang.busy());
  assert.match(await page.textContent("section[aria-label='Parallel coordinates']"), /20\u202f000 of/);
  await picture(page, "sweep-large");
  assert.deepEqual(complaints, []);
  await close();
});

test("lines are visited once each, in an order that is fair", async () => {
  const { fair_stride } = await import_sources(`export { fair_stride } from "./sweep/parallel";`, folder);
  for (const count of [1, 2, 3, 10, 999, 1000, 4096]) {
    const stride = fair_stride(count);
    const seen = new Set();
    for (let k = 0, at = 0; k < count; k++, at = (at + stride) % count) seen.add(at);
    assert.equal(seen.size, count);
  }
});

test("what an address asks for goes into the text where there is a number, else to the engine", async () => {
  const { asked_in } = await import_sources(`export { asked_in } from "./live/parameters";`, folder);
  const text = '[parameters]\ng = 9.81 # here\nL = "2*g"\n[simulation]\nuntil = 3\n';
  const ask = (hash) => asked_in(new URLSearchParams(hash), text);
  assert.deepEqual(ask("set=g=1.5e-7&set=L=3&until=7"), { text: text.replace("9.81", "1.5e-7"), settings: ["set L=3", "until 7"] });
  assert.deepEqual(ask("set=g=sqrt(2)&at=1&tolerance=1e-9"), { text, settings: ["set g=sqrt(2)", "at 1", "tolerance 1e-9"] });
  assert.deepEqual(ask("play=0&set=nothing"), { text, settings: [] });
});

test("the page of a fit shows its values, reads well in the dark and on a phone", { skip }, async () => {
  const call = spawnSync(command, ["fit", "gallery:noisy-pendulum", "gallery:noisy-pendulum", "--free", "L,c,start", "--out", "out", "--json"], { encoding: "utf8", cwd: folder });
  assert.equal(call.status, 0, call.stderr);
  const { files, misfit, parameters } = JSON.parse(call.stdout);
  for (const [theme, width] of [["light", 1000], ["dark", 1000], ["light", 390]]) {
    const { page, complaints, close } = await open_page(browser, join(folder, files[0]), { hash: "", width, height: 800, ready: false, colorScheme: theme, bypassCSP: true });
    assert.equal(await page.locator("figure circle").count(), 2 * misfit.length + 1);
    const cells = await page.evaluate(() => [...document.querySelectorAll("[aria-label=Parameters] tr")].slice(1).map((row) => [...row.children].map((cell) => cell.textContent)));
    assert.deepEqual(cells.map(([name]) => name), Object.keys(parameters));
    for (const [name, value, error] of cells) {
      assert.ok(Math.abs(Number(value) / parameters[name].value - 1) < 1e-9);
      assert.ok(Math.abs(Number(error) / parameters[name].deviation - 1) < 1e-2);
    }
    await page.evaluate(axe);
    const { violations } = await page.evaluate(() => window.axe.run(document, { resultTypes: ["violations"], runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] }));
    assert.deepEqual(violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target.join(" ")}`)), []);
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), "no scrolling sideways");
    assert.deepEqual(complaints, []);
    if (pictures) await page.screenshot({ path: join(pictures, `fit-${theme}-${width}.png`), fullPage: true });
    await close();
  }
});

test("the page of the command has the lines of its table, and the command of a sample leads to its numbers", { skip }, async () => {
  const call = (...words) => spawnSync(command, words, { encoding: "utf8", cwd: folder });
  const swept = call("sweep", "gallery:bouncing-ball", "--over", "e=0.2..0.9:8", "--over", "g=8,9,10", "--record", "max(ball.z)", "--record", "time(impact, 2)", "--until", "1.5", "--out", "out", "--quiet");
  assert.equal(swept.status, 0, swept.stderr);
  const viewed = call("view", "out/bouncing-ball-sweep.sqlite", "--no-open");
  assert.equal(viewed.status, 0, viewed.stderr);
  const path = join(folder, viewed.stdout.trim());
  assert.ok(existsSync(path));
  const { page, complaints, close } = await open_page(browser, path, { hash: "theme=light", width: 1200, height: 900 });
  assert.equal((await state(page)).selected, 24);
  await page.fill("#sample-number", "10");
  await page.press("#sample-number", "Enter");
  const words = (await page.textContent(".command code")).split(" ");
  assert.deepEqual(words.slice(0, 3), ["zwang", "run", "gallery:bouncing-ball"]);
  const run = call(...words.slice(1), "--json", "--no-report", "--out", "alone");
  assert.equal(run.status, 0, run.stderr);
  const impacts = JSON.parse(run.stdout).events.filter(({ kind }) => kind === "impact");
  const shown = await page.evaluate(() => [...document.querySelectorAll(".values > div")].map((row) => [row.children[0].textContent, row.children[1].textContent]));
  const cell = Object.fromEntries(shown)["time(impact, 2)"];
  assert.ok(Math.abs(Number(cell.replace("−", "-")) - impacts[1].time) < 1e-8, `${cell} and ${impacts[1].time}`);
  assert.deepEqual(complaints, []);
  await close();
});
