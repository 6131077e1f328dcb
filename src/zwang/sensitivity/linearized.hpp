/// The linearised equations of a motion along its pieces, as power series, and their solutions.
///
///   M dq'' + J^T dlambda = d(X - M q'' - J^T lambda)   with q'', lambda kept,      d f = 0 of every condition held
///
/// What multiplies dq, dv and dlambda in them depends on the motion alone: it is expanded once for each stretch and serves every parameter, as does the factor of
/// M_0 and J_0. What is left for a parameter are sums of products of coefficients, order by order. Reference: docs/mathematics, section 24.2.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "zwang/model/model.hpp"
#include "zwang/trajectory.hpp"

namespace zwang::sensitivity {

/// A stretch of a piece: derivatives as polynomials in s = (t - start) / length.
struct Stretch {
  double start = 0;
  double length = 0;
  std::uint32_t orders = 0;
  std::vector<double> position;    ///< [order * variables + variable]
  std::vector<double> multiplier;  ///< [order * rows + row]; empty where they are not unique
};

/// How far series reached lately, and with how many orders: for all parameters together, so that they need the same ones.
struct Reach {
  std::uint64_t piece = 0;                     ///< its number
  double part = 1;                             ///< of this piece: how much of it a stretch may take
  double next = 1;                             ///< of the next one
  unsigned extra = 0;                          ///< orders beyond `more_orders`, once they have spared a stretch
  std::uint64_t measured = ~std::uint64_t{0};  ///< the piece of which these are
  double moved = 0;                            ///< what it makes of positions
  double moved_multiplier = 0;                 ///< and of multipliers
};

class Linearized {
 public:
  /// Of a model, by parameters whose slopes are the numbers of these models; all must outlive it.
  Linearized(const model::Model& model, std::vector<const model::Model*> slopes);
  ~Linearized();
  Linearized(const Linearized&) = delete;
  Linearized& operator=(const Linearized&) = delete;

  /// About `from`, over `length`; nothing is done if that was the last that was asked for. `number`: of the piece in its run.
  void expand(std::uint64_t number, const motion::Piece& piece, double from, double length, unsigned orders,
              std::span<const double> modes);
  /// One of the parameters, its derivatives of position and velocity at the start of what was expanded, and where its stretch goes.
  struct Start {
    std::size_t parameter = 0;
    std::span<const double> position, velocity;
    Stretch* out = nullptr;
  };
  /// By some of the parameters, side by side.
  void solve(std::span<const Start> starts);
  [[nodiscard]] Reach& reach();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace zwang::sensitivity
