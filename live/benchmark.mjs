// What the engine in a page costs beside the command: its size, its start, and motions of the gallery, first and when it is warm.
//
//   node live/benchmark.mjs [PACKAGE] [COMMAND]
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");
const built = resolve(process.argv[2] ?? join(root, "build", "live", "package"));
const command = resolve(process.argv[3] ?? join(root, "build", "release", "bin", "zwang"));
const folder = mkdtempSync(join(tmpdir(), "zwang-live-"));
const bytes = readFileSync(join(built, "zwang.wasm"));
console.log(`zwang.wasm: ${(bytes.length / 1024).toFixed(0)} KiB, compressed ${(gzipSync(bytes, { level: 9 }).length / 1024).toFixed(0)} KiB`);

const { load } = await import(pathToFileURL(join(built, "zwang.mjs")).href);
const before = performance.now();
const zwang = await load();
console.log(`from bytes to an engine: ${(performance.now() - before).toFixed(0)} ms`);

// The least of several times: what else runs on the machine only adds.
const least = (times, act) => Math.min(...Array.from({ length: times }, () => {
  const begun = performance.now();
  act();
  return performance.now() - begun;
}));
const native = (name) => Math.min(...Array.from({ length: 5 }, () => {
  const { stdout } = spawnSync(command, ["run", `gallery:${name}`, "--no-report", "--out", folder], { encoding: "utf8" });
  return 1000 * Number(/ in ([\d.e-]+) s$/m.exec(stdout)?.[1]);
}));
console.log("model                    native      first       warm   warm / native   data of the page, at a glance");
for (const name of ["chain-meets-beam", "string-pendulum", "double-pendulum", "rolling-coin", "domino-row"]) {
  const model = zwang.parse(readFileSync(join(root, "gallery", name, "model.toml"), "utf8"));
  const first = least(1, () => model.run().close());
  const warm = least(40, () => model.run().close());
  const motion = model.run();
  const page = least(5, () => motion.page());
  const glance = least(5, () => motion.engine.page(motion.number, 1 << 20, true));
  motion.close();
  const beside = native(name);
  const ms = (value) => `${value.toFixed(1)} ms`.padStart(10);
  console.log(`${name.padEnd(20)} ${ms(beside)} ${ms(first)} ${ms(warm)} ${(warm / beside).toFixed(1).padStart(10)}    ${ms(page)}, ${ms(glance)}`);
}
rmSync(folder, { recursive: true, force: true });
