/// The store of expressions and the constructors that keep every expression in its normal form.
///
/// Sum: terms c * r with different rests r, c != 0, in the order of first appearance; a rest that is itself a sum has a
/// coefficient other than 1 and -1 (else its terms stand in the list). Product: [number] and powers b^e of different
/// bases with numbers e; b^e with a whole e is written out if b is a product or a power: (x y)^2 = x^2 y^2,
/// (x^2)^3 = x^6, but (x^2)^0.5 stays. x^0.5 is the function sqrt.
/// A constant that has no finite value (1/0, log(-1)) stays as it was written and marks everything it stands in as
/// `undefined`: 0 times such a thing is 0/0 and not 0. Numbers that overflow become largest^2.
#include "zwang/expressions/graph.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <limits>

#include "zwang/elementary/elementary.hpp"
#include "zwang/expressions/numbers.hpp"

namespace zwang::expressions {
namespace {

constexpr Expr zero{0};
constexpr Expr one{1};

std::uint64_t mix(std::uint64_t hash, std::uint64_t value) {
  hash ^= value + 0x9E3779B97F4A7C15ULL + (hash << 6U) + (hash >> 2U);
  hash *= 0xBF58476D1CE4E5B9ULL;
  return hash ^ (hash >> 29U);
}

}  // namespace

struct Graph::Store {
  struct Record {
    double number = 0;
    std::uint32_t symbol_index = 0;
    std::uint32_t first_child = 0;
    std::uint32_t children = 0;
    std::uint32_t rest = 0;  ///< of a product that leads with a number: the product without it
    NodeKind kind = NodeKind::number;
    Function function = Function::sin;
    SymbolKind symbol_kind = SymbolKind::time;
    std::uint8_t kinds = 0;
    bool undefined = false;
  };

  /// A factor base^exponent while a product is collected; a term coefficient * rest while a sum is.
  struct Factor {
    Expr base;
    double exponent = 1;
  };

  std::vector<Record> records;
  std::vector<Expr> pool;                // the children of all nodes, one behind the other
  std::vector<std::uint32_t> table;      // open addressing: id + 1, or 0
  std::vector<std::uint32_t> marks;      // per node: the collection that saw it last ...
  std::vector<std::uint32_t> positions;  // ... and where it stands there
  std::uint32_t mark = 0;

  // Scratch of the collections, kept to save allocations.
  std::vector<Term> terms_in, terms_out;
  std::vector<Factor> factors_in, factors_out;
  std::vector<Expr> children;

  Store() {
    table.resize(64);
    intern_number(0.0);
    intern_number(1.0);
  }

  [[nodiscard]] const Record& at(Expr e) const { return records[e.id]; }
  [[nodiscard]] std::span<const Expr> children_of(Expr e) const {
    return std::span(pool).subspan(at(e).first_child, at(e).children);
  }
  [[nodiscard]] bool is_number(Expr e) const { return at(e).kind == NodeKind::number; }
  [[nodiscard]] bool is_sum(Expr e) const { return at(e).kind == NodeKind::sum; }

  [[nodiscard]] static std::uint64_t hash(const Record& r, std::span<const Expr> of) {
    std::uint64_t h = mix(static_cast<std::uint64_t>(r.kind), static_cast<std::uint64_t>(r.function));
    h = mix(h, std::bit_cast<std::uint64_t>(r.number));
    h = mix(h, (static_cast<std::uint64_t>(r.symbol_kind) << 32U) | r.symbol_index);
    for (const Expr e : of) h = mix(h, e.id);
    return h;
  }

  [[nodiscard]] bool same(const Record& r, std::span<const Expr> of, Expr e) const {
    const Record& s = at(e);
    if (r.kind != s.kind || r.function != s.function || r.symbol_kind != s.symbol_kind) return false;
    if (r.symbol_index != s.symbol_index || r.number != s.number || of.size() != s.children) return false;
    const auto others = children_of(e);
    for (std::size_t k = 0; k < of.size(); ++k) {
      if (of[k] != others[k]) return false;
    }
    return true;
  }

