// The living page in Chromium, opened as a file, without a network: typing, sliders, dragged points, links, small screens, the dark.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { import_sources, open_browser, open_page, scratch, until } from "./harness.mjs";

const built = process.env.ZWANG_LIVE;
const command = process.env.ZWANG_COMMAND;
const pictures = process.env.ZWANG_PICTURES;
const skip = built && existsSync(built) && command ? false : "ZWANG_LIVE names no page, or ZWANG_COMMAND no zwang (make live)";
const folder = scratch(after);
let browser;

before(async () => {
  if (!skip) browser = await open_browser({ webgl: false });
});
after(async () => browser?.close());

const zwang = (...words) => {
  const result = spawnSync(command, words, { encoding: "utf8", cwd: folder, maxBuffer: 1 << 28, env: { ...process.env, ZWANG_LIVE_PAGE: built } });
  return { ...result, answer: words.includes("--json") ? JSON.parse(result.stdout) : undefined };
};

// The page of a model, as the command writes it.
function page_of(model) {
  const { status, stdout, stderr } = zwang("live", model, "--out", folder, "--no-open");
  assert.equal(status, 0, stderr);
  assert.ok(stdout.trim().endsWith("-live.html"), stdout);
  return stdout.trim();
}
const open = (model, options) => open_page(browser, page_of(model), options);
const picture = async (page, name) => {
  if (!pictures) return;
  mkdirSync(pictures, { recursive: true });
  await page.screenshot({ path: join(pictures, `${name}.png`) });
};
// A motion that is newer than the `count` seen so far.
const newer = (page, count) => page.waitForFunction((seen) => window.zwang.motions() > seen, count);
const motions = (page) => page.evaluate(() => window.zwang.motions());
// What is shown is a whole motion, and no other is on its way.
const come_to_rest = (page) => page.waitForFunction(() => document.querySelector(".stop").hidden && /computed in/.test(document.querySelector(".state").textContent));
const first_places = (page) => page.evaluate(() => Object.values(window.zwang.positions())[0]);
async function clean(page, complaints) {
  assert.deepEqual(complaints.filter((line) => !line.startsWith("request: blob:")), []);
  assert.deepEqual(await page.evaluate(() => window.zwang.errors), []);
}

test("the page is one file of at most four mebibytes, and shows its first motion by itself", { skip }, async () => {
  assert.ok(statSync(built).size <= 4 << 20, `${statSync(built).size} bytes`);
  const { page, complaints, close } = await open("gallery:chain-meets-beam");
  const milliseconds = await page.evaluate(() => window.zwang.milliseconds());
  console.log(`# start to first motion: ${Math.round(milliseconds)} ms`);
  assert.ok(milliseconds > 0);
  assert.ok((await page.title()).includes("falling chain"));
  await picture(page, "live");
  await clean(page, complaints);
  await close();
});

// Every fourth model, others than those that Node.js runs (live/tests); all with ZWANG_SOAK in the environment.
const step = process.env.ZWANG_SOAK ? 1 : 4;

test("models of the gallery have the command's events and final state, to the bit, in the browser too", { skip, timeout: 2400000 }, async () => {
  const { page, complaints, close } = await open("gallery:string-pendulum");
  const all = zwang("gallery", "--json").answer.models;
  assert.ok(all.length > 100);
  const models = all.filter((model, k) => (k + 2) % step === 0);
  for (const name of models) {
    const text = zwang("gallery", name).stdout;
    if ((await page.evaluate(() => window.zwang.text())) !== text) {
      const seen = await motions(page);
      await page.evaluate((changed) => window.zwang.set_text(changed), text);
      await newer(page, seen);
    }
    await page.waitForFunction(() => document.querySelector(".stop").hidden);
    const told = JSON.parse(await page.evaluate(() => window.zwang.json()));
    const { answer } = zwang("run", `gallery:${name}`, "--json", "--no-report", "--out", folder);
    assert.deepEqual([told.status, told.final, told.events], [answer.status, answer.final, answer.events], name);
  }
  await clean(page, complaints);
  await close();
});

