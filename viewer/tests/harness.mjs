// A real Chromium for the tests: without a network, listening for every complaint.
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";
import { chromium } from "playwright-core";

export const root = dirname(dirname(fileURLToPath(import.meta.url)));

// The page without data: the one that was built beside the tests.
export const shell = [process.env.ZWANG_PAGE, join(root, "page.html"), join(root, "dist", "page.html")].find((path) => path && existsSync(path));

const candidates = [process.env.CHROMIUM, "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

// ZWANG_SLOWED=6 makes pages as slow as on a machine six times slower: what passes only where it is quick shows itself.
const slowed = Number(process.env.ZWANG_SLOWED ?? 1);
const patience = 240 * Math.max(1, slowed); // seconds; only what hangs takes so long

// A browser; `webgl` false takes it away as drivers do.
export async function open_browser({ webgl = true } = {}) {
  const path = candidates.find((candidate) => candidate && existsSync(candidate));
  if (!path) throw new Error("no Chromium found: install the package chromium (scripts/setup test), or name one in CHROMIUM");
  if (!shell) throw new Error("the page has not been built: node build.mjs");
  const graphics = webgl ? ["--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist"] : ["--disable-3d-apis", "--disable-gpu"];
  const sandbox = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
  return chromium.launch({ executablePath: path, args: [...graphics, ...sandbox, "--disable-dev-shm-usage"] });
}

// A page from a file, with the network off. `complaints` gathers errors and warnings of its script, and every request it makes.
export async function open_page(browser, path, { hash = "play=0", width = 1000, height = 640, ready = true, ...options } = {}) {
  const context = await browser.newContext({ viewport: { width, height }, offline: true, ...options });
  const page = await context.newPage();
  const complaints = [];
  const address = pathToFileURL(path).href;
  page.on("console", (message) => {
    // Software rendering is slow to read back for screenshots, and says so.
    if (["error", "warning"].includes(message.type()) && !/GPU stall due to ReadPixels/.test(message.text())) complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("request", (request) => {
    if (!request.url().startsWith(address) && !request.url().startsWith("data:")) complaints.push(`request: ${request.url()}`);
  });
  page.setDefaultTimeout(1000 * patience);
  if (slowed > 1) await (await context.newCDPSession(page)).send("Emulation.setCPUThrottlingRate", { rate: slowed });
  await page.goto(`${address}#${hash}`);
  if (ready) await page.evaluate(() => window.zwang.ready);
  return { page, complaints, close: () => context.close() };
}

// Sources of the viewer as a module that Node.js can import.
export async function import_sources(entry_text, folder) {
  const outfile = join(folder, `sources-${Math.random().toString(36).slice(2)}.mjs`);
  await build({ stdin: { contents: entry_text, resolveDir: join(root, "src"), loader: "ts" }, bundle: true, format: "esm", platform: "node", outfile, logLevel: "warning" });
  return import(pathToFileURL(outfile).href);
}

// A folder for one test file, gone when it is done.
export function scratch(after) {
  const folder = mkdtempSync(join(tmpdir(), "zwang-viewer-"));
  after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

// The largest difference between two records of places, relative to the size of the numbers in them.
export function distance_between(one, other) {
  let largest = 0;
  let size = 1e-300;
  for (const [run, bodies] of Object.entries(one))
    for (const [body, place] of Object.entries(bodies))
      place.forEach((value, m) => {
        largest = Math.max(largest, Math.abs(value - other[run][body][m]));
        size = Math.max(size, Math.abs(value));
      });
  return largest / size;
}

/** Asks until the answer is true or the patience is over; gives the last answer. A machine may be busy: nothing here waits for a fixed time. */
export async function until(question, seconds = patience) {
  const end = Date.now() + 1000 * seconds;
  for (;;) {
    const answer = await question();
    if (answer || Date.now() > end) return answer;
    await new Promise((done) => setTimeout(done, 50));
  }
}
