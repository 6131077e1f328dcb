/// The nearest point on its own: masses, rows and offsets as arrays.
#include "zwang/gauss.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "python/bindings/shared.hpp"
#include "zwang/matrix.hpp"

namespace zwang::python {

namespace {

/// A symmetric matrix by its entries; variables that its entries couple make a block.
linear::Mass make_mass(std::size_t n, const Indices& row, const Indices& column, const Numbers& value) {
  std::vector<std::uint32_t> parent(n);
  std::iota(parent.begin(), parent.end(), 0U);
  const auto root = [&](std::uint32_t i) {
    while (parent[i] != i) {
      parent[i] = parent[parent[i]];
      i = parent[i];
    }
    return i;
  };
  for (std::size_t k = 0; k < value.size(); ++k) {
    if (row.data()[k] >= n || column.data()[k] >= n) {
      throw nb::value_error("M: it must have as many rows and columns as a0 has numbers");
    }
    const std::uint32_t a = root(row.data()[k]);
    const std::uint32_t b = root(column.data()[k]);
    parent[std::max(a, b)] = std::min(a, b);
  }
  std::vector<std::vector<std::uint32_t>> members(n);
  for (std::uint32_t i = 0; i < n; ++i) {
    members[root(i)].push_back(i);
  }
  std::vector<std::vector<std::uint32_t>> blocks;
  for (std::vector<std::uint32_t>& one : members) {
    if (one.size() > 1) {
      blocks.push_back(std::move(one));
    }
  }
  linear::Mass mass(n, std::move(blocks));
  for (std::size_t k = 0; k < value.size(); ++k) {
    const std::uint32_t i = row.data()[k];
    const std::uint32_t j = column.data()[k];
    // Both halves of a symmetric matrix are given; one is enough.
    if (i == j) {
      if (mass.block_of(i) < 0) {
        mass.add_diagonal(i, value.data()[k]);
      } else {
        mass.add(i, i, value.data()[k]);
      }
    } else if (i < j) {
      mass.add(i, j, value.data()[k]);
    }
  }
  if (!mass.factor()) {
    throw nb::value_error(
        fmt::format("M: it is not positive definite (coordinate {} is involved)", mass.weakest()).c_str());
  }
  return mass;
}

nb::dict solve(const Indices& mass_row, const Indices& mass_column, const Numbers& mass_value, const Numbers& a0,
               const Indices& start, const Indices& column, const Numbers& entry, const Numbers& h,
               std::uint32_t equations, const Numbers& h_bound, std::size_t most_rounds, bool exact_numbers) {
  const linear::Mass mass = make_mass(a0.size(), mass_row, mass_column, mass_value);
  std::vector<gauss::RowKind> kind(h.size(), gauss::RowKind::inequality);
  std::fill_n(kind.begin(), std::min<std::size_t>(equations, kind.size()), gauss::RowKind::equation);
  gauss::Problem problem;
  problem.mass = &mass;
  problem.a0 = span(a0);
  problem.start = {start.data(), start.size()};
  problem.column = {column.data(), column.size()};
  problem.entry = span(entry);
  problem.h = span(h);
  problem.kind = kind;
  problem.h_bound = span(h_bound);
  gauss::Options options;
  options.most_rounds = most_rounds;
  options.long_multipliers = true;
  options.exact_numbers = exact_numbers;
  gauss::Solution solution;
  gauss::Certificate certificate;
  {
    const nb::gil_scoped_release release;
    gauss::Workspace workspace;
    gauss::solve(problem, options, workspace, solution);
    if (solution.status != gauss::Status::infeasible) {
      std::vector<double> scratch;
      certificate = gauss::verify(problem, solution.a, solution.lambda, scratch, solution.lambda_low);
    }
  }
  nb::dict result;
  result["status"] = words(solution.status);
  if (solution.status == gauss::Status::solved) {
    result["a"] = array_of(solution.a);
    result["multipliers"] = array_of(solution.lambda);
    result["slack"] = array_of(solution.w);
  }
  if (solution.status != gauss::Status::infeasible) {
    nb::dict words_of;
    words_of["primal"] = certificate.primal;
    words_of["dual"] = certificate.dual;
    words_of["complementarity"] = certificate.complementarity;
    words_of["stationarity"] = certificate.stationarity;
    words_of["gap"] = certificate.gap;
    result["certificate"] = words_of;
  }
  if (solution.status == gauss::Status::infeasible) {
    result["farkas"] = array_of(solution.farkas);
  }
  result["rounds"] = solution.rounds;
  result["rank"] = solution.rank;
  return result;
}

}  // namespace

void bind_gauss(nb::module_& module) {
  module.def("nearest_point", &solve, nb::arg("mass_row"), nb::arg("mass_column"), nb::arg("mass_value"), nb::arg("a0"),
             nb::arg("start"), nb::arg("column"), nb::arg("entry"), nb::arg("h"), nb::arg("equations"),
             nb::arg("h_bound"), nb::arg("most_rounds"), nb::arg("exact_numbers"),
             nb::sig("def nearest_point(mass_row: numpy.typing.NDArray[numpy.uint32], mass_column: "
                     "numpy.typing.NDArray[numpy.uint32], mass_value: numpy.typing.NDArray[numpy.float64], a0: "
                     "numpy.typing.NDArray[numpy.float64], start: numpy.typing.NDArray[numpy.uint32], column: "
                     "numpy.typing.NDArray[numpy.uint32], entry: numpy.typing.NDArray[numpy.float64], h: "
                     "numpy.typing.NDArray[numpy.float64], equations: int, h_bound: "
                     "numpy.typing.NDArray[numpy.float64], most_rounds: int, exact_numbers: bool) -> dict[str, "
                     "typing.Any]"));
}

}  // namespace zwang::python
