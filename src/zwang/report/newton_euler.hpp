/// The equations of models with rigid bodies as Newton and Euler wrote them: as a page of text, a LaTeX document, JSON.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "zwang/analysis/newton_euler.hpp"
#include "zwang/expressions/write.hpp"

namespace zwang::report {

/// How scalars and vectors are called. In text they read as the language of the model has them.
class BodyNames {
 public:
  BodyNames(const model::Model& model, const analysis::Vectors& vectors, expressions::Notation notation);
  BodyNames(const BodyNames&) = delete;
  BodyNames& operator=(const BodyNames&) = delete;

  [[nodiscard]] std::string write(expressions::Expr e) const;
  [[nodiscard]] std::string write(const analysis::VectorSum& v) const;
  /// "box", "\mathrm{box}".
  [[nodiscard]] std::string body(analysis::OfBody of) const;
  /// m r''.
  [[nodiscard]] std::string newton_left(const analysis::BodyEquation& one) const;
  /// The sum of torques as a name, "N_box".
  [[nodiscard]] std::string torque(analysis::OfBody of) const;
  /// The k-th of Euler's equations, left and right; in the plane its only one, whose right side are the torques themselves.
  [[nodiscard]] std::pair<std::string, std::string> euler(const analysis::BodyEquation& one, std::uint32_t k) const;
  /// Parameters that occur, "g = 9.81".
  [[nodiscard]] std::vector<std::string> parameters(const analysis::NewtonEuler& equations) const;

 private:
  [[nodiscard]] std::string word(const std::string& name) const;
  [[nodiscard]] std::string name(expressions::Symbol symbol) const;
  [[nodiscard]] std::string direction(std::uint32_t number) const;
  [[nodiscard]] std::string component(const analysis::Scalar& scalar) const;
  [[nodiscard]] std::string factor_text(expressions::Expr factor) const;
  [[nodiscard]] std::string plain_sum(const std::vector<analysis::VectorTerm>& terms, std::uint32_t size,
                                      bool alone) const;
  [[nodiscard]] std::string bracket(const std::vector<std::string>& parts, std::string_view front) const;

  const model::Model& model_;
  const analysis::Vectors& vectors_;
  bool latex_;
  expressions::Script script_;
};

[[nodiscard]] std::string newton_euler_text(const model::Model& model, const analysis::NewtonEuler& equations,
                                            std::size_t width = 100);
[[nodiscard]] std::string newton_euler_latex(const model::Model& model, const analysis::NewtonEuler& equations);
[[nodiscard]] std::string newton_euler_json(expressions::Notation notation, const model::Model& model,
                                            const analysis::NewtonEuler& equations);

}  // namespace zwang::report
