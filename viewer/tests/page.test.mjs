// The page in a real browser, with motions whose formulas are known.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { Blob, ball_page, base64_of, crowd_page, discs_page, evaluate, events_of, long_page, oscillator_page, pack, pieces_of, script_of, write_page } from "./fixtures.mjs";
import { distance_between, import_sources, open_browser, open_page, root, scratch, shell, until } from "./harness.mjs";

const folder = scratch(after);
// Most tests do without WebGL, which is slow where it is made by software; those of the drawing have both.
let browser;
let plain;
const ball = ball_page({ notes: ["A note about accuracy."] });
const paths = {};

function keep(name, page) {
  paths[name] = join(folder, `${name}.html`);
  write_page(shell, paths[name], base64_of(page.bytes));
}

before(async () => {
  keep("ball", ball);
  keep("two", ball_page({ labels: ["straightest", "variational"] }));
  keep("oscillator", oscillator_page());
  [browser, plain] = await Promise.all([open_browser(), open_browser({ webgl: false })]);
});
after(async () => {
  await browser?.close();
  await plain?.close();
});

// One page of the ball for all tests that can share it, put back to its start.
let shared;
async function ball_again() {
  shared ??= await open_page(plain, paths.ball);
  await shared.page.evaluate(() => {
    window.zwang.pause();
    window.zwang.seek(0);
    document.activeElement?.blur();
    document.querySelector("[role=tab]").click();
  });
  return shared;
}

const seek_and_read = (page, t) =>
  page.evaluate((time) => {
    window.zwang.seek(time);
    return { time: window.zwang.time(), computed: window.zwang.positions(), drawn: window.zwang.drawn() };
  }, t);

test("the empty page is smaller than promised and has one place for data", () => {
  assert.ok(statSync(shell).size < 900 * 1024);
  const text = readFileSync(shell, "utf8");
  assert.equal(text.split("<!--zwang:data-->").length, 2);
  for (const word of ["three.js authors", "Leon Sorokin"]) assert.ok(text.includes(word), `licence of ${word}`);
});

