/// Random systems for the laws, as problems whose truth is known by enumeration, and small tools to change their text.
#pragma once

#include <array>
#include <cctype>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>

#include "laws/enumeration.hpp"
#include "oracles/answer.hpp"
#include "oracles/generate.hpp"
#include "oracles/translate.hpp"

namespace zwang::laws {

using nlohmann::json;

inline std::string number_text(double value) {
  std::array<char, 40> buffer{};
  std::snprintf(buffer.data(), buffer.size(), "%.17g", value);
  return buffer.data();
}

/// `expression` with every word replaced by its image.
template <typename Image>
std::string replaced(const std::string& expression, const Image& image) {
  std::string out;
  for (std::size_t i = 0; i < expression.size();) {
    const auto is_part = [&](std::size_t k) {
      const auto letter = static_cast<unsigned char>(expression[k]);
      return std::isalnum(letter) != 0 || letter == '_' || letter == '.';
    };
    std::size_t end = i;
    while (end < expression.size() && is_part(end)) ++end;
    if (end == i) {
      out += expression[i++];
      continue;
    }
    const auto word = expression.substr(i, end - i);
    out += std::isdigit(static_cast<unsigned char>(word[0])) != 0 ? word : image(word);
    i = end;
  }
  return out;
}

}  // namespace zwang::laws