  /// The node with this content; made if it does not exist yet. `of` must not point into the pool.
  Expr intern(Record r, std::span<const Expr> of) {
    // Look it up.
    const std::uint64_t h = hash(r, of);
    std::size_t slot = h & (table.size() - 1);
    for (; table[slot] != 0; slot = (slot + 1) & (table.size() - 1)) {
      if (same(r, of, Expr{table[slot] - 1})) return Expr{table[slot] - 1};
    }

    // What follows from the children.
    for (const Expr e : of) {
      r.kinds |= at(e).kinds;
      r.undefined = r.undefined || at(e).undefined;
    }
    if (r.kind == NodeKind::symbol) r.kinds = static_cast<std::uint8_t>(1U << static_cast<unsigned>(r.symbol_kind));

    // Append.
    r.first_child = static_cast<std::uint32_t>(pool.size());
    r.children = static_cast<std::uint32_t>(of.size());
    pool.insert(pool.end(), of.begin(), of.end());
    const Expr e{static_cast<std::uint32_t>(records.size())};
    records.push_back(r);
    marks.push_back(0);
    positions.push_back(0);
    table[slot] = e.id + 1;

    // Keep the table at most half full.
    if (2 * records.size() > table.size()) {
      table.assign(2 * table.size(), 0);
      for (std::uint32_t id = 0; id < records.size(); ++id) {
        std::size_t to = hash(records[id], children_of(Expr{id})) & (table.size() - 1);
        while (table[to] != 0) to = (to + 1) & (table.size() - 1);
        table[to] = id + 1;
      }
    }
    return e;
  }

  /// A finite number; there is one zero.
  Expr intern_number(double value) {
    Record r;
    r.number = value == 0 ? 0.0 : value;
    return intern(r, {});
  }

  Expr intern_power(Expr base, Expr exponent) {
    Record r;
    r.kind = NodeKind::power;
    r.undefined = is_number(base) && is_number(exponent);
    const Expr of[] = {base, exponent};
    return intern(r, of);
  }

  Expr intern_function(Function function, std::span<const Expr> arguments) {
    Record r;
    r.kind = NodeKind::function;
    r.function = function;
    r.undefined = true;
    for (const Expr e : arguments) r.undefined = r.undefined && is_number(e);
    return intern(r, arguments);
  }

  /// 0/0 and a number beyond the largest, for results that have no finite value.
  Expr not_a_number() {
    const Expr of[] = {zero, intern_power(zero, intern_number(-1))};
    Record r;
    r.kind = NodeKind::product;
    r.rest = of[1].id;
    return intern(r, of);
  }
  Expr overflow() { return intern_power(intern_number(std::numeric_limits<double>::max()), intern_number(2)); }

  Expr number(double value) {
    if (std::isfinite(value)) return intern_number(value);
    if (std::isnan(value)) return not_a_number();
    return value > 0 ? overflow() : scaled(-1, overflow());
  }

  /// base^exponent with nothing left to simplify.
  Expr plain_power(Expr base, double exponent) {
    if (exponent == 1) return base;
    if (exponent == 0.5) return intern_function(Function::sqrt, std::span(&base, 1));
    return intern_power(base, number(exponent));
  }

  /// coefficient * rest; the rest is 1 or an expression that is no number and does not lead with one.
  Expr scaled(double coefficient, Expr rest) {
    if (rest == one) return number(coefficient);
    if (coefficient == 1) return rest;
    if (coefficient == 0) return at(rest).undefined ? not_a_number() : zero;
    children.assign(1, intern_number(coefficient));
    if (at(rest).kind == NodeKind::product) {
      const auto factors = children_of(rest);
      children.insert(children.end(), factors.begin(), factors.end());
    } else {
      children.push_back(rest);
    }
    Record r;
    r.kind = NodeKind::product;
    r.rest = rest.id;
    return intern(r, children);
  }

