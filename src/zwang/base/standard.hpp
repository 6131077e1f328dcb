/// Parts of C++20 that an older standard library lacks: numbers as text, and the bits of a number.
///
/// Emscripten's library (LLVM 13) has neither; there this header comes before every source, so that no source has to know. The texts are those of
/// the library that the command is built with, to the character, so that answers of the page and of the command can be compared as texts.
#pragma once

#ifdef __EMSCRIPTEN__

#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>

namespace std {

template <class To, class From>
requires(sizeof(To) == sizeof(From) && is_trivially_copyable_v<To> && is_trivially_copyable_v<From>)
    [[gnu::always_inline]] constexpr To bit_cast(const From& from) noexcept {
  return __builtin_bit_cast(To, from);
}

/// The shortest digits that read back to the number; of both ways to write them the shorter one, plain where they are equally long.
to_chars_result to_chars(char* first, char* last, double value);
to_chars_result to_chars(char* first, char* last, double value, chars_format, int precision);

/// The C library's reading is correctly rounded and knows one locale here; blanks, plus signs and hexadecimal numbers it would take are refused first.
from_chars_result from_chars(const char* first, const char* last, double& value);

}  // namespace std

#endif