test("a mistake is underlined as it is typed, with the command's words; the last motion stays; undo mends it", { skip }, async () => {
  const { page, complaints, close } = await open("gallery:chain-meets-beam");
  await come_to_rest(page);
  const before_places = await first_places(page);
  const text = await page.evaluate(() => window.zwang.text());
  await page.evaluate(() => {
    const area = document.querySelector(".typed");
    area.focus();
    const at = area.value.indexOf("bead[3].y") + "bead[3].".length;
    area.setSelectionRange(at, at + 1);
  });
  await page.keyboard.type("q");
  await page.waitForSelector(".message:not([hidden])");
  const changed = await page.evaluate(() => window.zwang.text());
  assert.equal(changed, text.replace("bead[3].y", "bead[3].q"));
  const told = spawnSync(command, ["check", "-", "--json"], { input: changed, encoding: "utf8" });
  const { message, line, column } = JSON.parse(told.stdout).error;
  assert.equal(await page.textContent(".message"), `line ${line}, column ${column}: ${message}`);
  assert.ok((await page.textContent(".behind .wrong")).length > 0);
  assert.deepEqual(await first_places(page), before_places);
  await picture(page, "live-mistake");
  const seen = await motions(page);
  await page.keyboard.press("Control+z");
  await newer(page, seen);
  assert.equal(await page.evaluate(() => window.zwang.text()), text);
  assert.equal(await page.locator(".message:not([hidden])").count(), 0);
  await clean(page, complaints);
  await close();
});

test("keys of the schema and names of the model are offered and taken by the keyboard", { skip }, async () => {
  const { page, complaints, close } = await open("gallery:chain-meets-beam");
  await page.evaluate(() => {
    const area = document.querySelector(".typed");
    area.focus();
    area.setSelectionRange(area.value.length, area.value.length);
  });
  await page.keyboard.type("\ntoler");
  await page.waitForSelector(".offer:not([hidden])");
  assert.equal(await page.textContent(".offer li b"), "tolerance");
  await page.keyboard.press("Enter");
  assert.ok((await page.evaluate(() => window.zwang.text())).endsWith("\ntolerance = "));
  await clean(page, complaints);
  await close();
});

test("a slider writes itself into the text, and the motion follows while it is dragged", { skip }, async () => {
  const { page, complaints, close } = await open("gallery:chain-meets-beam");
  await come_to_rest(page);
  await page.evaluate(() => window.zwang.seek(1));
  const before_places = await first_places(page);
  const slider = page.getByRole("slider", { name: "g", exact: true });
  const box = await slider.boundingBox();
  const seen = await motions(page);
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await page.mouse.down();
  for (let k = 1; k <= 8; k++) await page.mouse.move(box.x + box.width * (0.5 + 0.03 * k), box.y + box.height / 2);
  await newer(page, seen);
  // A hand that stops on the way and goes on has not let go.
  const slept = await page.evaluate(() => performance.now());
  await page.waitForFunction((then) => performance.now() - then > 1000, slept);
  const later = await motions(page);
  await page.mouse.move(box.x + box.width * 0.75, box.y + box.height / 2);
  await newer(page, later);
  await page.mouse.up();
  await page.waitForFunction(() => document.querySelector(".stop").hidden);
  const value = Number(/^g\s*=\s*([\d.]+)/m.exec(await page.evaluate(() => window.zwang.text()))[1]);
  assert.ok(value > 11 && value < 14, `g = ${value}`);

  // What is seen at last is the motion of the text.
  const { answer } = zwang("run", "gallery:chain-meets-beam", "--set", `g=${value}`, "--sample-at", "1", "--json", "--no-report", "--out", folder);
  const wanted = Object.entries(answer.samples[0].positions);
  let places;
  await until(async () => {
    places = await first_places(page);
    return wanted.every(([body, place]) => place.every((x, m) => Math.abs(places[body][m] - x) < 1e-6));
  });
  for (const [body, place] of wanted) place.forEach((x, m) => assert.ok(Math.abs(places[body][m] - x) < 1e-6, `${body}: ${places[body][m]} instead of ${x}`));
  assert.notDeepEqual(places, before_places);
  await picture(page, "live-slider");

  // The whole way of the handle is one step of undo.
  await page.getByRole("button", { name: "Undo" }).click();
  assert.equal(/^g\s*=\s*([\d.]+)/m.exec(await page.evaluate(() => window.zwang.text()))[1], "8.6");
  await clean(page, complaints);
  await close();
});

