/// The sparse factor of the dual matrix: our own, component by component and in fronts where columns are long, beside those of general libraries.
///
///   Phi = J J^T of chains and sheared nets whose strings are all at their length,  P Phi P^T = L D L^T
///
///   analyse   ordering and pattern of L
///   factor    the numbers of L, for a pattern that is known; the products behind Phi are not counted
///   solve     one right-hand side
///   change    one row leaves the set, and all that this makes necessary: the library analyses and factors anew, ours the components touched
///
/// Times are the least processor time of several runs in milliseconds; `entries` are those of L below the diagonal. CHOLMOD is measured
/// where its header and library are found (CMakeLists.txt), and is used nowhere else.
#include <Eigen/SparseCholesky>
#include <Eigen/SparseCore>
#ifdef ZWANG_CHOLMOD
#include <Eigen/CholmodSupport>
#endif
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "strings.hpp"
#include "zwang/linear/sparse_cholesky.hpp"
#include "zwang/linear/sparse_gram.hpp"

namespace {

using namespace zwang;
using namespace zwang::bench;

using Matrix = Eigen::SparseMatrix<double>;

/// So many separate chains.
Scene chains(std::size_t count, std::size_t points) {
  Scene scene{"chains", {}, {}, {}};
  for (std::size_t k = 0; k < count; ++k) {
    const Scene one = chain(points, 2);
    const auto first = static_cast<std::uint32_t>(scene.points.size());
    for (const Point& at : one.points) scene.points.push_back({at.x, at.y + 10.0 * static_cast<double>(k)});
    for (const auto& [i, j] : one.pairs) scene.pairs.emplace_back(first + i, first + j);
  }
  return scene;
}

struct Figures {
  double analyse = 0, factor = 0, solve = 0, change = 0;
  std::size_t entries = 0;
  double residual = 0;
};

void tell(const Scene& scene, const char* who, const Figures& f) {
  std::printf("%-10s %7zu %-22s %9zu | %9.3f %9.3f %9.3f %9.3f   %.0e\n", scene.name, scene.pairs.size(), who,
              f.entries, f.analyse, f.factor, f.solve, f.change, f.residual);
  std::fflush(stdout);
}

/// Rows and columns of all but one.
Matrix without(const Matrix& phi, int row) {
  std::vector<Eigen::Triplet<double>> kept;
  const auto place = [row](int i) { return i < row ? i : i - 1; };
  for (int c = 0; c < phi.outerSize(); ++c) {
    for (Matrix::InnerIterator it(phi, c); it; ++it) {
      const int r = static_cast<int>(it.row());
      if (c != row && r != row) kept.emplace_back(place(r), place(c), it.value());
    }
  }
  Matrix out(phi.rows() - 1, phi.cols() - 1);
  out.setFromTriplets(kept.begin(), kept.end());
  return out;
}

double residual_of(const Matrix& phi, const Eigen::VectorXd& x, const Eigen::VectorXd& b) {
  return (phi * x - b).cwiseAbs().maxCoeff();
}

template <class Factor>
Figures library(const Matrix& phi, const Eigen::VectorXd& b, int leaves) {
  Figures out;
  const auto nothing = [](int) {};
  Factor factor;
  out.analyse = least_time(nothing, [&] { factor.analyzePattern(phi); });
  out.factor = least_time(nothing, [&] { factor.factorize(phi); });
  Eigen::VectorXd x;
  out.solve = least_time(nothing, [&] { x = factor.solve(b); });
  out.residual = residual_of(phi, x, b);
  const Matrix fewer = without(phi, leaves);
  Factor other;
  out.change = least_time(nothing, [&] { other.compute(fewer); });
  return out;
}

std::size_t entries_of(const Eigen::SimplicialLDLT<Matrix>& factor) {
  const Matrix lower = factor.matrixL();
  std::size_t below = 0;
  for (int c = 0; c < lower.outerSize(); ++c) {
    for (Matrix::InnerIterator it(lower, c); it; ++it) below += it.row() > c ? 1 : 0;
  }
  return below;
}

Figures own(const linear::SparseGram& gram, const Matrix& phi, const Eigen::VectorXd& b, std::uint32_t leaves) {
  Figures out;
  const auto r = static_cast<std::uint32_t>(b.size());
  std::vector<std::uint32_t> all, fewer;
  for (std::uint32_t i = 0; i < r; ++i) {
    all.push_back(i);
    if (i != leaves) fewer.push_back(i);
  }
  linear::SparseCholesky factor;
  out.analyse = least_time([&](int) { factor.reset(r); }, [&] { factor.choose(gram, all); });
  out.factor = least_time([&](int) { factor.expire(); }, [&] { factor.factor(gram); });
  out.entries = factor.entries();
  const std::vector<double> right(b.data(), b.data() + b.size());
  std::vector<double> x(r);
  out.solve = least_time([](int) {}, [&] { factor.solve(right, x); });
  out.residual = residual_of(phi, Eigen::Map<const Eigen::VectorXd>(x.data(), b.size()), b);
  out.change = least_time(
      [&](int) {
        factor.choose(gram, all);
        factor.factor(gram);
      },
      [&] {
        factor.choose(gram, fewer);
        factor.factor(gram);
      });
  return out;
}

void measure(const Scene& scene) {
  const Rows rows = rows_of(scene, 0, 0);
  const std::size_t n = 2 * scene.points.size(), r = scene.pairs.size();
  linear::Mass mass(std::vector<double>(n, 1.0));
  if (!mass.factor()) std::abort();
  const linear::SparseRows held{rows.start, rows.column, rows.entry};
  linear::SparseGram gram;
  gram.shape(held, mass);
  gram.load(held, mass);

  Matrix jacobian(static_cast<Eigen::Index>(r), static_cast<Eigen::Index>(n));
  std::vector<Eigen::Triplet<double>> triplets;
  for (std::size_t i = 0; i < r; ++i) {
    for (std::uint32_t p = rows.start[i]; p < rows.start[i + 1]; ++p) {
      triplets.emplace_back(static_cast<int>(i), static_cast<int>(rows.column[p]), rows.entry[p]);
    }
  }
  jacobian.setFromTriplets(triplets.begin(), triplets.end());
  const Matrix phi = jacobian * jacobian.transpose();
  Eigen::VectorXd b(static_cast<Eigen::Index>(r));
  for (Eigen::Index i = 0; i < b.size(); ++i) b[i] = std::sin(static_cast<double>(i) + 1);
  const auto leaves = static_cast<std::uint32_t>(r / 2);

  tell(scene, "own", own(gram, phi, b, leaves));
  Figures eigen = library<Eigen::SimplicialLDLT<Matrix>>(phi, b, static_cast<int>(leaves));
  eigen.entries = entries_of(Eigen::SimplicialLDLT<Matrix>(phi));
  tell(scene, "Eigen SimplicialLDLT", eigen);
  Figures roots = library<Eigen::SimplicialLLT<Matrix>>(phi, b, static_cast<int>(leaves));
  roots.entries = eigen.entries;
  tell(scene, "Eigen SimplicialLLT", roots);
#ifdef ZWANG_CHOLMOD
  tell(scene, "CHOLMOD supernodal", library<Eigen::CholmodSupernodalLLT<Matrix>>(phi, b, static_cast<int>(leaves)));
#endif
}

}  // namespace

int main() {
  std::printf("%-10s %7s %-22s %9s | %9s %9s %9s %9s   %s\n", "scene", "rows", "factor", "entries", "analyse", "factor",
              "solve", "change", "residual");
  measure(chain(1000, 2));
  measure(chain(10000, 2));
  measure(chains(100, 100));
  measure(net(30 * 30));
  measure(net(100 * 100));
  measure(net(224 * 224));
  return 0;
}
