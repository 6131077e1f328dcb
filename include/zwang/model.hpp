/// A model: read from a file or a text, compiled, never changed again.
///
/// A Model is a value that is cheap to copy: copies share what was compiled. Quantities of a system are vectors over its variables, in the
/// order of the file, body by body; conditions stand for scalar rows f = 0 or f <= 0, in the order of the file. Names lead to their places:
///
///   zwang::Model model = zwang::load("swing.toml", {.parameters = {{"L", "2"}}});
///   zwang::State state = model.initial();
///   model.part("seat", state.velocity)[0] = 3;
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "zwang/system.hpp"

namespace zwang {

namespace face {
struct Access;  // the library's own way in
}

/// A system, compiled. Const like all its copies: any number of threads may ask it at once.
class Model {
 public:
  // Not moved but copied, so that no Model is ever without content.
  Model(const Model& other);
  Model& operator=(const Model& other);
  ~Model();

  // What it is.

  [[nodiscard]] const std::string& text() const;   ///< the text it was read from
  [[nodiscard]] const std::string& file() const;   ///< where it was read from
  [[nodiscard]] const std::string& title() const;  ///< empty: it has none
  [[nodiscard]] bool is_flow() const;  ///< a first-order system: it has rates, and neither accelerations nor energy

  [[nodiscard]] const std::vector<model::Body>& bodies() const;
  [[nodiscard]] const std::vector<model::Condition>& conditions() const;
  [[nodiscard]] const std::vector<model::Parameter>& parameters() const;
  /// The value of a parameter that is a number.
  [[nodiscard]] double parameter(std::string_view name) const;

  [[nodiscard]] double start() const;           ///< of its own run
  [[nodiscard]] double until() const;           ///< of its own run
  [[nodiscard]] double tolerance() const;       ///< of its own run
  [[nodiscard]] std::uint32_t samples() const;  ///< of its own run

  // Places and names. A name that the model does not have is refused with std::invalid_argument, which says what may have been meant.

  [[nodiscard]] std::size_t variables() const;                           ///< their number, n
  [[nodiscard]] std::size_t rows() const;                                ///< their number, r
  [[nodiscard]] const std::vector<std::string>& variable_names() const;  ///< "a.x", "bead[3].y", "w"
  [[nodiscard]] const std::vector<std::string>& row_names() const;       ///< "string", "link[3]", "hook.x"
  [[nodiscard]] const std::vector<std::string>& output_names() const;    ///< of [outputs]
  [[nodiscard]] std::uint32_t variable(std::string_view name) const;     ///< place of "a.x"
  [[nodiscard]] std::uint32_t row(std::string_view name) const;          ///< place of "link[3]"
  [[nodiscard]] model::RowKind row_kind(std::uint32_t row) const;
  [[nodiscard]] bool is_variational(std::uint32_t row) const;  ///< under the variational law: it has a rho

  /// The numbers of a body ("a", "bead[3]"), of a whole family ("bead") or of one component ("a.x") in a vector over the variables.
  [[nodiscard]] std::span<const double> part(std::string_view name, std::span<const double> values) const;
  [[nodiscard]] std::span<double> part(std::string_view name, std::span<double> values) const;
  [[nodiscard]] std::span<const double> part(std::string_view name, const std::vector<double>& values) const;
  [[nodiscard]] std::span<double> part(std::string_view name, std::vector<double>& values) const;

  // States.

  /// The state it starts with.
  [[nodiscard]] State initial() const;
  /// What is wrong with a state of this model (sizes, numbers that are not finite), in a sentence; empty if nothing is. Whether it satisfies the
  /// conditions is a question of its own, `check` in questions.hpp.
  [[nodiscard]] std::string check(const State& state) const;

  // The same model, otherwise.

  /// With other parameters or settings, besides those it was made with. Throws Error where they cannot be read.
  [[nodiscard]] Model with(const Overrides& overrides) const;
  /// With one parameter changed.
  [[nodiscard]] Model with(std::string_view parameter, double value) const;
  /// With every nonholonomic equation under one law.
  [[nodiscard]] Model under(model::Law law) const;

  /// The text with everything written into it that was changed from outside: parse() of it gives this model again. A law that was put in the
  /// place of those in the text is not among it.
  [[nodiscard]] std::string written() const;
  /// The same text with another start.
  [[nodiscard]] std::string written_from(const State& state) const;

 private:
  friend struct face::Access;
  struct Inside;
  explicit Model(std::shared_ptr<const Inside> inside);
  std::shared_ptr<const Inside> inside_;
};

/// A model from its file. Throws MissingFile if there is none, Error with file, line and column for what cannot be understood in it.
[[nodiscard]] Model load(const std::filesystem::path& file, const Overrides& overrides = {});
/// A model from its text; `name` stands for a file in errors.
[[nodiscard]] Model parse(std::string_view text, const Overrides& overrides = {}, std::string name = "model");

/// T at a state.
[[nodiscard]] double kinetic_energy(const Model& model, const State& state);
/// V at a state, gravity included.
[[nodiscard]] double potential_energy(const Model& model, const State& state);
/// The values of [outputs] at a state, in the order of `output_names`.
[[nodiscard]] std::vector<double> outputs(const Model& model, const State& state);

}  // namespace zwang