test("both pages allow their own script and style by their hashes, and nothing else", () => {
  const hash = (text) => `sha256-${createHash("sha256").update(text, "utf8").digest("base64")}`;
  for (const file of [shell, join(root, "shell_without_node.cpp")]) {
    const text = readFileSync(file, "utf8");
    const rules = /Content-Security-Policy" content="([^"]*)"/.exec(text)[1].split("; ");
    assert.ok(rules.includes("default-src 'none'"));
    assert.ok(rules.includes(`script-src '${hash(/<script>([^]*?)<\/script>/.exec(text)[1])}'`), file);
    assert.ok(rules.includes(`style-src '${hash(/<style>([^]*?)<\/style>/.exec(text)[1])}'`), file);
  }
});

test("a script that comes with the data is not run", async () => {
  const path = join(folder, "foreign.html");
  const foreign = "<script>window.foreign = 1</script><img src=x onerror='window.foreign = 2'><a href='javascript:window.foreign=3' id=link>x</a>";
  writeFileSync(path, readFileSync(paths.ball, "utf8").replace("</body>", `${foreign}</body>`));
  const { page, complaints, close } = await open_page(plain, path);
  await page.evaluate(() => document.getElementById("link").click());
  assert.equal(await page.evaluate(() => window.foreign), undefined);
  assert.ok(complaints.some((line) => /Content Security Policy/.test(line)), "the browser refuses it");
  await close();
});

for (const [name, webgl] of [["webgl", true], ["canvas", false]])
  test(`bodies are drawn where the pieces put them, with ${name}`, async () => {
    const { page, complaints, close } = await open_page(webgl ? browser : plain, paths.ball);
    assert.equal(await page.evaluate(() => window.zwang.renderer), name);
    for (const t of [0, 0.3, 1.234567, 2.5, 4.999, 6]) {
      const { time, computed, drawn } = await seek_and_read(page, t);
      assert.equal(time, t);
      const expected = [0, 1].map((i) => evaluate(ball.all[0].pieces, i, t).value);
      expected.forEach((value, m) => assert.ok(Math.abs(computed.run.ball[m] - value) <= 1e-12 * (1 + Math.abs(value))));
      // Buffers of graphics cards hold 24 bits.
      assert.ok(distance_between(computed, drawn) < 4e-7);
    }
    assert.deepEqual(complaints, []);
    assert.deepEqual(await page.evaluate(() => window.zwang.errors), []);
    await close();
  });

for (const [name, webgl] of [["webgl", true], ["canvas", false]])
  test(`something is to be seen on the stage, with ${name}`, async () => {
    const { page, close } = await open_page(webgl ? browser : plain, paths.ball, { hash: "t=0.3&theme=light&bare", width: 400, height: 400 });

    // The ball's own blue appears where the ball is, in what the browser shows.
    const blue = async () => {
      const shot = await page.screenshot();
      return page.evaluate(async (bytes) => {
        const image = await createImageBitmap(new window.Blob([Uint8Array.from(atob(bytes), (letter) => letter.charCodeAt(0))], { type: "image/png" }));
        const canvas = new OffscreenCanvas(image.width, image.height);
        const context = canvas.getContext("2d");
        context.drawImage(image, 0, 0);
        const { data } = context.getImageData(0, 0, image.width, 300);
        let count = 0;
        for (let i = 0; i < data.length; i += 4) if (data[i + 2] > data[i] + 50 && data[i] < 120) count++;
        return count;
      }, shot.toString("base64"));
    };
    assert.ok(await until(async () => (await blue()) > 60), "the ball is not seen");
    await close();
  });

test("playing moves time and bodies on, pausing holds them", async () => {
  const { page, complaints, close } = await open_page(browser, paths.ball);
  assert.equal(await page.evaluate(() => window.zwang.playing()), false);
  await page.evaluate(() => window.zwang.play());
  await page.waitForFunction(() => window.zwang.time() > 0.2);
  await page.evaluate(() => window.zwang.pause());
  const [t, place] = await page.evaluate(() => [window.zwang.time(), window.zwang.positions().run.ball]);
  await page.waitForTimeout(120);
  assert.equal(await page.evaluate(() => window.zwang.time()), t);
  assert.ok(Math.abs(place[0] - 0.5 * t) < 1e-12);
  assert.deepEqual(complaints, []);
  await close();
});

test("stepping to an event shows its velocities, impulses and loss", async () => {
  const { page } = await ball_again();
  for (let e = 0; e < 3; e++) {
    await page.click('button[aria-label="Next event"]');
    const { time, changes, impulses, lost } = ball.all[0].events[e];
    assert.equal(await page.evaluate(() => window.zwang.event()), e);
    assert.ok(Math.abs((await page.evaluate(() => window.zwang.time())) - time) < 1e-12);
    const shown = await page.evaluate(() => ({
      changes: [...document.querySelectorAll(".changes tbody td")].map((cell) => Number(cell.dataset.value)),
      impulse: Number(document.querySelector(".impulses tbody td").dataset.value),
      lost: Number(document.querySelector(".lost .number").dataset.value),
      told: document.querySelector("[aria-live=polite]").textContent,
    }));
    assert.deepEqual(shown.changes, changes[0].slice(1));
    assert.equal(shown.impulse, impulses[0]);
    assert.equal(shown.lost, lost);
    assert.match(shown.told, /impact at .*floor.*energy lost/);
  }
  await page.click('button[aria-label="Previous event"]');
  assert.equal(await page.evaluate(() => window.zwang.event()), 1);

  // Leaving the event hides its card.
  await page.evaluate(() => window.zwang.seek(0.1));
  assert.equal(await page.evaluate(() => window.zwang.event()), -1);
  assert.equal(await page.isVisible(".event-card"), false);
});

test("everything can be done from the keyboard", async () => {
  const { page, complaints } = await ball_again();
  const time = () => page.evaluate(() => window.zwang.time());
  const press = (key) => page.keyboard.press(key);
  await press("]");
  assert.equal(await page.evaluate(() => window.zwang.event()), 0);
  await press("]");
  await press("[");
  assert.equal(await page.evaluate(() => window.zwang.event()), 0);
  await press("End");
  assert.equal(await time(), 6);
  await press("Home");
  assert.equal(await time(), 0);
  await press("5");
  assert.equal(await time(), 3);
  await press("ArrowRight");
  assert.ok(Math.abs((await time()) - 3.06) < 1e-9);
  await press("Shift+ArrowLeft");
  assert.ok(Math.abs((await time()) - 2.46) < 1e-9);
  await press(".");
  assert.ok(Math.abs((await time()) - 2.46 - 1 / 60) < 1e-9);
  await press(",");
  await press("Space");
  assert.equal(await page.evaluate(() => window.zwang.playing()), true);
  await press("Space");
  assert.equal(await page.evaluate(() => window.zwang.playing()), false);
  await press("?");
  assert.equal(await page.isVisible("dialog[open] .keys"), true);
  await press("Escape");

  // The tab key reaches the buttons, with an outline, and the tabs by arrows.
  const reached = new Set();
  for (let i = 0; i < 14; i++) {
    await press("Tab");
    const where = await page.evaluate(() => {
      const focused = document.activeElement;
      return { name: focused.getAttribute("aria-label") ?? focused.textContent, outline: getComputedStyle(focused).outlineStyle, role: focused.getAttribute("role"), type: focused.type };
    });
    reached.add(where.name);
    if (where.type !== "range") assert.equal(where.outline, "solid", `${where.name} shows that it has the focus`);
    if (where.role === "tab") break;
  }
  for (const name of ["Play", "Next event", "Loop", "Time", "Speed", "Plots"]) assert.ok(reached.has(name), `${name} can be reached: ${[...reached]}`);
  await press("ArrowRight");
  assert.equal(await page.isVisible(".events"), true);
  assert.deepEqual(complaints, []);
});

test("every control has a name", async () => {
  const { page, close } = await open_page(plain, paths.two);
  const nameless = await page.evaluate(() =>
    [...document.querySelectorAll("button, input, select, canvas, [role=img]")]
      .filter((e) => !e.closest("[aria-hidden=true], .u-wrap") && !(e.getAttribute("aria-label") || e.textContent.trim() || e.closest("label")?.textContent.trim() || e.getAttribute("aria-hidden")))
      .map((e) => e.outerHTML.slice(0, 80)),
  );
  assert.deepEqual(nameless, []);
  await close();
});

test("a phone's width shows everything without sideways scrolling", async () => {
  const { page, complaints, close } = await open_page(plain, paths.two, { width: 360, height: 700, hasTouch: true, isMobile: true });
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 360);
  const outside = await page.evaluate(() => [...document.querySelectorAll("button, input, .stage, .plot")].filter((e) => e.offsetParent && e.getBoundingClientRect().right > 361).map((e) => e.outerHTML.slice(0, 60)));
  assert.deepEqual(outside, []);
  await page.tap('button[aria-label="Next event"]');
  assert.equal(await page.isVisible(".event-card"), true);
  for (const tab of ["Events", "Model", "Equations", "Summary"]) {
    await page.tap(`[role=tab]:has-text("${tab}")`);
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 360, tab);
  }
  assert.deepEqual(complaints, []);
  await close();
});

