/// Numbers written exactly, such as "44/49" or "3*sqrt(5)/2 - cos(pi/9)".
#pragma once

#include <optional>
#include <string_view>

/// The value of an arithmetic expression with + - * / ^, parentheses, pi, sqrt, sin, cos; nothing if it is not one.
[[nodiscard]] std::optional<double> exact_number(std::string_view text);
