/// The nearest word by edit distance.
#include "zwang/base/nearest.hpp"

#include <algorithm>
#include <array>

namespace zwang {
namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

/// Edit distance with neighbouring letters exchanged as one edit, letters compared without case; `limit` + 1 if beyond.
std::size_t distance(std::string_view a, std::string_view b, std::size_t limit) {
  const std::size_t difference = a.size() > b.size() ? a.size() - b.size() : b.size() - a.size();
  if (difference > limit) return limit + 1;
  constexpr std::size_t longest = 128;
  if (a.size() >= longest || b.size() >= longest) return limit + 1;

  // Three rows of the usual table.
  std::array<std::array<std::size_t, longest>, 3> rows{};
  for (std::size_t j = 0; j <= b.size(); ++j) rows[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    auto& row = rows[i % 3];
    const auto& previous = rows[(i - 1) % 3];
    const auto& earlier = rows[(i + 1) % 3];
    row[0] = i;
    std::size_t least = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = lower(a[i - 1]) == lower(b[j - 1]) ? 0 : 1;
      row[j] = std::min({previous[j] + 1, row[j - 1] + 1, previous[j - 1] + change});
      if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) && lower(a[i - 2]) == lower(b[j - 1])) {
        row[j] = std::min(row[j], earlier[j - 2] + 1);
      }
      least = std::min(least, row[j]);
    }
    if (least > limit + 1) return limit + 1;
  }
  return std::min(rows[a.size() % 3][b.size()], limit + 1);
}

}  // namespace

std::string_view nearest(std::string_view word, const std::string_view* candidates, std::size_t count) {
  // One edit in three letters, three at most; a single letter must agree but for its case.
  const std::size_t limit = word.size() < 2 ? 0 : std::clamp<std::size_t>(word.size() / 3, 1, 3);
  std::string_view best;
  std::size_t least = limit + 1;
  for (std::size_t k = 0; k < count; ++k) {
    // Words that share no more than they differ are not meant.
    const std::size_t edits = distance(word, candidates[k], limit);
    if (edits < least && edits < std::min(word.size(), candidates[k].size())) {
      least = edits;
      best = candidates[k];
    }
  }
  return best;
}

}  // namespace zwang