  [[nodiscard]] Term term(Expr e) const {
    const Record& r = at(e);
    if (r.kind == NodeKind::number) return {r.number, one};
    if (r.kind == NodeKind::product && is_number(pool[r.first_child])) {
      return {at(pool[r.first_child]).number, Expr{r.rest}};
    }
    return {1, e};
  }

  /// A fresh mark; when the counter comes round, the old marks are wiped.
  void next_mark() {
    if (++mark != 0) return;
    std::fill(marks.begin(), marks.end(), 0U);
    mark = 1;
  }

  // Sums ------------------------------------------------------------------------------------------------------------

  /// Collect terms_in into terms_out by their rests, in the order of first appearance; false if 0/0 is among them.
  bool collect_terms() {
    terms_out.clear();
    next_mark();
    for (const Term& t : terms_in) {
      if (marks[t.rest.id] == mark) {
        terms_out[positions[t.rest.id]].coefficient += t.coefficient;
      } else {
        marks[t.rest.id] = mark;
        positions[t.rest.id] = static_cast<std::uint32_t>(terms_out.size());
        terms_out.push_back(t);
      }
    }

    // What cancels vanishes.
    std::size_t kept = 0;
    for (const Term& t : terms_out) {
      if (t.coefficient == 0) {
        if (at(t.rest).undefined) return false;
        continue;
      }
      terms_out[kept++] = t;
    }
    terms_out.resize(kept);
    return true;
  }

  /// Replace what stands in terms_out in a form that needs another collection; false if there is no such thing.
  bool splice_terms() {
    terms_in.clear();
    bool spliced = false;
    for (const Term& t : terms_out) {
      if (std::isinf(t.coefficient)) {
        // An overflowing coefficient becomes a factor.
        const Expr huge[] = {overflow(), t.rest};
        terms_in.push_back({t.coefficient > 0 ? 1.0 : -1.0, multiply(huge)});
        spliced = true;
      } else if (is_sum(t.rest) && std::abs(t.coefficient) == 1 && terms_out.size() > 1) {
        // A sum within the sum.
        for (const Expr e : children_of(t.rest)) {
          const Term inner = term(e);
          terms_in.push_back({t.coefficient * inner.coefficient, inner.rest});
        }
        spliced = true;
      } else {
        terms_in.push_back(t);
      }
    }
    return spliced;
  }

  Expr add(std::span<const Expr> terms) {
    terms_in.clear();
    for (const Expr e : terms) {
      if (e != zero) terms_in.push_back(term(e));
    }
    do {
      if (!collect_terms()) return not_a_number();
    } while (splice_terms());

    // None, one, or a list of terms.
    if (terms_out.empty()) return zero;
    if (terms_out.size() == 1) return scaled(terms_out[0].coefficient, terms_out[0].rest);
    std::vector<Expr> list;
    list.reserve(terms_out.size());
    for (const Term& t : terms_out) list.push_back(scaled(t.coefficient, t.rest));
    Record r;
    r.kind = NodeKind::sum;
    return intern(r, list);
  }

  // Products --------------------------------------------------------------------------------------------------------

  /// e as base^exponent with a number as exponent; a power of a number is left alone.
  [[nodiscard]] Factor factor(Expr e) const {
    const Record& r = at(e);
    if (r.kind == NodeKind::power) {
      const Expr base = pool[r.first_child];
      const Expr exponent = pool[r.first_child + 1];
      if (is_number(exponent) && !is_number(base)) return {base, at(exponent).number};
    }
    if (r.kind == NodeKind::function && r.function == Function::sqrt && !is_number(pool[r.first_child])) {
      return {pool[r.first_child], 0.5};
    }
    return {e, 1};
  }

