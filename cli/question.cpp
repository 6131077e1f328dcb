/// Models and their values from the command line.
#include "question.hpp"

#include <fmt/format.h>

#include <array>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>

#include "gallery_files.hpp"
#include "zwang/base/nearest.hpp"
#include "zwang/base/refusal.hpp"
#include "zwang/error.hpp"
#include "zwang/sweeps/table.hpp"

namespace zwang::cli {

bool begins_a_database(std::string_view bytes) { return bytes.starts_with("SQLite format 3"); }

namespace {

constexpr std::size_t largest_model = std::size_t{256} << 20U;  ///< bytes

/// All of it, if it is not larger than any model is.
std::string read_all(std::istream& stream, const std::string& name) {
  std::string text;
  std::array<char, 1U << 16U> part{};
  while (stream.read(part.data(), part.size()) || stream.gcount() > 0) {
    text.append(part.data(), static_cast<std::size_t>(stream.gcount()));
    if (text.size() > largest_model) {
      throw Error({name, 0, 0}, fmt::format("a model may have at most {} MiB", largest_model >> 20U));
    }
  }
  return text;
}

}  // namespace

Source read_source(const std::string& name, std::string_view what, std::string_view in_gallery) {
  Source source;
  source.name = name;
  if (name == "-") {
    source.name = "standard input";
    source.text = read_all(std::cin, source.name);
    return source;
  }
  constexpr std::string_view prefix = "gallery:";
  if (name.starts_with(prefix)) {
    const std::string wanted = name.substr(prefix.size());
    std::vector<std::string_view> known;
    for (const GalleryFile& file : gallery_files()) {
      if (file.file == in_gallery) {
        if (file.name == wanted) {
          source.text = file.text;
          return source;
        }
        known.push_back(file.name);
      }
    }
    const std::string_view near = nearest(wanted, known.data(), known.size());
    const std::string with = in_gallery == "model.toml" ? std::string() : fmt::format(" with {}", in_gallery);
    throw Error({name, 0, 0},
                near.empty() ? fmt::format("the gallery has no model '{}'{}; `zwang gallery` lists all", wanted, with)
                             : fmt::format("the gallery has no model '{}'{}; did you mean '{}'?", wanted, with, near));
  }
  if (std::filesystem::is_directory(name)) {
    throw Error({name, 0, 0}, fmt::format("cannot read {}: this is a directory", what));
  }
  std::ifstream file(name, std::ios::binary);
  if (!file) {
    refuse_file(name, fmt::format("cannot read {}", what), errno);
  }
  source.text = read_all(file, name);
  if (file.bad()) {
    std::error_code unknown;
    if (std::filesystem::is_regular_file(name, unknown))
      throw Fault({name, 0, 0}, fmt::format("cannot read {} to its end", what));
    throw Error({name, 0, 0}, fmt::format("cannot read {}: it is not a regular file", what));
  }
  if (begins_a_database(source.text) && sweeps::is_sweep_file(name)) {
    throw Error({name, 0, 0},
                fmt::format("this is a sweep file, not a model: `zwang view {0}` shows it, `zwang sweep --resume {0}` "
                            "goes on with it",
                            name));
  }
  if (begins_a_database(source.text)) {
    throw Error(
        {name, 0, 0},
        fmt::format("this is a run file, not a model: `zwang view {0}` shows it, `zwang run --resume {0}` goes on "
                    "with it",
                    name));
  }
  return source;
}

std::vector<std::string> parameter_names(const std::string& typed, const char* option) {
  std::vector<std::string> names;
  std::size_t from = 0;
  while (from <= typed.size()) {
    const std::size_t comma = std::min(typed.find(',', from), typed.size());
    std::string name = typed.substr(from, comma - from);
    std::erase(name, ' ');
    if (name.empty()) {
      throw Error({option, 1, static_cast<std::uint32_t>(from + 1)},
                  fmt::format("names of parameters are expected, with commas between them: {} L,c", option), typed);
    }
    for (const std::string& other : names) {
      if (other == name) throw Error({option, 1, static_cast<std::uint32_t>(from + 1)}, "twice the same", typed);
    }
    names.push_back(std::move(name));
    from = comma + 1;
  }
  return names;
}

model::Overrides overrides(const Question& question) {
  model::Overrides result;
  for (const std::string& one : question.set) {
    const std::size_t equals = one.find('=');
    if (equals == std::string::npos || equals == 0) {
      throw Error({"command line", 0, 0}, fmt::format("--set takes NAME=VALUE, not '{}'", one));
    }
    result.parameters.emplace_back(one.substr(0, equals), one.substr(equals + 1));
  }
  result.start = question.at;
  result.until = question.until;
  result.tolerance = question.tolerance;
  result.samples = question.samples;
  return result;
}

std::string file_stem(const std::string& model) {
  constexpr std::string_view prefix = "gallery:";
  if (model.starts_with(prefix)) {
    return model.substr(prefix.size());
  }
  const std::string stem = std::filesystem::path(model).stem().string();
  return model == "-" || stem.empty() ? "model" : stem;
}

model::Model load(const Question& question, Flows flows) {
  const Source source = read_source(question.model);
  model::Model model = model::load(source.text, source.name, overrides(question));
  if (flows == Flows::refused) {
    refuse_flow(model);
  }
  return model;
}

void refuse_flow(const model::Model& model) {
  if (model.flow) {
    throw Error({model.file, 0, 0},
                "this model is a first-order system, [flow]: it has rates, and neither accelerations nor energy; "
                "`zwang check`, `zwang run` and `zwang equations` answer for it");
  }
}

}  // namespace zwang::cli
