// The page that stands in for the viewer where there was no Node.js to build it: a table of the events, and a word why.
#include "zwang/report/page_shell.hpp"

namespace zwang::report {

namespace {

constexpr std::string_view page = R"page(<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'sha256-pfsgcXwIK/ytiCHXLXjse+qYqtQcT456OMGwEx6GI7I='; style-src 'sha256-ZYyhVx943LNWHqs9tpZZwMhrgohAOZI3L5sigwHYvJo='; base-uri 'none'; form-action 'none'">
<title>zwang</title>
<style>
body { font: 16px/1.5 system-ui, sans-serif; max-width: 50rem; margin: 3rem auto; padding: 0 1rem; color-scheme: light dark; }
table { border-collapse: collapse; } td, th { padding: .2rem 1rem .2rem 0; text-align: left; }
</style>
<h1 id="title">zwang</h1>
<p>This zwang was built without its viewer: there is no animation in this page, only the list of events.
To have the whole report, install Node.js and npm, configure and build again, and write the page anew.</p>
<table id="events"></table>
<p id="note" role="status"></p>
<script>
addEventListener("DOMContentLoaded", async () => {
  const note = document.getElementById("note");
  try {
    const data = document.getElementById("zwang-data");
    if (!data) throw new Error("There is no run in this page.");
    const packed = Uint8Array.from(atob(data.textContent.trim()), (letter) => letter.charCodeAt(0));
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
    const bytes = await new Response(stream).arrayBuffer();
    const length = new DataView(bytes).getUint32(4, true);
    const header = JSON.parse(new TextDecoder().decode(new Uint8Array(bytes, 8, length)));
    document.getElementById("title").textContent = header.title || header.file || "zwang";
    const rows = [["run", "time", "event", "conditions"]];
    for (const run of header.runs) {
      const events = run.events;
      if (!events) continue;
      const f64 = (block) => new Float64Array(bytes, 8 + length + block.at, block.count);
      const u32 = (block) => new Uint32Array(bytes, 8 + length + block.at, block.count);
      const times = f64(events.time), starts = u32(events.row_start), names = u32(events.row);
      const kinds = new Uint8Array(bytes, 8 + length + events.kind.at, events.kind.count);
      for (let e = 0; e < Math.min(times.length, 2000); e++)
        rows.push([run.label || "", times[e].toPrecision(9), events.kinds[kinds[e]],
                   Array.from(names.slice(starts[e], starts[e + 1]), (row) => header.rows[row].name).join(", ")]);
    }
    const table = document.getElementById("events");
    rows.forEach((cells, number) => {
      const line = table.insertRow();
      for (const cell of cells) line.appendChild(document.createElement(number ? "td" : "th")).textContent = cell;
    });
    note.textContent = rows.length - 1 + " events.";
  } catch (error) {
    note.textContent = "The data of this page cannot be read: " + error.message;
  }
});
</script>
<!--zwang:data-->
</html>
)page";

}  // namespace

std::string_view page_shell() { return page; }

bool page_shell_is_complete() { return false; }

std::string_view sweep_shell() { return {}; }

}  // namespace zwang::report
