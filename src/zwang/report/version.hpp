/// The version that every answer carries.
#pragma once

namespace zwang::report {
inline constexpr const char* this_version = "0.1.0";
}  // namespace zwang::report