  /// Append (e)^exponent to factors_in, with the power in e drawn into the exponent if that is exact.
  void push_factor(Expr e, double exponent) {
    const Factor f = factor(e);
    const double product = f.exponent * exponent;
    const bool exact = std::isfinite(product) && std::fma(f.exponent, exponent, -product) == 0;
    if (exponent == 1 || (is_whole(exponent) && exact)) {
      factors_in.push_back({f.base, product});
    } else {
      factors_in.push_back({e, exponent});
    }
  }

  /// Is (e)^exponent written out: (c x y)^n = c^n x^n y^n, unless c^n or its inverse is no normal number?
  [[nodiscard]] bool written_out(Expr e, double exponent) const {
    if (at(e).kind != NodeKind::product || !is_whole(exponent)) return false;
    const double c = term(e).coefficient;
    return exponent == 1 ||
           (std::isnormal(elementary::pow(c, exponent)) && std::isnormal(elementary::pow(c, -exponent)));
  }

  /// Append (e)^exponent to factors_in, written out before anything is collected, so that x y / sqrt(x y) does not
  /// depend on how it was put together.
  void push(Expr e, double exponent) {
    if (!written_out(e, exponent)) {
      push_factor(e, exponent);
      return;
    }
    for (const Expr f : children_of(e)) push_factor(f, exponent);
  }

  /// Collect factors_in into factors_out by their bases; numbers are folded one by one instead (0/0 is not 0^0).
  void collect_factors() {
    factors_out.clear();
    next_mark();
    for (const Factor& f : factors_in) {
      if (is_number(f.base)) {
        factors_out.push_back(f);
      } else if (marks[f.base.id] == mark) {
        factors_out[positions[f.base.id]].exponent += f.exponent;
      } else {
        marks[f.base.id] = mark;
        positions[f.base.id] = static_cast<std::uint32_t>(factors_out.size());
        factors_out.push_back(f);
      }
    }
  }

  /// Multiply the coefficient by number^exponent; what has no finite value stays a factor.
  bool fold(double& coefficient, double number, double exponent) {
    if (exponent == 1) {
      coefficient *= number;
      return true;
    }
    const double value = elementary::pow(number, exponent);
    if (!std::isfinite(value)) return false;
    if (exponent == -1) {
      coefficient /= number;
    } else {
      coefficient *= value;
    }
    return true;
  }

  /// Write out what can be written out in factors_out, into factors_in; true if another collection is needed.
  bool splice_factors(double& coefficient) {
    factors_in.clear();
    bool spliced = false;
    for (const Factor f : factors_out) {
      const Record& r = at(f.base);
      if (f.exponent == 0) continue;
      if (r.kind == NodeKind::number) {
        if (!fold(coefficient, r.number, f.exponent)) {
          factors_in.push_back({plain_power(f.base, f.exponent), 1});
          spliced = true;
        }
      } else {
        // What the collection made whole: ((x y)^0.25)^4, (x^a)^n = x^(a n).
        const std::size_t before = factors_in.size();
        push(f.base, f.exponent);
        spliced = spliced || factors_in.size() != before + 1 || factors_in.back().base != f.base;
      }
    }

    // An overflowing coefficient becomes a factor.
    if (std::isinf(coefficient)) {
      coefficient = coefficient > 0 ? 1 : -1;
      factors_in.push_back({overflow(), 1});
      spliced = true;
    }
    return spliced;
  }

  /// The product of coefficient and factors_in.
  Expr collect_product(double coefficient) {
    do {
      collect_factors();
    } while (splice_factors(coefficient));

    // Zero times anything that is defined; an overflow times zero is no number.
    if (std::isnan(coefficient)) return not_a_number();
    if (coefficient == 0) {
      for (const Factor& f : factors_in) {
        if (at(f.base).undefined) return not_a_number();
      }
      return zero;
    }

    // The factors, sorted by handle, then the number in front of them.
    std::vector<Expr> list;
    list.reserve(factors_in.size());
    for (const Factor& f : factors_in) list.push_back(plain_power(f.base, f.exponent));
    if (list.empty()) return number(coefficient);
    std::sort(list.begin(), list.end());
    if (list.size() == 1) return scaled(coefficient, list[0]);
    Record r;
    r.kind = NodeKind::product;
    return scaled(coefficient, intern(r, list));
  }

