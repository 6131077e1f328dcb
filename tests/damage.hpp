/// Random damage to texts and bytes that programs read.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <random>
#include <string>
#include <string_view>
#include <utility>

namespace damaged {

/// Words of the language of models, sound and unsound.
inline constexpr std::array<std::string_view, 36> pieces = {"(",
                                                            ")",
                                                            "[",
                                                            "]",
                                                            "{",
                                                            "}",
                                                            "\"",
                                                            "'",
                                                            "=",
                                                            "<=",
                                                            ">=",
                                                            "..",
                                                            ".",
                                                            ",",
                                                            "^",
                                                            "**",
                                                            "*",
                                                            "/",
                                                            "-",
                                                            "a",
                                                            "i",
                                                            "t",
                                                            "sum(i = 1..3, ",
                                                            "sqrt(",
                                                            "distance(",
                                                            "1e9",
                                                            "0",
                                                            "\n",
                                                            "\\",
                                                            "#",
                                                            "\t",
                                                            "\xC3\xA9",
                                                            "\xFF",
                                                            "k[i,j]",
                                                            ".x'",
                                                            "[points."};

/// So many bytes are the longest input: beyond them a seed is cut.
inline constexpr std::size_t longest_input = 1U << 20U;

/// One to a few wounds: bytes taken, doubled, exchanged, flipped, set to extremes; words of the language put in.
inline std::string damage(std::string text, std::mt19937_64& random, bool is_text) {
  const auto pick = [&](std::size_t bound) { return static_cast<std::size_t>(random() % bound); };
  const std::size_t wounds = 1 + pick(2) * pick(4);
  for (std::size_t k = 0; k < wounds && !text.empty(); ++k) {
    const std::size_t at = pick(text.size());
    switch (pick(8)) {
      case 0: text.erase(at, 1 + pick(8)); break;
      case 1: is_text ? text.insert(at, pieces[pick(pieces.size())]) : text.insert(at, 1 + pick(9), '\0'); break;
      case 2:
        text[at] = static_cast<char>(is_text ? ' ' + static_cast<int>(pick(95)) : static_cast<int>(pick(256)));
        break;
      case 3: text.insert(at, text.substr(pick(text.size()), 1 + pick(30))); break;
      case 4: {
        const std::size_t digit = is_text ? text.find_first_of("0123456789", at) : at;
        if (digit != std::string::npos)
          text[digit] = static_cast<char>(is_text ? '0' + static_cast<int>(pick(10)) : text[digit] ^ (1 << pick(8)));
        break;
      }
      case 5:
        text.replace(at, std::min<std::size_t>(8, text.size() - at),
                     is_text ? "" : std::string(8, pick(2) != 0 ? '\xFF' : '\x7F'));
        break;
      case 6: std::swap(text[at], text[pick(text.size())]); break;
      default: text.resize(at); break;
    }
  }
  if (text.size() > longest_input) text.resize(longest_input);
  return text;
}

}  // namespace damaged