test("model, formulas, summary, notes and licences are there", async () => {
  const { page } = await ball_again();
  assert.match(await page.textContent("header .note"), /A note about accuracy/);
  await page.click('[role=tab]:has-text("Model")');
  assert.match(await page.textContent(".toml"), /restitution = 0.8/);
  assert.ok((await page.$$(".toml .comment, .toml .table")).length >= 4);
  await page.click('[role=tab]:has-text("Equations")');
  assert.equal(await page.evaluate(() => document.querySelector(".equations math").namespaceURI), "http://www.w3.org/1998/Math/MathML");
  await page.click('[role=tab]:has-text("Summary")');
  assert.match(await page.textContent(".summary"), /struck the floor 22 times|struck the floor/);
  assert.match(await page.textContent(".balance"), /lost in shocks/);
  await page.click(".tabpanel:not([hidden]) .licence");
  assert.match(await page.textContent("dialog[open]"), /three.js authors[\s\S]*Leon Sorokin/);
  await page.keyboard.press("Escape");
});

test("plots follow time, and a click in one goes there", async () => {
  const { page, complaints } = await ball_again();
  await page.evaluate(() => window.zwang.seek(3));
  await page.waitForFunction(() => {
    const [line, plot] = [".now", ".u-over"].map((name) => document.querySelector(name).getBoundingClientRect());
    return Math.abs(line.x - plot.x - plot.width / 2) < 2;
  });
  const box = await page.locator(".u-over").first().boundingBox();
  await page.mouse.click(box.x + box.width / 4, box.y + 20);
  assert.ok(Math.abs((await page.evaluate(() => window.zwang.time())) - 1.5) < 0.03);
  await page.waitForFunction(() => Math.abs(Number([...document.querySelectorAll(".entry")].find((entry) => entry.textContent.includes("ball.x")).querySelector(".number").textContent) - 0.75) < 0.02);

  // Choose another quantity by searching.
  await page.click(".chooser summary");
  await page.fill(".chooser input[type=search]", "velocities ball.y");
  const charts = await page.locator(".chart").count();
  await page.check(".choices input");
  await page.waitForFunction((wanted) => document.querySelectorAll(".chart").length === wanted, charts + 1);
  assert.deepEqual(complaints, []);
});

test("several runs lie over one another and can be taken away", async () => {
  const { page, complaints, close } = await open_page(plain, paths.two, { hash: "t=1" });
  const both = await page.evaluate(() => window.zwang.drawn());
  assert.deepEqual(Object.keys(both), ["straightest", "variational"]);
  assert.ok(Math.abs(both.straightest.ball[1] - both.variational.ball[1]) > 1e-3);
  await page.uncheck('input[aria-label="Show variational"]');
  await page.waitForFunction(() => Object.keys(window.zwang.drawn()).join() === "straightest");
  await page.click(".runs button:has-text('variational')");
  await page.keyboard.press("Home");
  await page.keyboard.press("]");
  assert.match(await page.textContent(".event-card"), /Impact/);
  assert.deepEqual(complaints, []);
  await close();
});

