/// Numbers as text, exactly and without a locale: the shortest decimal that reads back to the same double.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace zwang {

/// Shortest text that reads back to the same double ("0.1", "1e-300", "-0", "inf", "nan").
[[nodiscard]] std::string exact(double value);

/// The whole of `text` as a decimal number, or nothing. No locale, no leading blanks, no hexadecimal.
[[nodiscard]] std::optional<double> read_number(std::string_view text);

/// `value` with `digits` significant digits for people, right-trimmed ("9.81", "-4.48", "1.2e-16").
[[nodiscard]] std::string readable(double value, int digits = 6);

}  // namespace zwang
