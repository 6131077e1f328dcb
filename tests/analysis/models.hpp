/// Models as texts, and random numbers, for the tests of this room.
#pragma once

#include <cmath>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "places.hpp"
#include "zwang/model/evaluate.hpp"
#include "zwang/model/read.hpp"

namespace zwang::analysis {

inline model::Model from(const std::string& text) { return model::load(text, "model.toml"); }

inline model::Model gallery(const std::string& name) {
  std::ifstream file(places::source("gallery/") + name + "/model.toml");
  return from({std::istreambuf_iterator<char>(file), {}});
}

/// Between -1 and 1, the same on every machine.
class Numbers {
 public:
  explicit Numbers(std::uint64_t seed) : state_(seed * 2654435761U + 88172645463325252U) {}
  double operator()() {
    state_ ^= state_ << 13U;
    state_ ^= state_ >> 7U;
    state_ ^= state_ << 17U;
    return std::ldexp(static_cast<double>(state_ >> 11U), -52) - 1;
  }
  /// 0, 1, ..., count - 1
  std::size_t below(std::size_t count) {
    return static_cast<std::size_t>((0.5 + 0.5 * (*this)()) * static_cast<double>(count)) % count;
  }

 private:
  std::uint64_t state_;
};

inline std::string digits(double value) {
  char buffer[40];
  std::snprintf(buffer, sizeof buffer, "%.17g", value);
  return buffer;
}

/// The cart (knife edge) at heading `w`, with speed along it and turning rate.
inline std::string cart(const std::string& more = "", const std::string& law = "") {
  return R"toml(
[coordinates.x]
velocity = "cos(2/3)*3/2"
initial = 1
[coordinates.y]
velocity = "sin(2/3)*3/2"
initial = -1
[coordinates.w]
initial = "2/3"
velocity = -0.8
[energy]
kinetic = "x'^2 + y'^2 + w'^2/9"
[simulation]
until = 2
[constraints]
)toml" + ("edge = { condition = \"cos(w)*y' - sin(w)*x' = 0\"" + law + " }\n" + more);
}

}  // namespace zwang::analysis