test("a model without a picture shows its phase portrait", async () => {
  const { page, complaints, close } = await open_page(plain, paths.oscillator, { hash: "t=2" });
  assert.equal(await page.locator(".phase canvas").count(), 1);
  assert.ok((await page.locator(".chart").count()) >= 2);
  assert.deepEqual(complaints, []);
  await close();
});

test("points of the view, seizures and what is nowhere for a time are drawn as far as they exist", async () => {
  const blob = new Blob();
  const nowhere = { start: 1, coefficients: [[1, 0], [0, 0], [NaN, 0], [NaN, 0]] };
  const header = {
    zwang: "0.1.0",
    format: 1,
    dimension: 2,
    variables: ["a.x", "a.y", "b.x", "b.y"],
    bodies: [
      { name: "a", track: [0, 1], view: true, size: 0 },
      { name: "b", track: [2, 3], view: true, size: 0.1 },
    ],
    shapes: [
      { kind: "polyline", through: [{ body: 0 }, { body: 1 }] },
      { kind: "plane", row: 0, rows: [0], since: 0.5, normal: [0, 1, 0], offset: 0, relation: "=" },
      { kind: "cone", apex: [0, 0, 0], axis: [0, 1, 0], angle: 0.3 },
    ],
    rows: [{ name: "hook" }],
    box: [[-1, -1, 0], [2, 1, 0]],
    comparison: { title: "distance", distance: { time: blob.block("f64", [0, 2]), value: blob.block("f64", [0, 3]) } },
    runs: ["one", "other"].map((label) => ({ label, status: "finished", pieces: pieces_of(blob, [{ start: 0, coefficients: [[1, 0], [0, 0], [0, 1], [1, 0]] }, nowhere], 2), summary: {} })),
  };
  write_page(shell, join(folder, "view.html"), base64_of(pack(header, blob)));
  const { page, complaints, close } = await open_page(plain, join(folder, "view.html"), { hash: "t=0.2" });
  assert.deepEqual((await page.evaluate(() => window.zwang.positions())).one.b, [0.2, 1, 0]);
  assert.match(await page.textContent(".chart"), /Distance between the runs/);
  await page.waitForFunction(() => document.querySelector(".entry .number").textContent === "0.3");
  await seek_and_read(page, 1.5);
  assert.deepEqual(complaints, []);
  await close();
});

test("those who want calm get no autoplay; others do", async () => {
  const calm = await open_page(plain, paths.ball, { hash: "", width: 500, height: 400, reducedMotion: "reduce" });
  assert.equal(await calm.page.evaluate(() => window.zwang.playing()), false);
  await calm.close();
  const lively = await open_page(plain, paths.ball, { hash: "", width: 500, height: 400, reducedMotion: "no-preference" });
  assert.equal(await lively.page.evaluate(() => window.zwang.playing()), true);
  await lively.close();
});

test("dark where the system is dark, and a switch", async () => {
  const { page, complaints } = await ball_again();
  const paper_becomes = (colour) => page.waitForFunction((wanted) => getComputedStyle(document.body).backgroundColor === wanted, colour);
  await page.emulateMedia({ colorScheme: "dark" });
  await paper_becomes("rgb(20, 22, 26)");
  await page.keyboard.press("d");
  await paper_becomes("rgb(251, 250, 247)");
  assert.deepEqual(complaints, []);
});

test("a hundred thousand pieces and events open, play and scroll", async () => {
  keep("long", long_page(100000));
  const { page, complaints, close } = await open_page(browser, paths.long, { hash: "play=0&tab=Events" });
  for (const t of [0, 123.456, 999.99]) {
    const { computed } = await seek_and_read(page, t);
    // Pieces of third order over a hundredth of a second.
    assert.ok(Math.abs(computed.run.a[0] - Math.sin(t)) < 1e-9);
  }
  await page.evaluate(() => window.zwang.seek(0));
  await page.evaluate(() => window.zwang.play());
  await page.waitForFunction(() => window.zwang.time() > 1);
  await page.evaluate(() => window.zwang.pause());
  assert.ok((await page.locator(".rows .event").count()) < 60, "only rows in sight exist");
  await page.evaluate(() => (document.querySelector(".scroller").scrollTop = 1e9));
  await page.waitForSelector('.rows .event[aria-rowindex="99999"]');
  await page.locator(".rows .event").last().click();
  assert.equal(await page.evaluate(() => window.zwang.event()), 99998);
  assert.match(await page.textContent("header .note"), /fitted anew/);
  assert.deepEqual(complaints, []);
  await close();
});

