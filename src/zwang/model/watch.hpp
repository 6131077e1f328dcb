/// Expressions that are asked of a model from outside of its file: compiled together with it, and after all that moves it, so that no bit of the motion
/// depends on what is asked.
///
/// They speak the language of [outputs], and may name outputs besides: in `2*height` an output `height` stands for its own expression.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "zwang/model/model.hpp"
#include "zwang/model/read.hpp"

namespace zwang::model {

/// One expression: of the state, or of the parameters alone. `label` stands for the file's name in errors.
struct Watch {
  std::string label;
  std::string text;
};

struct Watching {
  Model model;
  std::vector<Observable> states;  ///< one number each
  std::vector<double> numbers;
};

/// `compile` without [view], and the expressions of the state and of the parameters that are given. A vector is an Error.
[[nodiscard]] Watching compile(const Draft& draft, const Overrides& overrides, std::span<const Watch> states,
                               std::span<const Watch> numbers);

/// What a compilation leaves for others of the same draft that differ in the values of parameters alone (compile/journal.hpp).
class Pattern {
 public:
  Pattern();
  ~Pattern();
  Pattern(Pattern&&) noexcept;
  Pattern& operator=(Pattern&&) noexcept;
  /// Is it of use to others?
  [[nodiscard]] bool fit() const;

  struct Content;
  [[nodiscard]] Content& content() { return *content_; }
  [[nodiscard]] const Content& content() const { return *content_; }

 private:
  std::unique_ptr<Content> content_;
};

/// The same, and the pattern of the model.
[[nodiscard]] Watching compile(const Draft& draft, const Overrides& overrides, std::span<const Watch> states,
                               std::span<const Watch> numbers, Pattern& pattern);
/// What `compile` gives, to the last bit, with expressions, derivatives and tapes taken from the pattern. False: with these values the structure is another one. Draft and watches
/// are those of the pattern.
[[nodiscard]] bool compile_again(const Draft& draft, const Overrides& overrides, std::span<const Watch> states,
                                 std::span<const Watch> numbers, const Pattern& pattern, Watching& out);

/// The value of an expression of numbers alone, such as `pi/6`.
[[nodiscard]] double number_of(const Watch& watch);

/// A parameter of [parameters] as it is written: is it a number, or a vector?
struct WrittenParameter {
  std::string name;
  bool vector = false;
};
[[nodiscard]] std::vector<WrittenParameter> written_parameters(const Draft& draft);

}  // namespace zwang::model