test("a point of a linkage is dragged and stays on its conditions", { skip }, async () => {
  const file = join(folder, "linkage.toml");
  writeFileSync(file, 'gravity = [0, -9.81]\n[points.a]\nmass = 1\nposition = [1, 0]\n[points.b]\nmass = 1\nposition = [2, 0]\n[constraints]\nrod = "norm(a) = 1"\nlink = "distance(a, b) = 1"\n[simulation]\nuntil = 3\n');
  const { page, complaints, close } = await open(file);
  await come_to_rest(page);
  await page.getByRole("button", { name: "Move the start" }).click();
  const grip = page.locator(".handles .grip").nth(1);
  await grip.hover();
  const box = await grip.boundingBox();
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  const seen = await motions(page);
  await page.mouse.move(x, y);
  await page.mouse.down();
  for (let k = 1; k <= 6; k++) await page.mouse.move(x - 8 * k, y - 12 * k);
  await newer(page, seen);
  await picture(page, "live-drag");

  // The hand rests while it holds: neither the picture nor what it holds moves, and the place where it lets go is the one that is taken.
  const distance = (p, q) => Math.hypot(p[0] - q[0], p[1] - q[1]);
  const slept = await page.evaluate(() => performance.now());
  await page.waitForFunction((then) => performance.now() - then > 1500, slept);
  const rested = await grip.boundingBox();
  assert.ok(distance([rested.x, rested.y], [box.x - 48, box.y - 72]) < 1.5, JSON.stringify([box, rested]));
  await page.mouse.up();
  let places;
  await until(async () => {
    places = await first_places(page);
    return places.b[1] > 0.05 && Math.abs(distance(places.a, [0, 0]) - 1) < 1e-9 && Math.abs(distance(places.a, places.b) - 1) < 1e-9;
  });
  assert.ok(places.b[1] > 0.05, `b is at ${places.b}`);
  assert.ok(Math.abs(distance(places.a, [0, 0]) - 1) < 1e-9 && Math.abs(distance(places.a, places.b) - 1) < 1e-9, JSON.stringify(places));

  // A velocity by the keyboard.
  await page.locator(".handles .tip").nth(1).focus();
  await page.keyboard.press("ArrowUp");
  await page.waitForFunction(() => /velocity/.test(window.zwang.text()));
  await come_to_rest(page);
  await clean(page, complaints);
  await close();
});

test("an address sets parameters, in the text where it has numbers, and the end: the motion is that of the command with these options", { skip }, async () => {
  const path = page_of("gallery:string-pendulum");
  const { page, complaints, close } = await open_page(browser, path, { hash: "play=0&set=g=7.25&until=1.5" });
  assert.match(await page.evaluate(() => window.zwang.text()), /^g\s*=\s*7\.25/m);
  assert.match(await page.textContent(".fixed"), /until = 1\.5/);
  const same = async (...words) => {
    const { answer } = zwang("run", "gallery:string-pendulum", "--json", "--no-report", "--out", folder, ...words);
    await page.waitForFunction((t) => (window.zwang.seek(t), window.zwang.time() === t), answer.final.time);
    const places = await first_places(page);
    for (const [body, place] of Object.entries(answer.final.positions)) place.forEach((value, m) => assert.ok(Math.abs(places[body][m] - value) < 1e-9));
  };
  await same("--set", "g=7.25", "--until", "1.5");

  // Another address in the page that is open.
  await come_to_rest(page);
  const seen = await motions(page);
  await page.evaluate(() => (location.hash = "play=0&set=g=12.5&until=2"));
  await newer(page, seen);
  assert.match(await page.evaluate(() => window.zwang.text()), /^g\s*=\s*12\.5/m);
  await same("--set", "g=12.5", "--until", "2");
  await clean(page, complaints);
  await close();
});

