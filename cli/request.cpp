/// From what was typed to what is to be done.
#include "request.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <thread>

#include "zwang/base/number.hpp"
#include "zwang/error.hpp"

namespace zwang::cli {

std::uint64_t whole_number(const std::string& option, const std::string& text, double least, double most) {
  const std::optional<double> value = read_number(text);
  if (!value || *value != std::floor(*value) || *value < least || *value > most) {
    throw Error({"command line", 0, 0}, fmt::format("{} takes a whole number from {} to {}, not '{}'", option,
                                                    exact(least), exact(most), text));
  }
  return static_cast<std::uint64_t>(*value);
}

unsigned threads_of(const Request& request) {
  constexpr double most = 1024;
  if (!request.jobs.empty()) return static_cast<unsigned>(whole_number("--jobs", request.jobs, 1, most));
  return std::max(1U, std::thread::hardware_concurrency());
}

Manner manner_of(const Request& request) {
  Manner out;
  if (!request.out.empty()) {
    out.folder = request.out;
  }
  constexpr double longest = 3600;  // seconds
  if (!(request.checkpoint >= 0 && request.checkpoint <= longest)) {
    throw Error({"command line", 0, 0},
                fmt::format("--checkpoint takes seconds from 0 to {}, not {}", longest, request.checkpoint));
  }
  out.checkpoint = request.checkpoint;
  out.use_integrals = request.use_integrals;
  out.quiet = request.quiet;
  out.threads = threads_of(request);
  return out;
}

}  // namespace zwang::cli
