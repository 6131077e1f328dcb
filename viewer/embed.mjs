// Writes the pages as a C++ source that defines zwang::report::page_shell() and sweep_shell(): node embed.mjs PAGE SWEEP_PAGE OUTPUT.
import { readFileSync, writeFileSync } from "node:fs";

const [page, sweep_page, output] = process.argv.slice(2);

// String literals compile a hundred times faster than arrays of numbers; three octal digits never swallow what follows.
function literal(file) {
  const bytes = readFileSync(file);
  const lines = [];
  for (let at = 0; at < bytes.length; at += 4000) {
    let line = "";
    for (const byte of bytes.subarray(at, at + 4000)) {
      const plain = byte >= 32 && byte < 127 && byte !== 34 && byte !== 92 && byte !== 63;
      line += plain ? String.fromCharCode(byte) : `\\${byte.toString(8).padStart(3, "0")}`;
    }
    lines.push(`    "${line}"`);
  }
  return lines.join("\n");
}

writeFileSync(
  output,
  `// Generated from viewer/; changes belong there.
#include "zwang/report/page_shell.hpp"

namespace zwang::report {

namespace {

constexpr char page[] =
${literal(page)};

constexpr char sweep_page[] =
${literal(sweep_page)};

}  // namespace

std::string_view page_shell() { return {page, sizeof(page) - 1}; }

bool page_shell_is_complete() { return true; }

std::string_view sweep_shell() { return {sweep_page, sizeof(sweep_page) - 1}; }

}  // namespace zwang::report
`,
);