test("from a sample of a sweep its motion is opened, and comes to the numbers of its line", { skip }, async () => {
  const swept = zwang("sweep", "gallery:string-pendulum", "--over", "g=7..13:4", "--until", "1.25", "--record", "bob.x", "--out", folder, "--quiet");
  assert.equal(swept.status, 0, swept.stderr);
  const viewed = zwang("view", join(folder, "string-pendulum-sweep.sqlite"), "--no-open");
  assert.equal(viewed.status, 0, viewed.stderr);
  const { page, close } = await open_page(browser, viewed.stdout.trim(), { hash: "theme=light", width: 1200, height: 800 });
  await page.fill("#sample-number", "2");
  await page.press("#sample-number", "Enter");
  const line = Object.fromEntries(await page.evaluate(() => [...document.querySelectorAll(".values > div")].map((row) => [row.children[0].textContent, row.children[1].textContent.replace("−", "-")])));
  assert.equal(line.g, "11");
  const [motion] = await Promise.all([page.context().waitForEvent("page"), page.click("a.open")]);
  // A page that was just opened is empty first: what is asked of it must outlast that it is then loaded.
  await motion.waitForFunction(() => window.zwang !== undefined);
  await motion.evaluate(() => window.zwang.ready);
  assert.match(await motion.evaluate(() => window.zwang.text()), /^g\s*=\s*11\b/m);
  await motion.waitForFunction(() => (window.zwang.pause(), window.zwang.seek(1.25), window.zwang.time() === 1.25));
  const { bob } = await first_places(motion);
  assert.ok(Math.abs(bob[0] - Number(line["bob.x"])) < 1e-8, `${bob[0]} and ${line["bob.x"]}`);
  await close();
});

test("a link carries the text to another page; what was typed is there on the next visit", { skip }, async () => {
  const path = page_of("gallery:string-pendulum");
  const { page, complaints, close } = await open_page(browser, path);
  const text = (await page.evaluate(() => window.zwang.text())).replace(/^title = .*$/m, 'title = "Ein Pendel, geändert"');
  const seen = await motions(page);
  await page.evaluate((changed) => window.zwang.set_text(changed), text);
  await newer(page, seen);
  await page.getByRole("button", { name: "Copy link" }).click();
  await page.waitForFunction(() => location.hash.startsWith("#m="));
  const link = await page.evaluate(() => location.hash.slice(1));
  assert.ok(link.length < text.length, "compressed");
  const again = await open_page(browser, path, { hash: `${link}&play=0` });
  assert.equal(await again.page.evaluate(() => window.zwang.text()), text);
  assert.equal(await again.page.title(), "Ein Pendel, geändert");
  await clean(again.page, again.complaints);
  await again.close();
  await page.evaluate(() => (location.hash = ""));
  await page.reload();
  await page.evaluate(() => window.zwang.ready);
  assert.equal(await page.evaluate(() => window.zwang.text()), text);
  await clean(page, complaints);
  await close();
});

test("the page saved with its text opens with it", { skip }, async () => {
  const { page, complaints, close } = await open("gallery:bouncing-ball");
  await page.evaluate(() => window.zwang.set_text(window.zwang.text().replace(/^title = .*$/m, 'title = "Kept"')));
  const [kept] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Save page" }).click()]);
  const path = join(folder, "kept.html");
  await kept.saveAs(path);
  await clean(page, complaints);
  await close();
  const again = await open_page(browser, path);
  assert.equal(await again.page.title(), "Kept");
  await clean(again.page, again.complaints);
  await again.close();
});

