/// Is this program watched by the address sanitizer? Tests are shorter then, and memory that was given back is kept.
#pragma once

// g++ tells by a macro, clang++ by a feature.
#if defined(__SANITIZE_ADDRESS__)
inline constexpr bool is_sanitized = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
inline constexpr bool is_sanitized = true;
#else
inline constexpr bool is_sanitized = false;
#endif
#else
inline constexpr bool is_sanitized = false;
#endif
