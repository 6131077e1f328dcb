// Takes the pictures of the report that the documentation shows: ZWANG_COMMAND=.../zwang node tests/pictures.mjs [FOLDER]
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { open_browser, open_page, root } from "./harness.mjs";

const command = process.env.ZWANG_COMMAND ?? "zwang";
const folder = resolve(process.argv[2] ?? join(root, "..", "docs", "pictures"));
const most_bytes = 150 * 1024;

// Name, model and options, address, window, what to do before the picture is taken.
const pictures = [
  ["report", ["run", "gallery:net-on-ball"], "t=0.45&theme=light", [1000, 620], undefined],
  ["report-chain", ["run", "gallery:chain-meets-beam"], "t=1.3&theme=light", [1000, 620], undefined],
  ["report-shock", ["run", "gallery:string-and-wall-acute"], "t=0.5&theme=light", [1000, 620], () => window.zwang.step(1)],
  ["report-dark", ["run", "gallery:foucault-pendulum"], "t=20&theme=dark", [1000, 620], undefined],
  ["report-runs", ["run", "gallery:string-pendulum", "--vary", "g=7:13:4"], "t=1.9&theme=light", [1000, 620], undefined],
  ["report-phone", ["run", "gallery:bouncing-ball"], "t=0.75&theme=light", [360, 720], undefined],
];

const scratch = mkdtempSync(join(tmpdir(), "zwang-pictures-"));
mkdirSync(folder, { recursive: true });
const browser = await open_browser();
let too_large = false;
try {
  for (const [name, words, hash, [width, height], act] of pictures) {
    const out = join(scratch, name);
    const result = spawnSync(command, [...words, "--quiet", "--out", out], { encoding: "utf8" });
    if (result.status !== 0) throw new Error(`${words.join(" ")}: ${result.stderr}`);
    const file = readdirSync(out).find((entry) => entry.endsWith(".html"));
    const { page, close } = await open_page(browser, join(out, file), { hash, width, height });
    if (act) await page.evaluate(act);
    await page.waitForTimeout(500);
    const path = join(folder, `${name}.png`);
    await page.screenshot({ path });
    const { size } = statSync(path);
    console.log(`${path}: ${(size / 1024).toFixed(0)} KiB`);
    too_large ||= size > most_bytes;
    await close();
  }
} finally {
  await browser.close();
  rmSync(scratch, { recursive: true, force: true });
}
if (too_large) console.error(`a picture is larger than ${most_bytes / 1024} KiB`);
process.exit(too_large ? 1 : 0);