test("a long run streams in and can be stopped", { skip }, async () => {
  const { page, complaints, close } = await open("gallery:bouncing-ball");
  const text = 'gravity = [0, -9.81]\n[points.a]\nmass = 1\nposition = [1, 0]\n[points.b]\nmass = 1\nposition = [2, 0]\n[constraints]\nrod = "norm(a) = 1"\nlink = "distance(a, b) = 1"\n[simulation]\nuntil = 1e7\n';
  const seen = await motions(page);
  await page.evaluate((changed) => window.zwang.set_text(changed), text);
  await newer(page, seen + 1);
  assert.equal(await page.locator(".stop").isVisible(), true);
  assert.equal(await page.locator(".trouble").count(), 0, "on its way it is not interrupted");
  await page.getByRole("button", { name: "Stop" }).click();
  await page.waitForFunction(() => document.querySelector(".stop").hidden);
  assert.match(await page.textContent(".state"), /stopped/);
  await clean(page, complaints);
  await close();
});

test("both laws lie over one another; the instant is explained where time stands", { skip }, async () => {
  const { page, complaints, close } = await open("gallery:rolling-coin", { hash: "play=0&t=0.5", width: 1300, height: 760 });
  await page.getByRole("tab", { name: "Instant" }).click();
  await page.waitForSelector(".told");
  assert.match(await page.textContent(".told"), /t = 0\.5/);
  assert.equal(await page.locator(".told .columns", { hasText: "t = 0.5" }).count(), 0, "the head is a sentence, and broken where the panel ends");
  assert.match((await page.locator(".told .columns").allTextContents()).join(""), /^ +condition +kind +f/m, "columns stay columns");
  assert.ok(await page.evaluate(() => [...document.querySelectorAll("[role=tab]")].every((tab) => tab.getBoundingClientRect().right <= document.querySelector(".tabs").getBoundingClientRect().right)), "all tabs are in sight");
  await picture(page, "live-instant");
  const seen = await motions(page);
  await page.getByLabel("both laws").check();
  await newer(page, seen);
  await page.waitForSelector(".run");
  assert.equal(await page.locator(".run").count(), 2);
  await clean(page, complaints);
  await close();
});

test("in a notebook the page begins with the cell's text, and every change is heard by the widget", { skip }, async () => {
  // The module that anywidget loads, in a page of its own that promises what anywidget's host does.
  const source = readFileSync(join(process.cwd(), "python", "zwang", "live.py"), "utf8");
  const [, module] = /_WIDGET = """([^]*?)"""/.exec(source);
  const path = join(folder, "notebook.html");
  writeFileSync(path, "<!doctype html><title>notebook</title><div id=cell></div><script>window.zwang = { ready: Promise.resolve(), errors: [] }</script>");
  const { page, complaints, close } = await open_page(browser, path, { width: 1300, height: 760 });
  const shown = readFileSync(page_of("gallery:string-pendulum"), "utf8");
  const text = zwang("gallery", "string-pendulum").stdout;
  const begin = () =>
    page.evaluate(
      async ([code, html]) => {
        const { default: widget } = await import(URL.createObjectURL(new Blob([code], { type: "text/javascript" })));
        const values = { page: html, text: "" };
        window.heard = [];
        window.leave?.();
        document.getElementById("cell").replaceChildren();
        window.leave = widget.render({ model: { get: (name) => values[name], set: (name, value) => (values[name] = value), save_changes: () => window.heard.push(values.text) }, el: document.getElementById("cell") });
      },
      [module, shown],
    );
  for (const visit of [1, 2]) {
    await begin();
    const frame = page.frameLocator("iframe");
    const slider = frame.getByRole("slider", { name: "g", exact: true });
    await slider.focus();
    assert.equal(await frame.locator(".typed").inputValue(), text, `visit ${visit}: what was tried before is not what the cell says`);
    await slider.press("ArrowRight");
    await page.waitForFunction(() => window.heard.length > 0);
    const heard = await page.evaluate(() => window.heard.at(-1));
    const [was, is] = [text, heard].map((one) => Number(/^g\s*=\s*([\d.]+)/m.exec(one)[1]));
    assert.ok(is > was && is < 1.05 * was, `g = ${is} after ${was}`);
  }
  await picture(page, "live-notebook");
  assert.deepEqual(complaints.filter((line) => !line.startsWith("request: blob:")), []);
  await close();
});

