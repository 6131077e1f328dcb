/// What was meant by a word that nobody knows.
#pragma once

#include <cstddef>
#include <string_view>

namespace zwang {

/// The candidate nearest to `word` in edit distance, or "" if none is near enough to be what was meant.
[[nodiscard]] std::string_view nearest(std::string_view word, const std::string_view* candidates, std::size_t count);

}  // namespace zwang