test("a thousand points are drawn where they are", async () => {
  const crowd = crowd_page(1000, { until: 1 });
  keep("crowd", crowd);
  const { page, complaints, close } = await open_page(browser, paths.crowd);
  const { computed, drawn } = await seek_and_read(page, 0.7);
  for (const b of [0, 123, 999]) assert.ok(Math.abs(computed.run[`bead[${b + 1}]`][0] - evaluate(crowd.pieces, 3 * b, 0.7).value) < 1e-12);
  assert.ok(distance_between(computed, drawn) < 4e-7);
  assert.deepEqual(complaints, []);
  await close();
});

test("ten thousand discs are drawn where they are, without their ways", async () => {
  const crowd = discs_page(10000, { frames: 2 });
  keep("discs", crowd);
  for (const one of [browser, plain]) {
    const { page, complaints, close } = await open_page(one, paths.discs);
    assert.equal(await page.evaluate(() => window.zwang.renderer), "canvas", "software does not play the graphics card");
    assert.equal(await page.locator('button[aria-label="Trails"]').count(), 0);
    const { computed, drawn } = await seek_and_read(page, 1.25);
    for (const b of [0, 4321, 9999])
      for (const m of [0, 1]) assert.ok(Math.abs(computed.run[`ball[${b + 1}]`][m] - (0.75 * crowd.place(2 * b + m, 1) + 0.25 * crowd.place(2 * b + m, 2))) < 1e-4);
    assert.ok(distance_between(computed, drawn) < 4e-7);
    assert.deepEqual(complaints, []);
    await close();
  }
});

test("a hundred thousand points are instances of one another with WebGL, and a still can be scrubbed", async () => {
  const crowd = discs_page(100000, { frames: 1 });
  keep("many", crowd);
  const { page, complaints, close } = await open_page(browser, paths.many, { hash: "play=0&renderer=webgl&bare", width: 400, height: 300 });
  assert.equal(await page.evaluate(() => window.zwang.renderer), "webgl");
  for (const t of [0.25, 0.75]) {
    // Only some are asked for: all of them as text would take longer than to draw them.
    const found = await page.evaluate((time) => {
      window.zwang.seek(time);
      const [computed, drawn] = [window.zwang.positions().run, window.zwang.drawn().run];
      return [0, 54321, 99999].map((b) => [computed[`ball[${b + 1}]`], drawn[`ball[${b + 1}]`]]);
    }, t);
    [0, 54321, 99999].forEach((b, k) => {
      for (const m of [0, 1]) {
        const wanted = (1 - t) * crowd.place(2 * b + m, 0) + t * crowd.place(2 * b + m, 1);
        assert.ok(Math.abs(found[k][0][m] - wanted) < 1e-4 && Math.abs(found[k][1][m] - wanted) < 1e-3, `${b}: ${found[k]} instead of ${wanted}`);
      }
    });
  }
  assert.deepEqual(complaints, []);
  await close();
});

test("impulses are among the first plots, and what stands still lies in the middle of its chart", async () => {
  const { page, complaints } = await ball_again();
  const titles = await page.locator(".chart figcaption").allTextContents();
  for (const title of ["Coordinates", "Multipliers", "Impulses", "Energy"]) assert.ok(titles.includes(title), titles.join(", "));
  await page.keyboard.press("]");
  const shown = (title) => page.locator(`.chart:has(figcaption:text-is("${title}")) .entry .number`).first().textContent();
  const wanted = ball.all[0].events[0].impulses[0];
  await page.waitForFunction((value) => [...document.querySelectorAll(".chart")].some((chart) => chart.textContent.startsWith("Impulses") && Math.abs(Number(chart.querySelector(".entry .number").textContent) - value) < 1e-3 * value), wanted);
  await page.keyboard.press("ArrowRight");
  assert.ok(await until(async () => (await shown("Impulses")) === "–"), "between shocks there is none");
  assert.deepEqual(complaints, []);

  const { range_of, labels, cut_of } = await import_sources('export * from "./panel/scales";', folder);
  const swing = Array.from({ length: 100 }, (_, k) => Math.sin(k));
  assert.equal(cut_of([swing, swing.map((value) => 50 * value)]), Infinity, "what is large often is no peak");
  assert.equal(cut_of([[null, 0, 0]]), Infinity);
  const cut = cut_of([[...swing, 1e10, null]]);
  assert.ok(cut >= 1 && cut < 2, `a pole does not flatten the others: ${cut}`);
  assert.deepEqual(range_of(0, 0), [-1, 1]);
  assert.deepEqual(range_of(-20, -20), [-30, -10]);
  assert.deepEqual(range_of(null, null), [-1, 1]);
  assert.equal(range_of(0, 10)[0], 0);
  assert.equal(new Set(labels(undefined, [1000.0001, 1000.0002, 1000.0003])).size, 3, "neighbours differ");
});

