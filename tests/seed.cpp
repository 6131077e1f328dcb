/// Random cases are the same on every run: what passed here passes there. RC_PARAMS=seed=N asks for others. Under the sanitizers, which watch
/// how and not what is calculated, a quarter of them.
#include <cstdlib>

#include "sanitized.hpp"

namespace seed {
namespace {

[[maybe_unused]] const bool fixed =
    setenv("RC_PARAMS", is_sanitized ? "seed=1919 max_success=25" : "seed=1919", 0) == 0;

}  // namespace
}  // namespace seed
