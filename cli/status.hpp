/// The exit statuses of docs/reference/commands.md, and which of them an answer has.
#pragma once

#include "zwang/instant.hpp"
#include "zwang/trajectory.hpp"

namespace zwang::cli {

inline constexpr int answered = 0;
inline constexpr int bad_input = 2;
inline constexpr int no_answer = 3;
inline constexpr int gave_up = 4;
inline constexpr int fault = 5;
inline constexpr int interrupted = 130;

[[nodiscard]] int exit_status(instant::Status status);
[[nodiscard]] int exit_status(instant::ShockStatus status);
[[nodiscard]] int exit_status(motion::Status status);

/// Of two exit statuses the one that matters more: interrupted, numerics, mechanics.
[[nodiscard]] int worse(int a, int b);

}  // namespace zwang::cli
