/// Every expression of a model as a syntax tree whose offsets lead back to the file.
///
/// The texts of a model are numbered; a part of text number k that starts at byte b has the offset k * 2^21 + b, so that
/// one tree may be put together from several texts (the components of a vector) and every part still knows its place.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "zwang/expressions/syntax.hpp"
#include "zwang/model/draft.hpp"

namespace zwang::model {

using expressions::Syntax;
using expressions::SyntaxKind;

class Formulas {
 public:
  explicit Formulas(const Source& source) : source_(source) {}

  /// A number, an expression in quotes, or an array of them (a vector).
  [[nodiscard]] Syntax expression(const Value& value);
  [[nodiscard]] expressions::ConditionSyntax condition(const Value& value);
  [[nodiscard]] expressions::AlternativeSyntax alternatives(const Value& value);
  [[nodiscard]] Syntax truth(const Value& value);
  [[nodiscard]] std::vector<expressions::RangeSyntax> ranges(const Value& value);
  [[nodiscard]] Syntax reference(const Value& value);

  /// An expression from outside the file; `label` stands for the file's name in errors.
  [[nodiscard]] Syntax outside(std::string label, std::string text);
  [[nodiscard]] expressions::AlternativeSyntax outside_condition(std::string label, std::string text);
  [[nodiscard]] std::vector<expressions::RangeSyntax> outside_ranges(std::string label, std::string text);

  /// An error at a part of some tree.
  [[nodiscard]] Error error(std::size_t offset, const std::string& message) const;
  [[nodiscard]] Error error(const Syntax& part, const std::string& message) const {
    return error(part.offset, message);
  }
  [[nodiscard]] Place place(std::size_t offset) const;
  /// A part as it was written.
  [[nodiscard]] std::string text(const Syntax& part) const;

  /// The whole text to which a part belongs, if it is from outside the file; else "".
  [[nodiscard]] std::string_view outside_text(const Syntax& part) const;

  /// Where the next text will begin.
  [[nodiscard]] std::size_t end() const;

  /// A number with all the digits that were typed.
  [[nodiscard]] std::string digits(const Syntax& number) const;

  [[nodiscard]] const Source& source() const { return source_; }

 private:
  struct Phrase {
    const Value* value = nullptr;  ///< where it stands in the file, or nullptr
    std::string label;             ///< of an expression from outside
    std::string text;
  };
  [[nodiscard]] std::size_t add(Phrase phrase);
  [[nodiscard]] expressions::AlternativeSyntax alternatives_of(std::size_t base, const std::string& text) const;
  [[nodiscard]] std::vector<expressions::RangeSyntax> ranges_of(std::size_t base, const std::string& text) const;

  const Source& source_;
  std::vector<Phrase> phrases_;
};

}  // namespace zwang::model
