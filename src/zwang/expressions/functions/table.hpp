/// All elementary functions: one line each.
#pragma once

#include <array>

#include "zwang/expressions/functions/abs.hpp"
#include "zwang/expressions/functions/acos.hpp"
#include "zwang/expressions/functions/asin.hpp"
#include "zwang/expressions/functions/atan.hpp"
#include "zwang/expressions/functions/atan2.hpp"
#include "zwang/expressions/functions/clip.hpp"
#include "zwang/expressions/functions/cos.hpp"
#include "zwang/expressions/functions/cosh.hpp"
#include "zwang/expressions/functions/exp.hpp"
#include "zwang/expressions/functions/floor.hpp"
#include "zwang/expressions/functions/log.hpp"
#include "zwang/expressions/functions/max.hpp"
#include "zwang/expressions/functions/min.hpp"
#include "zwang/expressions/functions/mod.hpp"
#include "zwang/expressions/functions/pieces.hpp"
#include "zwang/expressions/functions/sign.hpp"
#include "zwang/expressions/functions/sin.hpp"
#include "zwang/expressions/functions/sinh.hpp"
#include "zwang/expressions/functions/sqrt.hpp"
#include "zwang/expressions/functions/step.hpp"
#include "zwang/expressions/functions/tan.hpp"
#include "zwang/expressions/functions/tanh.hpp"

namespace zwang::expressions {

/// In the order of the enumeration, which is the order of the documentation. The truths at the end have no name that a
/// user calls.
inline constexpr std::array<std::string_view, 28> function_name_table = {
    Sin::name,  Cos::name,  Tan::name,  Asin::name, Acos::name, Atan::name,  Atan2::name,
    Sinh::name, Cosh::name, Tanh::name, Exp::name,  Log::name,  Sqrt::name,  Abs::name,
    Sign::name, Min::name,  Max::name,  Clip::name, Step::name, Floor::name, Mod::name,
    "if",       "table",    "spline",   "at_least", "below",    "both",      "either"};
inline constexpr std::size_t callable_functions = 24;

inline constexpr std::array<FunctionInfo, callable_functions> function_table = {
    {{Function::sin, 1},  {Function::cos, 1},     {Function::tan, 1},    {Function::asin, 1},   {Function::acos, 1},
     {Function::atan, 1}, {Function::atan2, 2},   {Function::sinh, 1},   {Function::cosh, 1},   {Function::tanh, 1},
     {Function::exp, 1},  {Function::log, 1},     {Function::sqrt, 1},   {Function::abs, 1},    {Function::sign, 1},
     {Function::min, -1}, {Function::max, -1},    {Function::clip, 3},   {Function::step, 1},   {Function::floor, 1},
     {Function::mod, 2},  {Function::select, -2}, {Function::table, -2}, {Function::spline, -2}}};

}  // namespace zwang::expressions
