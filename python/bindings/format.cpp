/// The compiled part of {fmt}, inside the module: where the wheel is used its library need not be installed. Other versions of {fmt}
/// are linked as they are.
#include <fmt/core.h>

#if FMT_VERSION >= 90000 && FMT_VERSION < 100000
#include <fmt/format-inl.h>

namespace fmt::detail {

template FMT_API auto thousands_sep_impl<char>(locale_ref) -> thousands_sep_result<char>;
template FMT_API auto decimal_point_impl<char>(locale_ref) -> char;

}  // namespace fmt::detail
#endif
