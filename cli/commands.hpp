/// The sub-commands: one file each, which answers the request and returns the exit status.
#pragma once

#include "request.hpp"

namespace zwang::cli {

[[nodiscard]] int check(const Request& request);
[[nodiscard]] int accelerate(const Request& request);
[[nodiscard]] int explain(const Request& request);
[[nodiscard]] int impact(const Request& request);
[[nodiscard]] int run(const Request& request);
[[nodiscard]] int compare(const Request& request);
[[nodiscard]] int fit(const Request& request);
[[nodiscard]] int equations(const Request& request);
[[nodiscard]] int analyze_integrability(const Request& request);
[[nodiscard]] int analyze_curvature(const Request& request);
[[nodiscard]] int analyze_energy(const Request& request);
[[nodiscard]] int analyze_fourier(const Request& request);
[[nodiscard]] int analyze_measure(const Request& request);
[[nodiscard]] int analyze_reversal(const Request& request);
[[nodiscard]] int analyze_stability(const Request& request);
[[nodiscard]] int analyze_velocities(const Request& request);
[[nodiscard]] int sweep(const Request& request);
[[nodiscard]] int view(const Request& request);
[[nodiscard]] int live(const Request& request);
[[nodiscard]] int gallery(const Request& request);
[[nodiscard]] int schema(const Request& request);

}  // namespace zwang::cli
