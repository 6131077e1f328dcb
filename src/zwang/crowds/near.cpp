/// Near pairs, by a grid of cells.
#include "zwang/crowds/near.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <unordered_map>
#include <utility>

#include "zwang/crowds/tolerances.hpp"
#include "zwang/model/part.hpp"

namespace zwang::crowds {

namespace {

using Place = std::array<double, 3>;
using CellKey = std::array<std::int64_t, 3>;

struct CellHash {
  std::size_t operator()(const CellKey& key) const {
    std::uint64_t sum = 0;
    for (const std::int64_t k : key) sum = (sum ^ static_cast<std::uint64_t>(k)) * 0x9e3779b97f4a7c15U;
    return static_cast<std::size_t>(sum ^ (sum >> 32U));
  }
};

/// Members of one side, by cells as wide as what is near.
class Cells {
 public:
  Cells(const model::Model& model, const model::PairFamily::Side& side, const std::vector<double>& position,
        double width)
      : body_(model.bodies[side.body]), position_(position), width_(width) {
    for (std::uint32_t m = side.low; m <= side.high; ++m) cells_[key_of(place_of(m))].push_back(m);
  }
  [[nodiscard]] Place place_of(std::uint32_t member) const {
    Place place{};
    for (std::uint32_t c = 0; c < body_.dimension; ++c)
      place[c] = position_[body_.first + member * body_.dimension + c];
    return place;
  }
  template <class Visit>
  void each_near(const Place& place, const Visit& visit) const {
    const CellKey key = key_of(place);
    const std::int64_t deep = body_.dimension > 2 ? 1 : 0;
    for (std::int64_t i = -1; i <= 1; ++i) {
      for (std::int64_t j = -1; j <= 1; ++j) {
        for (std::int64_t k = -deep; k <= deep; ++k) {
          const auto found = cells_.find({key[0] + i, key[1] + j, key[2] + k});
          if (found == cells_.end()) continue;
          for (const std::uint32_t member : found->second) visit(member);
        }
      }
    }
  }

 private:
  [[nodiscard]] CellKey key_of(const Place& place) const {
    CellKey key{};
    for (std::size_t c = 0; c < 3; ++c) {
      // (What lies farther than numbers reach is in the last cell.)
      const double cell = std::floor(place[c] / width_);
      key[c] = static_cast<std::int64_t>(std::clamp(cell, -0x1p62, 0x1p62));
    }
    return key;
  }
  const model::Body& body_;
  const std::vector<double>& position_;
  double width_;
  std::unordered_map<CellKey, std::vector<std::uint32_t>, CellHash> cells_;
};

}  // namespace

std::vector<model::Pair> near_pairs(const model::Model& model, const std::vector<double>& position) {
  std::vector<model::Pair> pairs;
  for (std::uint32_t f = 0; f < model.pairs.size(); ++f) {
    const model::PairFamily& family = model.pairs[f];
    const double width = near_at_instant * family.least;
    const Cells others(model, family.second, position, width);
    const Cells own(model, family.first, position, width);
    for (std::uint32_t first = family.first.low; first <= family.first.high; ++first) {
      const Place x = own.place_of(first);
      const std::size_t from = pairs.size();
      others.each_near(x, [&](std::uint32_t second) {
        if (family.within && second <= first) return;
        const Place y = others.place_of(second);
        // (As parts of what is near, so that squares stay within the range of numbers.)
        double square = 0;
        for (std::size_t c = 0; c < 3; ++c) {
          const double part = (x[c] - y[c]) / width;
          square += part * part;
        }
        if (!(square > 1)) pairs.push_back({f, first, second});
      });
      std::sort(pairs.begin() + static_cast<std::ptrdiff_t>(from), pairs.end(),
                [](const model::Pair& a, const model::Pair& b) { return a.second < b.second; });
    }
  }
  return pairs;
}

bool has_too_many_pairs(const model::Model& left) {
  std::uint64_t pairs = 0;
  for (const model::PairFamily& family : left.pairs) pairs += family.pairs();
  return pairs > most_written_pairs;
}

model::Model model_at(model::Model left, const std::vector<double>& position) {
  const std::vector<model::Pair> near = near_pairs(left, position);
  return model::with_met(std::move(left), near);
}

}  // namespace zwang::crowds
