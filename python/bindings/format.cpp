/// The compiled part of {fmt}, inside the module: where the wheel is used its library need not be installed.
#include <fmt/format-inl.h>
