// Bundles the viewer into HTML pages without outside references: node build.mjs [OUTPUT] (default dist/page.html) writes the page of a run there and that of a
// sweep, sweep.html, beside it.
import { build } from "esbuild";
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const output = resolve(process.argv[2] ?? join(here, "dist", "page.html"));
const read = (...parts) => readFileSync(join(here, ...parts), "utf8");
const marker = "<!--zwang:data-->";
const limit = 900 * 1024;
const sweep_limit = 80 * 1024;

// The licences of what is bundled travel with it.
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
    target: ["es2021", "chrome100", "firefox110", "safari16"],
    legalComments: "none",
    logLevel: "warning",
    ...options,
  });
  return result.outputFiles[0].text.trim();
}

const hash = (text) => `sha256-${createHash("sha256").update(text, "utf8").digest("base64")}`;

// One page from its entry, its style and its frame.
async function write_page(entry, look, frame, file, most, options = {}) {
  const script = await bundle(entry, { format: "iife", ...options });
  const style = await bundle(look, { loader: { ".css": "css" } });

  // Functions as replacements: a text that holds "$&" must not be read as a pattern.
  // The page runs this script and takes this style, by their hashes, and no other.
  const page = read(...frame)
    .replace("/*script-hash*/", () => hash(script))
    .replace("/*style-hash*/", () => hash(style))
    .replace("/*style*/", () => style)
    .replace("/*script*/", () => script);

  // What others rely on: one marker, nothing that would end the script early, nothing larger than promised.
  const complaints = [];
  if (page.split(marker).length !== 2) complaints.push("the marker of the data must stand exactly once");
  if (/<\/script/i.test(script) || /<!--/.test(script)) complaints.push("the script holds a sequence that would end it");
  if (Buffer.byteLength(page) > most) complaints.push(`the page has ${Buffer.byteLength(page)} bytes, more than ${most}`);
  if (complaints.length > 0) {
    console.error(complaints.map((line) => `build: ${file}: ${line}`).join("\n"));
    process.exit(1);
  }
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, page);
  console.log(`${file}: ${(Buffer.byteLength(page) / 1024).toFixed(1)} KiB`);
}

await write_page("src/main.ts", "src/style/page.css", ["src", "page.html"], output, limit, { define: { ZWANG_LICENCES: JSON.stringify(bundled) } });
await write_page("src/sweep/main.ts", "src/style/sweep.css", ["src", "sweep", "page.html"], join(dirname(output), "sweep.html"), sweep_limit);
