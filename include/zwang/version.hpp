/// The version, in this one place: the build, the Python package and every answer take it from here.
#pragma once

namespace zwang {

/// MAJOR.MINOR.PATCH.
inline constexpr const char* version = "0.1.0";

}  // namespace zwang
