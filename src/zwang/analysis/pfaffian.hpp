/// The equations of a model as differential forms: what integrability is asked of.
///
///   holonomic equation  f(x) = 0       Pfaffian condition  theta = sum p_i dx_i = 0
///
/// Columns x_i are the variables of the model in the order of the file, and the time behind them if it occurs in some
/// equation or some condition moves (p . v + p0 = 0 is p . dq + p0 dt = 0). Reference: Voss, section 1;
/// docs/mathematics, section 17.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "zwang/expressions/graph.hpp"
#include "zwang/model/evaluate.hpp"
#include "zwang/model/read.hpp"

namespace zwang::analysis {

struct PfaffianSystem {
  struct Column {
    std::string name;
    expressions::Expr symbol;
    double value = 0;  ///< at the state
    double unit = 1;   ///< |value|, or the largest of all where it vanishes: the size of "near"
  };
  struct Constant {
    double value = 0;
    bool pi = false;
  };

  expressions::Graph graph;
  std::vector<Column> columns;
  std::vector<std::uint32_t> column_of;  ///< of a position symbol
  std::uint32_t time_column = 0;         ///< == columns.size() if the time does not occur
  std::vector<Constant> constants;       ///< of constant symbols

  std::vector<expressions::Expr> holonomic;              ///< f
  std::vector<std::uint32_t> holonomic_row;              ///< of the model
  std::vector<std::vector<expressions::Expr>> pfaffian;  ///< p: [form][column]
  std::vector<std::uint32_t> pfaffian_row;               ///< of the model
  std::vector<std::vector<expressions::Expr>>
      mass;  ///< d2T/dv_i dv_k: [variable][variable]; may hold t although it is no column

  [[nodiscard]] std::size_t conditions() const { return holonomic.size() + pfaffian.size(); }
  /// The name of a symbol: of a column, a parameter.
  [[nodiscard]] std::string name(expressions::Symbol symbol) const;
  std::vector<std::string> constant_names;
};

/// Whose time counts: where it occurs only in the masses it is a column for those who ask for them.
enum class Timed : std::uint8_t { by_conditions, by_conditions_or_masses };

/// The equations in force at the state; `model` is what the draft compiles to.
[[nodiscard]] PfaffianSystem pfaffian_system(const model::Draft& draft, const model::Model& model,
                                             const model::State& state, Timed timed_by = Timed::by_conditions);

}  // namespace zwang::analysis
