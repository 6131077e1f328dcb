// How many pictures a second a slider of the living page gives while it is dragged: every new value is computed, and seen.
//
// A busy machine shows fewer; the processor's time per picture, by threads, is what the page itself can be held to.
//
//   ZWANG_LIVE=build/live/live.html node viewer/tests/bench/slider.mjs [MODEL...]
import { readFileSync, readdirSync } from "node:fs";
import { open_browser, open_page } from "../harness.mjs";

const names = process.argv.length > 2 ? process.argv.slice(2) : ["double-pendulum", "rolling-coin", "foucault-pendulum", "basketball", "linear-complex-central", "chain-meets-beam"];
const seconds = 3;

// Milliseconds on the processor, by the names of the threads of all processes of the browser that show pages.
async function spent(protocol) {
  const { processInfo } = await protocol.send("SystemInfo.getProcessInfo");
  const found = {};
  for (const { type, id } of processInfo.filter(({ type: kind }) => kind === "renderer" || kind === "GPU"))
    for (const thread of readdirSync(`/proc/${id}/task`)) {
      const stat = readFileSync(`/proc/${id}/task/${thread}/stat`, "utf8");
      const name = `${type} ${/\((.*)\)/.exec(stat)[1].replace(/[\d/]+$/, "")}`;
      const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      found[name] = (found[name] ?? 0) + 10 * (Number(fields[11]) + Number(fields[12]));
    }
  return found;
}

const browser = await open_browser({ webgl: false });
try {
  const protocol = await browser.newBrowserCDPSession();
  for (const name of names) {
    const { page, close } = await open_page(browser, process.env.ZWANG_LIVE, { hash: `play=0&gallery=${name}`, width: 1280, height: 800 });
    await page.evaluate(() => document.querySelector(".sliders input[type=range]").focus());
    const drag = (length) =>
      page.evaluate(
        (until) =>
          new Promise((resolve) => {
            const slider = document.querySelector(".sliders input[type=range]");
            const middle = Number(slider.value);
            const begun = performance.now();
            const seen = window.zwang.motions();
            let worst = 0;
            let last = begun;
            const step = (now) => {
              worst = Math.max(worst, now - last);
              last = now;
              slider.value = String(middle + 40 * Math.sin((now - begun) / 300));
              slider.dispatchEvent(new Event("input", { bubbles: true }));
              const took = performance.now() - begun;
              if (took < until) requestAnimationFrame(step);
              else resolve({ rate: (1000 * (window.zwang.motions() - seen)) / took, worst });
            };
            requestAnimationFrame(step);
          }),
        1000 * length,
      );
    await drag(1.5);
    const before = await spent(protocol);
    const { rate, worst } = await drag(seconds);
    const after = await spent(protocol);
    const shares = Object.entries(after)
      .map(([thread, time]) => [thread, (time - (before[thread] ?? 0)) / Math.max(1, rate * seconds)])
      .filter(([, time]) => time > 0.3)
      .sort((a, b) => b[1] - a[1]);
    console.log(`${name.padEnd(26)} ${rate.toFixed(1).padStart(6)} pictures a second, the longest between two frames ${Math.round(worst)} ms; ${await page.textContent(".state")}`);
    console.log(`    on the processor, per picture: ${shares.map(([thread, time]) => `${thread} ${time.toFixed(1)} ms`).join(", ")}`);
    await close();
  }
} finally {
  await browser.close();
}
