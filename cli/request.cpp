/// From what was typed to what is to be done.
#include "request.hpp"

#include <fmt/format.h>

#include "zwang/error.hpp"

namespace zwang::cli {

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
  return out;
}

}  // namespace zwang::cli
