// The empty page of the animated report: everything but the run, which replaces the one marker in it.
#pragma once

#include <string_view>

namespace zwang::report {

// One HTML document in which page_marker stands exactly once.
std::string_view page_shell();

// Whether that document is the whole viewer; without Node.js at build time it only lists the events of a run.
bool page_shell_is_complete();

// The empty page of a sweep, with the same marker; empty itself without Node.js at build time.
std::string_view sweep_shell();

// What the script element with the run's data replaces.
inline constexpr std::string_view page_marker = "<!--zwang:data-->";

}  // namespace zwang::report