test("the first plots are of a body that moves; where no time passes that is said; bodies in one place are not magnified", async () => {
  const page_with = (name, end, apart) => {
    const blob = new Blob();
    const header = {
      zwang: "0.1.0",
      format: 1,
      dimension: 2,
      variables: ["a.x", "a.y", "b.x", "b.y", "c.x", "c.y"],
      bodies: [
        { name: "b", track: [2, 3] },
        { name: "c", track: [4, 5] },
      ],
      box: [[0, 0, 0], [3, 1, 0]],
      runs: [{ status: "finished", pieces: pieces_of(blob, [{ start: 0, coefficients: [[1, 0], [2, 0], [0, 1], [0.5, 0], [apart, 1], [0.5, 0]] }], end), summary: {} }],
    };
    write_page(shell, join(folder, `${name}.html`), base64_of(pack(header, blob)));
    return open_page(plain, join(folder, `${name}.html`), { hash: "t=0" });
  };
  const moving = await page_with("second", 3, 1e-16);
  assert.deepEqual(await moving.page.locator('.chart:has(figcaption:text-is("Coordinates")) .entry').evaluateAll((list) => list.map((e) => /[abc]\.[xy]/.exec(e.textContent)[0])), ["b.x", "b.y"]);
  assert.ok((await moving.page.evaluate(() => window.zwang.scale())) < 1000, "the picture keeps its size");
  assert.deepEqual(moving.complaints, []);
  await moving.close();
  const ended = await page_with("ended", 0, 1);
  assert.match(await ended.page.textContent(".charts"), /ends where it begins/);
  assert.equal(await ended.page.locator(".chart").count(), 0);
  assert.deepEqual(ended.complaints, []);
  await ended.close();
});

test("what is let go is drawn until then and no longer, a surface as long as one of its conditions is there", async () => {
  const { Description, open_runs, split } = await import_sources('export * from "./scene/describe"; export * from "./data/runs"; export * from "./data/read";', folder);
  const blob = new Blob();
  const rod = { kind: "line", name: "sling", row: 0, relation: "=", bodies: [0], from: { at: [0, 0, 0] }, to: { body: 0 }, length: 1 };
  const floor = { kind: "plane", name: "floor", rows: [1, 2], relation: ">=", normal: [0, 1, 0], offset: 0, side: -1 };
  const events = events_of(blob, [{ time: 1, kind: "let go", rows: [0, 1] }, { time: 1.5, kind: "let go", rows: [2] }]);
  const header = {
    zwang: "0.1.0",
    format: 1,
    dimension: 2,
    variables: ["a.x", "a.y"],
    bodies: [{ name: "a", mass: 1, track: [0, 1] }],
    rows: [{ name: "sling" }, { name: "floor[1]" }, { name: "floor[2]" }],
    box: [[0, 0, 0], [1, 1, 0]],
    runs: [{ status: "finished", pieces: pieces_of(blob, [{ start: 0, coefficients: [[1, 0], [0, 0]] }], 2), events, summary: {} }],
  };
  const strokes = (shapes) => {
    const { buffer, byteOffset, byteLength } = pack({ ...header, shapes }, blob);
    const data = split(buffer.slice(byteOffset, byteOffset + byteLength));
    const description = new Description(data, data.header, open_runs(data), false);
    return [0.5, 1.25, 1.75].map((t) => {
      description.update(t, { visible: [true], trails: false, trail_span: 0, event: -1, front: 0, flashes: [] });
      return description.picture.segments.count;
    });
  };
  assert.deepEqual(strokes([rod]), [1, 0, 0]);
  const [first, second, third] = strokes([floor]);
  assert.ok(first > 0 && second === first && third === 0, `${first}, ${second}, ${third} strokes`);
});

test("a body without a form shows its axes as it is turned", async () => {
  const { Description, open_runs, split } = await import_sources('export * from "./scene/describe"; export * from "./data/runs"; export * from "./data/read";', folder);
  const blob = new Blob();
  const numbers = { vertices: blob.block("f32", [0, 0, 0]), edges: blob.block("u32", []), triangles: blob.block("u32", []) };
  // A third of a turn about (1, 1, 1): x goes to y, y to z, z to x.
  const header = {
    zwang: "0.1.0",
    format: 1,
    dimension: 3,
    variables: ["top.x", "top.y", "top.z", "top.qw", "top.qx", "top.qy", "top.qz"],
    bodies: [{ name: "top", mass: 1, track: [0, 1, 2], turn: [3, 4, 5, 6] }],
    box: [[-1, -1, -1], [1, 1, 1]],
    shapes: [
      { kind: "solid", name: "top", bodies: [0], body: 0, ...numbers },
      { kind: "plane", name: "floor", normal: [0, 0, 1], offset: -1, side: -1, since: 5 },
    ],
    runs: [{ status: "finished", pieces: pieces_of(blob, [{ start: 0, coefficients: [[0], [0], [0], [0.5], [0.5], [0.5], [0.5]] }], 1), summary: {} }],
  };
  const { buffer, byteOffset, byteLength } = pack(header, blob);
  const data = split(buffer.slice(byteOffset, byteOffset + byteLength));
  const description = new Description(data, data.header, open_runs(data), false);
  const lines = [];
  description.picture.segments.add = (...ends) => lines.push(ends.slice(3, 6).map((value, m) => value - ends[m]));
  description.update(0, { visible: [true], trails: false, trail_span: 0, event: -1, front: 0, flashes: [] });
  assert.deepEqual(lines.map((line) => line.map((value) => Number(Math.abs(value) > 1e-12))), [[0, 1, 0], [0, 0, 1], [1, 0, 0]]);
});

