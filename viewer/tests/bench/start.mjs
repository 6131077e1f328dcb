// How long the living page takes from its opening to its first motion.
//
//   ZWANG_LIVE=build/live/live.html node viewer/tests/bench/start.mjs [MODEL...]
import { pathToFileURL } from "node:url";
import { open_browser } from "../harness.mjs";

const models = process.argv.length > 2 ? process.argv.slice(2) : ["string-pendulum", "double-pendulum", "rolling-coin", "chain-meets-beam", "domino-row"];
const times = 5;

const browser = await open_browser({ webgl: false });
try {
  for (const model of models) {
    const found = [];
    for (let k = 0; k < times; ++k) {
      const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
      const page = await context.newPage();
      await page.goto(`${pathToFileURL(process.env.ZWANG_LIVE)}#play=0&gallery=${model}`, { waitUntil: "commit" });
      await page.waitForFunction(() => window.zwang?.motions?.() > 0, null, { polling: 5 });
      found.push(await page.evaluate(() => performance.now()));
      await context.close();
    }
    found.sort((a, b) => a - b);
    console.log(`${model.padEnd(28)} ${found[0].toFixed(0)} to ${found[times - 1].toFixed(0)} ms, median ${found[(times - 1) / 2].toFixed(0)} ms`);
  }
} finally {
  await browser.close();
}
