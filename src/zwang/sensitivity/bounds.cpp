/// Bounds by halving.
#include "zwang/sensitivity/bounds.hpp"

#include <algorithm>
#include <cmath>

#include "zwang/base/number.hpp"
#include "zwang/sensitivity/tolerances.hpp"

namespace zwang::sensitivity {

namespace {

/// Without the value that was refused, which was one of many.
std::string without_value(std::string why) {
  const std::size_t end = why.find("; here it is");
  if (end != std::string::npos) why.resize(end);
  return why;
}

/// The number with few digits that a bound is if somebody wrote it.
double few_digits(double low, double high) {
  if (low <= 0 && high >= 0) return 0;
  constexpr int digits = 14;
  const double middle = low + (high - low) / 2;
  return read_number(readable(middle, digits)).value_or(middle);
}

/// Far enough beyond a bound to be refused whatever rounding makes of it.
double beside(double at, double size, bool upper) {
  const double little = 4 * bound_known * std::max(std::abs(at), size);
  return upper ? at + little : at - little;
}

}  // namespace

Bounds::Bounds(const std::vector<double>& start, Refusal refusal)
    : start_(start), refusal_(std::move(refusal)), low_(start.size()), high_(start.size()) {}

void Bounds::ask(std::size_t j, double low, double high) {
  low_[j].asked = Bound{low, true, {}};
  high_[j].asked = Bound{high, true, {}};
}

void Bounds::forget_learned() {
  for (std::vector<Sides>* side : {&low_, &high_}) {
    for (Sides& one : *side) one.learned.reset();
  }
}

const Bound* Bounds::Sides::nearest(bool upper) const {
  const Bound* out = asked ? &*asked : nullptr;
  if (learned && (out == nullptr || (upper ? learned->at <= out->at : learned->at >= out->at))) out = &*learned;
  return out;
}

bool Bounds::still(const Bound& bound, std::vector<double> here, std::size_t j, bool upper) const {
  const double size = std::abs(here[j]);
  if (upper ? here[j] > bound.at : here[j] < bound.at) return false;
  here[j] = bound.at;
  if (bound.allowed && !refusal_(here).empty()) return false;
  here[j] = beside(bound.at, size, upper);
  if (refusal_(here).empty()) return false;
  here[j] = beside(bound.at, size, !upper);
  return refusal_(here).empty();
}

std::optional<Bound> Bounds::search(std::vector<double> here, std::size_t j, double beyond) const {
  double inside = here[j];
  double outside = beyond;
  here[j] = outside;
  std::string why = refusal_(here);
  if (why.empty()) return std::nullopt;
  const double size = std::max(std::abs(inside), std::abs(outside));
  while (std::abs(outside - inside) > bound_known * size) {
    const double middle = inside + (outside - inside) / 2;
    if (middle == inside || middle == outside) break;
    here[j] = middle;
    std::string refused = refusal_(here);
    if (refused.empty()) {
      inside = middle;
    } else {
      outside = middle;
      why = std::move(refused);
    }
  }
  here[j] = few_digits(std::min(inside, outside), std::max(inside, outside));
  return Bound{here[j], refusal_(here).empty(), without_value(std::move(why))};
}

bool Bounds::learn(const std::vector<double>& here, const std::vector<double>& there) {
  bool any = false;
  for (std::size_t j = 0; j < here.size(); ++j) {
    if (there[j] == here[j]) continue;
    const bool upper = there[j] > here[j];
    Sides& side = (upper ? high_ : low_)[j];
    if (side.learned) continue;
    if (side.remembered && (upper ? there[j] > side.remembered->at : there[j] < side.remembered->at) &&
        still(*side.remembered, here, j, upper)) {
      side.learned = side.remembered;
    } else {
      side.learned = search(here, j, there[j]);
    }
    if (!side.learned) continue;
    side.remembered = side.learned;
    any = true;
  }
  return any;
}

bool Bounds::keep_off(const std::vector<double>& there) {
  bool any = false;
  for (std::size_t j = 0; j < there.size(); ++j) {
    for (std::vector<Sides>* side : {&low_, &high_}) {
      std::optional<Bound>& bound = (*side)[j].learned;
      if (!bound || !bound->allowed || bound->at != there[j]) continue;
      bound->allowed = false;
      (*side)[j].remembered = bound;
      any = true;
    }
  }
  return any;
}

std::optional<double> Bounds::room(std::size_t j, double here, double step) const {
  if (step == 0) return std::nullopt;
  const Bound* bound = (step > 0 ? high_ : low_)[j].nearest(step > 0);
  if (bound == nullptr) return std::nullopt;
  const double way = step > 0 ? std::max(bound->at - here, 0.0) : std::min(bound->at - here, 0.0);
  if (bound->allowed) return std::abs(step) > std::abs(way) ? std::optional(way) : std::nullopt;
  if (std::abs(step) <= way_to_bound * std::abs(way)) return std::nullopt;
  return reached(j, here, step) != nullptr ? 0.0 : way_to_bound * way;
}

const Bound* Bounds::reached(std::size_t j, double here, double step) const {
  const Bound* bound = (step > 0 ? high_ : low_)[j].nearest(step > 0);
  if (bound == nullptr || step == 0) return nullptr;
  const double near = bound->allowed ? 0.0 : arrived_at_bound * std::abs(start_[j] - bound->at);
  return (step > 0 ? bound->at - here : here - bound->at) <= near ? bound : nullptr;
}

}  // namespace zwang::sensitivity