  Expr multiply(std::span<const Expr> factors) {
    factors_in.clear();
    for (const Expr e : factors) push(e, 1);
    return collect_product(1);
  }

  Expr divide(Expr a, Expr b) {
    factors_in.clear();
    push(a, 1);
    push(b, -1);
    return collect_product(1);
  }

  Expr power(Expr base, Expr exponent) {
    if (!is_number(exponent)) return base == one ? one : intern_power(base, exponent);
    factors_in.clear();
    push(base, at(exponent).number);
    return collect_product(1);
  }
};

Graph::Graph() : store_(std::make_unique<Store>()) {}
Graph::~Graph() = default;
Graph::Graph(Graph&&) noexcept = default;
Graph& Graph::operator=(Graph&&) noexcept = default;

Expr Graph::number(double value) { return store_->number(value); }

Expr Graph::symbol(Symbol symbol) {
  Store::Record r;
  r.kind = NodeKind::symbol;
  r.symbol_kind = symbol.kind;
  r.symbol_index = symbol.index;
  return store_->intern(r, {});
}

Expr Graph::add(std::span<const Expr> terms) { return store_->add(terms); }
Expr Graph::add(Expr a, Expr b) {
  const Expr terms[] = {a, b};
  return store_->add(terms);
}
Expr Graph::subtract(Expr a, Expr b) { return add(a, negate(b)); }
Expr Graph::negate(Expr a) {
  const Term t = store_->term(a);
  return t.coefficient == 0 ? a : store_->scaled(-t.coefficient, t.rest);
}
Expr Graph::multiply(std::span<const Expr> factors) { return store_->multiply(factors); }
Expr Graph::multiply(Expr a, Expr b) {
  const Expr factors[] = {a, b};
  return store_->multiply(factors);
}
Expr Graph::divide(Expr a, Expr b) { return store_->divide(a, b); }
Expr Graph::power(Expr base, Expr exponent) { return store_->power(base, exponent); }

Expr Graph::apply(Function function, std::span<const Expr> arguments) {
  // Numbers fold if the result is finite.
  std::vector<double> numbers;
  for (const Expr e : arguments) {
    if (store_->is_number(e)) numbers.push_back(store_->at(e).number);
  }
  if (numbers.size() == arguments.size()) {
    const double value = evaluate(function, numbers);
    if (std::isfinite(value)) return store_->number(value);
  }

  // A truth that is known chooses.
  if (function == Function::select && store_->is_number(arguments[0])) {
    return store_->at(arguments[0]).number != 0 ? arguments[1] : arguments[2];
  }
  if (function == Function::select && arguments[1] == arguments[2]) return arguments[1];

  // The square root is the power 1/2, so that it meets its equals in products.
  if (function == Function::sqrt) return store_->power(arguments[0], store_->number(0.5));
  const std::vector<Expr> copy(arguments.begin(), arguments.end());
  return store_->intern_function(function, copy);
}
Expr Graph::apply(Function function, Expr argument) { return apply(function, std::span(&argument, 1)); }

Node Graph::node(Expr e) const {
  assert(e.id < store_->records.size());
  const Store::Record& r = store_->at(e);
  return {r.kind, r.function, {r.symbol_kind, r.symbol_index}, r.number, store_->children_of(e)};
}
std::size_t Graph::size() const { return store_->records.size(); }
bool Graph::is_number(Expr e, double value) const { return store_->is_number(e) && store_->at(e).number == value; }
Term Graph::term(Expr e) const { return store_->term(e); }
unsigned Graph::kinds(Expr e) const { return store_->at(e).kinds; }

}  // namespace zwang::expressions
