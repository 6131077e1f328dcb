// Bundles the living page into one HTML file: node build_live.mjs WASM ENGINE_SCRIPT GALLERY OUTPUT. The engine and the gallery go in compressed.
import { build } from "esbuild";
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { deflateSync } from "node:zlib";

const here = dirname(fileURLToPath(import.meta.url));
const [wasm, engine_script, gallery_folder, output] = process.argv.slice(2).map((path) => resolve(path));
const read = (...parts) => readFileSync(join(here, ...parts), "utf8");
const marker = "<!--zwang:text-->";
const limit = 4 * 1024 * 1024;

const bundled = ["three", "uplot"].map((name) => {
  const { version } = JSON.parse(read("node_modules", name, "package.json"));
  return { name, version, text: read("node_modules", name, "LICENSE").trim() };
});

async function bundle(entry, options = {}) {
  const result = await build({
    absWorkingDir: here,
    entryPoints: [entry],
    bundle: true,
    minify: true,
    write: false,
    charset: "utf8",
    alias: { "zwang-engine": engine_script },
    target: ["es2021", "chrome103", "firefox113", "safari16.4"],
    legalComments: "none",
    logLevel: "warning",
    ...options,
  });
  return result.outputFiles[0].text.trim();
}

const worker = await bundle("src/live/worker.ts", { format: "iife" });
const script = await bundle("src/live/main.ts", { format: "iife", define: { ZWANG_LICENCES: JSON.stringify(bundled), ZWANG_WORKER: JSON.stringify(worker) } });
const style = await bundle("src/style/live.css", { loader: { ".css": "css" } });

const gallery = readdirSync(gallery_folder, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name)
  .sort()
  .map((name) => {
    const text = readFileSync(join(gallery_folder, name, "model.toml"), "utf8");
    return { name, title: /^title\s*=\s*"(.*)"/m.exec(text)?.[1] ?? name, text };
  });

const packed = (bytes) => deflateSync(bytes, { level: 9 }).toString("base64");
const hash = (text) => `sha256-${createHash("sha256").update(text, "utf8").digest("base64")}`;
const page = read("src", "live", "page.html")
  .replace("/*script-hash*/", () => hash(script))
  .replace("/*style-hash*/", () => hash(style))
  .replace("/*style*/", () => style)
  .replace("/*script*/", () => script)
  .replace("/*engine*/", () => packed(readFileSync(wasm)))
  .replace("/*gallery*/", () => packed(Buffer.from(JSON.stringify(gallery))));

const complaints = [];
if (page.split(marker).length !== 2) complaints.push("the marker of the text must stand exactly once");
if (/<\/script/i.test(script) || /<!--/.test(script)) complaints.push("the script holds a sequence that would end it");
if (Buffer.byteLength(page) > limit) complaints.push(`the page has ${Buffer.byteLength(page)} bytes, more than ${limit}`);
if (complaints.length > 0) {
  console.error(complaints.map((line) => `build: ${line}`).join("\n"));
  process.exit(1);
}
mkdirSync(dirname(output), { recursive: true });
writeFileSync(output, page);
console.log(`${output}: ${(Buffer.byteLength(page) / 1024).toFixed(1)} KiB`);
