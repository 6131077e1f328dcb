/// Vectors of a dozen numbers, and sets of them made orthonormal.
#pragma once

#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include "zwang/base/vectors.hpp"

namespace zwang::model {

using Vector = std::vector<double>;

inline void subtract(Vector& x, double factor, const Vector& y) {
  for (std::size_t i = 0; i < x.size(); ++i) x[i] -= factor * y[i];
}
inline void scale(Vector& x, double factor) {
  for (double& value : x) value *= factor;
}

/// Vectors made orthonormal one after the other.
class Orthonormal {
 public:
  /// Takes the part inside the span off, twice; what is left.
  double reduce(Vector& x) const {
    for (int round = 0; round < 2; ++round) {
      for (const Vector& one : direction_) subtract(x, dot(x, one), one);
    }
    return norm(x);
  }
  void append(Vector x, double length) {
    scale(x, 1 / length);
    direction_.push_back(std::move(x));
  }
  [[nodiscard]] std::size_t size() const { return direction_.size(); }
  [[nodiscard]] const std::vector<Vector>& directions() const { return direction_; }

 private:
  std::vector<Vector> direction_;
};

}  // namespace zwang::model