test("of bodies that stay where they are the one that moves is plotted first, and where all stay how the first one turns", async () => {
  const { first_choice, make_catalogue, open_runs, split } = await import_sources('export * from "./panel/catalogue"; export * from "./data/runs"; export * from "./data/read";', folder);
  const chosen = (speed) => {
    const blob = new Blob();
    const header = {
      zwang: "0.1.0",
      format: 1,
      dimension: 2,
      variables: ["drum.x", "drum.y", "drum.angle", "disc.x", "disc.y", "disc.angle"],
      bodies: [{ name: "drum", track: [0, 1], turn: [2] }, { name: "disc", track: [3, 4], turn: [5] }],
      runs: [{ status: "finished", pieces: pieces_of(blob, [{ start: 0, coefficients: [[0, 1e-18], [0, 0], [0, 1], [1, speed], [0, speed], [0, 0]] }], 1), summary: {} }],
    };
    const { buffer, byteOffset, byteLength } = pack(header, blob);
    const data = split(buffer.slice(byteOffset, byteOffset + byteLength));
    const runs = open_runs(data);
    return first_choice(header, make_catalogue(data, runs), runs).filter((key) => key.startsWith("coordinates:"));
  };
  assert.deepEqual(chosen(0.5), ["coordinates:disc.x", "coordinates:disc.y"]);
  assert.deepEqual(chosen(0), ["coordinates:drum.angle"]);
});

test("heads of tables are coloured as such in the model's text, lines of a list are not", async () => {
  const blob = new Blob();
  const model = '[points.a]  # one\nposition = [\n  [-6, 8],\n  [1.5, 2]\n]\n[[impulses]]\nvalue = [0, 1]\n';
  const header = { zwang: "0.1.0", format: 1, dimension: 0, variables: ["q"], model, runs: [{ status: "finished", pieces: pieces_of(blob, [{ start: 0, coefficients: [[0, 1]] }], 1), summary: {} }] };
  write_page(shell, join(folder, "coloured.html"), base64_of(pack(header, blob)));
  const { page, complaints, close } = await open_page(plain, join(folder, "coloured.html"), { hash: "play=0&tab=Model" });
  assert.deepEqual(await page.locator(".toml .table").allTextContents(), ["[points.a]", "[[impulses]]"]);
  assert.equal(await page.locator(".toml code").textContent(), model);
  assert.deepEqual(complaints, []);
  await close();
});

test("events that follow one another closely have the digits that tell them apart", async () => {
  const blob = new Blob();
  const times = [0.5, 0.75, ...Array.from({ length: 8 }, (_, k) => 1 - Math.pow(10, -4 - k)), 1];
  const header = {
    zwang: "0.1.0",
    format: 1,
    dimension: 2,
    variables: ["a.x", "a.y"],
    bodies: [{ name: "a", track: [0, 1] }],
    rows: [{ name: "apart[12,13]" }],
    box: [[0, 0, 0], [1, 1, 0]],
    runs: [{ status: "finished", pieces: pieces_of(blob, [{ start: 0, coefficients: [[0, 1], [0, 0]] }], 2), events: events_of(blob, times.map((time) => ({ time, kind: "impact", rows: [0], impulses: { 0: 1 } }))), summary: {} }],
  };
  write_page(shell, join(folder, "close.html"), base64_of(pack(header, blob)));
  const { page, complaints, close } = await open_page(plain, join(folder, "close.html"), { hash: "play=0&tab=Events", width: 390, height: 800 });
  const shown = await page.locator(".rows .event > :nth-child(2)").allTextContents();
  assert.equal(new Set(shown).size, times.length, shown.join(" "));
  const cut = await page.evaluate(() => [...document.querySelectorAll(".rows .event > :is(:nth-child(2), .names)")].filter((e) => e.scrollWidth > e.clientWidth + 1).length);
  assert.equal(cut, 0, "and room for them, and for the names of conditions");
  const apart = await page.evaluate(() => {
    const [one, other] = [...document.querySelectorAll(".rows .event")].slice(0, 2).map((row) => row.getBoundingClientRect());
    return other.top - one.bottom;
  });
  assert.ok(Math.abs(apart) < 0.6, `rows follow one another: ${apart}`);
  assert.deepEqual(complaints, []);
  await close();
});

