/// The content of a model as expressions, parameters and indices kept as names: what is written out instead of computed.
///
/// One expression stands for all members of a family: `distance(bead[i], bead[i+1]) <= L` for i = 1..99 is one f in the
/// variables bead[i].x, bead[i+1].x, ... Variables whose indices are written differently count as different; where they
/// meet for some members, derivatives by the member are the sums of the derivatives by its different names.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "zwang/expressions/graph.hpp"
#include "zwang/model/read.hpp"

namespace zwang::model {

/// What a constant symbol of the graph stands for.
enum class NameSort : std::uint8_t {
  parameter,  ///< subject: its number in the model; component of a vector
  pi,
  index,         ///< an index of a family, by its name
  acceleration,  ///< subject: body
  free,          ///< the same without conditions
  multiplier,    ///< subject: condition
  rho,
  rho_rate,
  rate,  ///< f' of a condition, where f'' is written with it; subject: condition
  root,  ///< the square root of a sum, introduced to be named
};

struct NamedConstant {
  NameSort sort = NameSort::parameter;
  std::string name;  ///< of a parameter ("L", "p.x") or an index ("i")
  double value = 0;  ///< of a parameter
  std::uint32_t subject = 0;
  std::uint32_t component = 0;
  std::vector<expressions::Expr> index;
};

/// A scalar variable: a component of a body or of that member of a family whose indices are `index`.
struct Reference {
  std::uint32_t body = 0;
  std::uint32_t component = 0;
  std::vector<expressions::Expr> index;
};

/// `name = low..high`.
struct SymbolicRange {
  expressions::Symbol symbol;
  std::string name;
  expressions::Expr low, high;
};

/// Something said for all members of some ranges, or for a single member (no ranges). `index` stands in its brackets.
struct SymbolicMember {
  std::vector<SymbolicRange> ranges;
  std::vector<expressions::Expr> index;
};

struct SymbolicBody : SymbolicMember {
  std::uint32_t body = 0;
  expressions::Expr mass;                  ///< of points
  std::vector<expressions::Expr> gravity;  ///< accelerations; empty if there is none
  std::vector<expressions::Expr> force;    ///< empty if there is none
};
struct SymbolicEnergy : SymbolicMember {
  expressions::Expr value;
};
struct SymbolicCondition : SymbolicMember {
  std::uint32_t condition = 0;
  std::uint32_t first_row = 0;       ///< of its first member
  std::vector<expressions::Expr> f;  ///< one, or the components of a vector equation
};

/// The model in expressions. Position symbol k and velocity symbol k are of variables[k], constant symbol k is constants[k].
class Symbols {
 public:
  expressions::Graph graph;
  std::vector<NamedConstant> constants;
  std::vector<Reference> variables;
  std::vector<SymbolicBody> bodies;
  std::vector<SymbolicEnergy> kinetic, potential;
  std::vector<SymbolicCondition> conditions;
  bool flow = false;                    ///< a first-order system: `force` of the bodies holds their free rates
  std::vector<expressions::Expr> free;  ///< its free functions

  /// The symbol of a constant or variable; made if it does not exist yet.
  expressions::Symbol constant(NameSort sort, std::uint32_t subject, std::uint32_t component = 0,
                               const std::vector<expressions::Expr>& index = {});
  expressions::Symbol index(const std::string& name);
  std::uint32_t variable(std::uint32_t body, std::uint32_t component, const std::vector<expressions::Expr>& index);

  /// The expression with indices replaced everywhere, also in the brackets of variables.
  using Images = std::map<std::uint32_t, expressions::Expr>;  ///< of constant symbols
  expressions::Expr relabel(expressions::Expr e, const Images& images);

  /// The value of an expression of parameters (and of indices, if given).
  [[nodiscard]] double number(expressions::Expr e, const std::map<std::uint32_t, double>& indices = {}) const;

 private:
  using Key = std::tuple<std::uint8_t, std::uint32_t, std::uint32_t, std::vector<std::uint32_t>>;
  std::map<Key, std::uint32_t> constant_of_;
  std::map<std::string, std::uint32_t> index_of_;
  std::map<Key, std::uint32_t> variable_of_;
};

/// `model` is what the draft compiles to. With `members` every member of every family is written by itself. A family is
/// also written member by member where its expression cannot be one for all: sums inside of functions and powers whose
/// lengths depend on the index, members of different kinds.
[[nodiscard]] Symbols symbols(const Draft& draft, const Model& model, bool members = false);

}  // namespace zwang::model