test("the search of the gallery's site finds by words, law and event", { skip }, async () => {
  const source = readFileSync(join(process.cwd(), "cli", "site.cpp"), "utf8");
  const [, script] = /search_script = R"\(([^]*?)\)";/.exec(source);
  const site = join(folder, "site");
  mkdirSync(site, { recursive: true });
  writeFileSync(join(site, "search.js"), script);
  const model = (name, law, events) => `<li data-words="${name} a model" data-law="${law}" data-events="${events}"><a href="${name}/index.html">${name}</a><button type="button">impact</button></li>`;
  writeFileSync(
    join(site, "index.html"),
    `<!doctype html><html lang="en"><title>site</title><script>window.zwang = { ready: Promise.resolve(), errors: [] }</script><header><form class="find" role="search" hidden><label>Search<input type="search" name="words"></label><label>Law<select name="law"><option value="">any</option><option>straightest</option><option>variational</option></select></label><label>Event<select name="event"><option value="">any</option><option>impact</option><option>slip</option></select></label><output></output></form></header><main><h2>First</h2><ul>${model("ball", "straightest", "impact")}${model("skate", "straightest variational", "")}</ul><h2>Others</h2><ul>${model("stick", "straightest", "impact slip")}</ul></main><script src="search.js"></script></html>`,
  );
  const { page, close } = await open_page(browser, join(site, "index.html"));
  const shown = () => page.evaluate(() => [[...document.querySelectorAll("li")].filter((e) => e.checkVisibility()).map((e) => e.querySelector("a").textContent), [...document.querySelectorAll("h2")].filter((e) => !e.hidden).length, document.querySelector("output").textContent]);
  assert.deepEqual(await shown(), [["ball", "skate", "stick"], 2, "all 3 models"]);
  await page.getByLabel("Search").pressSequentially("St model");
  assert.deepEqual(await shown(), [["stick"], 1, "one model"]);
  await page.getByLabel("Search").fill("");
  await page.getByLabel("Event").selectOption("impact");
  assert.deepEqual(await shown(), [["ball", "stick"], 2, "2 models"]);
  await page.getByLabel("Law").selectOption("variational");
  assert.deepEqual(await shown(), [[], 0, "no models"]);
  await close();
});

test("all by the keyboard: a model of the gallery, a slider, the start, undo; those who want calm get no autoplay", { skip }, async () => {
  const { page, complaints, close } = await open("gallery:bouncing-ball", { hash: "", width: 1300, height: 760, reducedMotion: "reduce" });
  assert.equal(await page.evaluate(() => window.zwang.playing()), false);
  const reached = async (wanted, most) => {
    for (let k = 0; k < most; k++) {
      await page.keyboard.press("Tab");
      const name = await page.evaluate(() => document.activeElement.getAttribute("aria-label") ?? document.activeElement.textContent);
      if (name === wanted) return;
    }
    assert.fail(`${wanted} is not reached in ${most} steps`);
  };
  await page.evaluate(() => document.body.focus());
  await reached("A model of the gallery", 4);
  const before_text = await page.evaluate(() => window.zwang.text());
  await come_to_rest(page);
  const seen = await motions(page);
  await page.keyboard.type("string-pen");
  await page.waitForFunction((old) => window.zwang.text() !== old, before_text);
  const opened = await page.evaluate(() => window.zwang.text());
  assert.equal(opened, zwang("gallery", "string-pendulum").stdout);

  // Other bodies get another panel: what has the focus in it now would lose it.
  await newer(page, seen);
  await come_to_rest(page);
  await reached("g", 40);
  await page.keyboard.press("ArrowLeft");
  await page.waitForFunction((old) => window.zwang.text() !== old, opened);
  await page.waitForFunction(() => document.querySelector(".typed").value === window.zwang.text());
  await page.evaluate(() => document.querySelector(".typed").focus());
  await page.keyboard.press("Control+z");
  assert.equal(await page.evaluate(() => window.zwang.text()), opened);
  await clean(page, complaints);
  await close();
});

