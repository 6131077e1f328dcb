/// All elementary functions: one line each.
#pragma once

#include <array>

#include "zwang/expressions/functions/abs.hpp"
#include "zwang/expressions/functions/acos.hpp"
#include "zwang/expressions/functions/asin.hpp"
#include "zwang/expressions/functions/atan.hpp"
#include "zwang/expressions/functions/atan2.hpp"
#include "zwang/expressions/functions/cos.hpp"
#include "zwang/expressions/functions/cosh.hpp"
#include "zwang/expressions/functions/exp.hpp"
#include "zwang/expressions/functions/floor.hpp"
#include "zwang/expressions/functions/log.hpp"
#include "zwang/expressions/functions/max.hpp"
#include "zwang/expressions/functions/min.hpp"
#include "zwang/expressions/functions/mod.hpp"
#include "zwang/expressions/functions/sin.hpp"
#include "zwang/expressions/functions/sinh.hpp"
#include "zwang/expressions/functions/sqrt.hpp"
#include "zwang/expressions/functions/tan.hpp"
#include "zwang/expressions/functions/tanh.hpp"

namespace zwang::expressions {

/// In the order of the enumeration, which is the order of the documentation.
inline constexpr std::array<std::string_view, 18> function_name_table = {
    Sin::name,  Cos::name, Tan::name, Asin::name, Acos::name,  Atan::name, Atan2::name, Sinh::name, Cosh::name,
    Tanh::name, Exp::name, Log::name, Sqrt::name, Floor::name, Mod::name,  Min::name,   Max::name,  Abs::name};

inline constexpr std::array<FunctionInfo, 18> function_table = {{{Function::sin, 1, false},
                                                                 {Function::cos, 1, false},
                                                                 {Function::tan, 1, false},
                                                                 {Function::asin, 1, false},
                                                                 {Function::acos, 1, false},
                                                                 {Function::atan, 1, false},
                                                                 {Function::atan2, 2, false},
                                                                 {Function::sinh, 1, false},
                                                                 {Function::cosh, 1, false},
                                                                 {Function::tanh, 1, false},
                                                                 {Function::exp, 1, false},
                                                                 {Function::log, 1, false},
                                                                 {Function::sqrt, 1, false},
                                                                 {Function::floor, 1, true},
                                                                 {Function::mod, 2, true},
                                                                 {Function::min, -1, true},
                                                                 {Function::max, -1, true},
                                                                 {Function::abs, 1, true}}};

}  // namespace zwang::expressions
