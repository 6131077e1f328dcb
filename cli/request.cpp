/// From what was typed to what is to be done.
#include "request.hpp"

namespace zwang::cli {

Manner manner_of(const Request& request) {
  Manner out;
  if (!request.out.empty()) {
    out.folder = request.out;
  }
  out.checkpoint = request.checkpoint;
  out.use_integrals = request.use_integrals;
  out.quiet = request.quiet;
  return out;
}

}  // namespace zwang::cli