test("axe-core finds nothing in the living page", { skip }, async () => {
  const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
  for (const [theme, width] of [["light", 1300], ["dark", 390]]) {
    const { page, close } = await open("gallery:string-pendulum", { hash: `play=0&theme=${theme}`, width, height: 800, bypassCSP: true });
    await page.evaluate(axe);
    for (const tab of ["Parameters", "Instant", "Plots"]) {
      await page.getByRole("tab", { name: tab }).click();
      if (tab === "Instant") await page.waitForSelector(".told");
      await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))));
      const { violations } = await page.evaluate(() => window.axe.run(document, { resultTypes: ["violations"], runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] }));
      assert.deepEqual(violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target.join(" ")}`)), [], `${theme} ${tab}`);
    }
    await close();
  }
});

test("phone and dark: everything is there, nothing overflows", { skip }, async () => {
  const phone = await open("gallery:chain-meets-beam", { width: 390, height: 844, hash: "play=0&t=1", isMobile: true, hasTouch: true });
  assert.ok(await phone.page.evaluate(() => document.documentElement.scrollWidth <= innerWidth + 1), "no sideways scrolling");
  assert.equal(await phone.page.locator(".typed").count(), 1);
  await picture(phone.page, "live-phone");
  await phone.page.locator(".typed").scrollIntoViewIfNeeded();
  await picture(phone.page, "live-phone-text");
  await clean(phone.page, phone.complaints);
  await phone.close();
  const dark = await open("gallery:chain-meets-beam", { colorScheme: "dark", hash: "play=0&t=1", width: 1400, height: 800 });
  assert.equal(await dark.page.evaluate(() => document.documentElement.dataset.theme), "dark");
  await picture(dark.page, "live-dark");
  await clean(dark.page, dark.complaints);
  await dark.close();
});

test("numbers of [parameters] are found where they stand, and those that count are known", async () => {
  const { written_parameters, is_counted, digits_of } = await import_sources('export * from "./live/parameters";', folder);
  const text = '[parameters]\nn = 6   # how many\nL = 1.5e-1\np = [0, -2.5]\nq = "2*L"\n[points.a]\ncount = "n"\nmass = 3\n[constraints]\nlink = { for = "i = 1..n-1", condition = "distance(a[i], a[i+1]) <= L" }\n';
  const found = written_parameters(text);
  assert.deepEqual(found.map(({ name, value }) => [name, value]), [["n", 6], ["L", 0.15], ["p.x", 0], ["p.y", -2.5]]);
  for (const { value, from, to } of found) assert.equal(Number(text.slice(from, to)), value);
  assert.deepEqual(["n", "L"].map((name) => is_counted(text, name)), [true, false]);
  assert.deepEqual([digits_of(8.6172, 0.0172), digits_of(0.5, 0.1), digits_of(12, 1)], ["8.62", "0.5", "12"]);
});

test("the page refuses scripts that are not its own", { skip }, () => {
  const rules = /Content-Security-Policy" content="([^"]*)"/.exec(readFileSync(built, "utf8"))[1];
  assert.match(rules, /default-src 'none'; script-src 'sha256-[^']+' 'wasm-unsafe-eval'; worker-src blob:/);
});
