// The page for those who do not see it well or have no mouse: axe-core finds nothing, and the keys reach everything.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { ball_page, base64_of, oscillator_page, write_page } from "./fixtures.mjs";
import { open_browser, open_page, scratch, shell } from "./harness.mjs";

const folder = scratch(after);
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const rules = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
const wide = "<mrow>" + Array.from({ length: 60 }, (_, k) => `<mi>x</mi><mo>+</mo><mn>${k}</mn>`).join("") + "</mrow>";
const equations = `<h3>Energies</h3><div class="formula"><math displaystyle="true">${wide}</math></div><div class="formula"><math><mi>T</mi></math></div>`;
const paths = {};
let browser;

before(async () => {
  const pages = { ball: ball_page({ notes: ["A note about accuracy."], equations }), two: ball_page({ labels: ["straightest", "variational"] }), oscillator: oscillator_page() };
  for (const [name, page] of Object.entries(pages)) {
    paths[name] = join(folder, `${name}.html`);
    write_page(shell, paths[name], base64_of(page.bytes));
  }
  browser = await open_browser({ webgl: false });
});
after(() => browser?.close());

// What axe-core complains about in the page as it stands.
async function complaints_of(page) {
  const { violations } = await page.evaluate((tags) => window.axe.run(document, { resultTypes: ["violations"], runOnly: tags }), rules);
  return violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target.join(" ")}`));
}

const scenes = [
  ["ball", "light", 1000, ["Plots", "Events", "Model", "Equations", "Summary"]],
  ["ball", "dark", 1000, ["Plots", "Events", "Model"]],
  ["two", "light", 390, ["Plots", "Summary"]],
  ["oscillator", "dark", 390, ["Plots"]],
];
for (const [name, theme, width, tabs] of scenes)
  test(`axe-core finds nothing: ${name}, ${theme}, ${width} pixels wide`, async () => {
    const { page, close } = await open_page(browser, paths[name], { hash: `play=0&theme=${theme}`, width, height: 760, bypassCSP: true });
    await page.evaluate(axe);
    for (const tab of tabs) {
      await page.click(`[role=tab]:has-text("${tab}")`);
      await page.waitForFunction(() => [...document.querySelectorAll(".formula")].every((e) => e.offsetParent === null || e.scrollWidth <= e.clientWidth + 1 || e.tabIndex === 0));
      assert.deepEqual(await complaints_of(page), [], tab);
    }
    if (name === "ball") {
      await page.evaluate(() => window.zwang.step(1));
      assert.deepEqual(await complaints_of(page), [], "the card of an event");
      await page.keyboard.press("?");
      assert.deepEqual(await complaints_of(page), [], "the dialog of keys");
    }
    await close();
  });

test("the panel is widened by the arrow keys, and a formula too wide for it is scrolled by them", async () => {
  const { page, complaints, close } = await open_page(browser, paths.ball, { hash: "play=0&tab=Equations" });
  const width = () => page.evaluate(() => document.querySelector(".panel").offsetWidth);
  const before_it = await width();
  await page.focus("[role=separator]");
  for (let k = 0; k < 3; k++) await page.keyboard.press("ArrowLeft");
  assert.equal(await width(), before_it + 72);
  assert.equal(Number(await page.getAttribute("[role=separator]", "aria-valuenow")), before_it + 72);
  assert.equal(await page.evaluate(() => window.zwang.time()), 0, "the keys are the border's own");

  // By the mouse, too.
  const box = await page.locator("[role=separator]").boundingBox();
  await page.mouse.move(box.x, box.y + 300);
  await page.mouse.down();
  await page.mouse.move(box.x + 40, box.y + 300);
  await page.mouse.up();
  assert.ok(Math.abs((await width()) - before_it - 32) <= 2);

  // Only what is wider than the panel is a stop of the tab key.
  await page.waitForFunction(() => document.querySelectorAll(".formula[tabindex]").length === 1);
  await page.focus(".formula[tabindex]");
  assert.ok(await page.evaluate(() => document.activeElement.scrollWidth > document.activeElement.clientWidth));
  assert.deepEqual(complaints, []);
  await close();
});