test("two bodies that fly together far from home are seen as two", async () => {
  const blob = new Blob();
  const header = {
    zwang: "0.1.0",
    format: 1,
    dimension: 2,
    variables: ["a.x", "a.y", "b.x", "b.y"],
    bodies: [{ name: "a", mass: 1, track: [0, 1] }, { name: "b", mass: 1, track: [2, 3] }],
    box: [[0, 0, 0], [7000, 7000, 0]],
    runs: [{ status: "finished", pieces: pieces_of(blob, [{ start: 0, coefficients: [[0, 70], [0, 70], [1, 70], [0, 70]] }], 100), summary: {} }],
  };
  write_page(shell, join(folder, "far.html"), base64_of(pack(header, blob)));
  const { page, complaints, close } = await open_page(plain, join(folder, "far.html"), { hash: "t=50" });
  const scale = () => page.evaluate(() => window.zwang.scale());
  assert.ok((await scale()) > 100, "a unit, by which they are apart, is more than a hundred pixels");
  assert.equal(await page.inputValue('select[aria-label="Follow a body"]'), "-2");
  await page.keyboard.press("f");
  await page.waitForFunction(() => window.zwang.scale() < 1);
  assert.deepEqual(complaints, []);
  await close();
});

test("on a phone the scale of the multipliers keeps clear of the buttons", async () => {
  const { page, close } = await open_page(plain, paths.ball, { width: 360, height: 700, hasTouch: true, isMobile: true });
  const [scale, bar] = await page.evaluate(() => [".scale", ".toolbar"].map((name) => document.querySelector(name).getBoundingClientRect().toJSON()));
  assert.ok(scale.top >= bar.bottom || scale.right <= bar.left, `${JSON.stringify(scale)} ${JSON.stringify(bar)}`);
  await close();
});

test("pages with no data, cut data or foreign data say what is wrong", async () => {
  const whole = readFileSync(paths.ball, "utf8");
  const at = whole.indexOf('<script id="zwang-data"');
  const empty = readFileSync(shell, "utf8");
  const cases = {
    none: [empty, /no run in this page/i],
    cut_file: [whole.slice(0, at + 3000), /ends too early|damaged/],
    foreign: [empty.replace("<!--zwang:data-->", script_of(Buffer.from("<html>hello</html>").toString("base64"))), /damaged|not written by zwang/],
    garbage: [empty.replace("<!--zwang:data-->", script_of("%%%")), /damaged/],
  };
  for (const [name, [text, expected]] of Object.entries(cases)) {
    const path = join(folder, `${name}.html`);
    writeFileSync(path, text);
    const { page, complaints, close } = await open_page(plain, path);
    assert.match(await page.textContent(".failure"), expected, name);
    assert.ok((await page.textContent(".failure")).includes("zwang run"), "and what to do");
    assert.deepEqual(complaints, [], name);
    await close();
  }
});

test("the stand-in of builds without Node.js lists the events and says why it does no more", async () => {
  const source = readFileSync(join(root, "shell_without_node.cpp"), "utf8");
  const stand_in = source.slice(source.indexOf('R"page(') + 7, source.indexOf(')page"'));
  assert.equal(stand_in.split("<!--zwang:data-->").length, 2);
  const path = join(folder, "stand_in.html");
  writeFileSync(path, stand_in.replace("<!--zwang:data-->", script_of(base64_of(ball.bytes))));
  const { page, complaints, close } = await open_page(plain, path, { ready: false });
  await page.waitForFunction(() => /events\.$/.test(document.getElementById("note").textContent));
  assert.equal(await page.locator("#events tr").count(), ball.all[0].events.length + 1);
  assert.match(await page.textContent("body"), /built without its viewer/);
  assert.deepEqual(complaints, []);
  await close();
});

test("markup in texts stays text, and formulas bring no scripts", async () => {
  const page_text = ball_page();
  const evil = "<img src=x onerror=alert(1)>";
  const bytes = Buffer.from(page_text.bytes.toString("latin1").replace("A ball that bounces", evil.slice(0, 19).padEnd(19)).replace("<mi>m</mi>", "<p onclick"), "latin1");
  write_page(shell, join(folder, "evil.html"), base64_of(bytes));
  const { page, complaints, close } = await open_page(plain, join(folder, "evil.html"));
  assert.equal(await page.locator("img").count(), 0);
  assert.equal(await page.locator("[onclick]").count(), 0);
  assert.deepEqual(complaints, []);
  await close();
});
