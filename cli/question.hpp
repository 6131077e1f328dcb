/// Of what is asked: MODEL and the values that are set instead of its own.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "zwang/model/model.hpp"
#include "zwang/model/read.hpp"

namespace zwang::cli {

/// As it was typed; what is empty is as the model has it.
struct Question {
  std::string model;
  std::vector<std::string> set;
  std::string at, until, tolerance, samples;
};

/// Run files are SQLite databases, which all begin with the same words.
[[nodiscard]] bool begins_a_database(std::string_view bytes);

/// Reads MODEL (a file, `-`, or gallery:NAME), or another text; throws zwang::Error, which calls it by what it is. `in_gallery`: the file that gallery:NAME stands for.
struct Source {
  std::string text;
  std::string name;
};
[[nodiscard]] Source read_source(const std::string& name, std::string_view what = "the model",
                                 std::string_view in_gallery = "model.toml");
/// Names of parameters as an option takes them, "L,v"; throws zwang::Error with the place in what was typed.
[[nodiscard]] std::vector<std::string> parameter_names(const std::string& typed, const char* option);
[[nodiscard]] model::Overrides overrides(const Question& question);
/// The name of a model's files: that of the gallery, the file's without folder and ending, or "model".
[[nodiscard]] std::string file_stem(const std::string& model);
/// The model. One that is a flow has rates and no accelerations: it is refused unless the question makes sense for it.
enum class Flows : std::uint8_t { refused, welcome };
[[nodiscard]] model::Model load(const Question& question, Flows flows = Flows::refused);
void refuse_flow(const model::Model& model);

}  // namespace zwang::cli
