/// From text to a model: `read` keeps what was written with its places (Draft), `compile` makes the Model.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "zwang/model/model.hpp"

namespace zwang::model {

/// What was written: the TOML tree with the place of every key and value, checked against the table of keys.
class Draft {
 public:
  struct Content;
  explicit Draft(std::unique_ptr<Content> content);
  ~Draft();
  Draft(Draft&&) noexcept;
  Draft& operator=(Draft&&) noexcept;
  [[nodiscard]] const Content& content() const { return *content_; }

 private:
  std::unique_ptr<Content> content_;
};

/// Throws Error with file, line, column, source line.
[[nodiscard]] Draft read(std::string_view text, std::string file);
/// What becomes of families of conditions between any two members: rows, or families that are left as they are where they can be.
enum class Pairs : std::uint8_t { written_out, left };
[[nodiscard]] Model compile(const Draft& draft, const Overrides& overrides = {}, Pairs pairs = Pairs::written_out);
[[nodiscard]] Model load(std::string_view text, std::string file, const Overrides& overrides = {},
                         Pairs pairs = Pairs::written_out);

/// The text of the draft with another initial state written into it; everything else stays as it was, comments too.
/// A family's start becomes a list with one entry per member.
[[nodiscard]] std::string with_start(const Draft& draft, const Model& model, const std::vector<double>& position,
                                     const std::vector<double>& velocity);

/// The text of the draft with the overrides written into it.
[[nodiscard]] std::string with_overrides(const Draft& draft, const Overrides& overrides);

/// The JSON Schema of the model file, generated from the table of keys.
[[nodiscard]] std::string json_schema();
/// The reference page's tables, generated from the table of keys (Markdown).
[[nodiscard]] std::string keys_reference();

}  // namespace zwang::model
