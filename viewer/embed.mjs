// Writes the page as a C++ source that defines zwang::report::page_shell(): node embed.mjs PAGE OUTPUT.
import { readFileSync, writeFileSync } from "node:fs";

const [page, output] = process.argv.slice(2);
const bytes = readFileSync(page);

// String literals compile a hundred times faster than arrays of numbers; three octal digits never swallow what follows.
const lines = [];
for (let at = 0; at < bytes.length; at += 4000) {
  let line = "";
  for (const byte of bytes.subarray(at, at + 4000)) {
    const plain = byte >= 32 && byte < 127 && byte !== 34 && byte !== 92 && byte !== 63;
    line += plain ? String.fromCharCode(byte) : `\\${byte.toString(8).padStart(3, "0")}`;
  }
  lines.push(`    "${line}"`);
}

writeFileSync(
  output,
  `// Generated from viewer/; changes belong there.
#include "zwang/report/page_shell.hpp"

namespace zwang::report {

namespace {

constexpr char page[] =
${lines.join("\n")};

}  // namespace

std::string_view page_shell() { return {page, sizeof(page) - 1}; }

bool page_shell_is_complete() { return true; }

}  // namespace zwang::report
`,
);
