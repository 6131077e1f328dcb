/// `zwang analyze fourier MODEL`: what the principle of d'Alembert and Fourier alone would allow, beside Gauss's answer.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "commands.hpp"
#include "tables.hpp"
#include "terminal.hpp"
#include "zwang/analysis/fourier.hpp"
#include "zwang/base/number.hpp"
#include "zwang/error.hpp"
#include "zwang/report/fourier.hpp"

namespace zwang::cli {

namespace {

/// --member a=1,2,3 (more than once): Gauss's accelerations, with those named replaced. Numbers, or expressions of parameters.
std::vector<double> read_member(const model::Model& model, const Question& question,
                                const std::vector<std::string>& texts, std::vector<double> accelerations) {
  for (const std::string& text : texts) {
    const auto wrong = [&](const std::string& why) {
      return Error({"command line", 0, 0},
                   fmt::format("--member {}: {}; write NAME=A1,A2,... with one number per component", text, why));
    };
    const std::size_t sign = text.find('=');
    if (sign == std::string::npos) {
      throw wrong("there is no =");
    }
    const std::string name = text.substr(0, sign);
    std::vector<double> values;
    for (std::size_t at = sign + 1; at <= text.size();) {
      const std::size_t comma = std::min(text.find(',', at), text.size());
      const std::string word = text.substr(at, comma - at);
      std::optional<double> value = read_number(word);
      if (!value && word.find_first_not_of(' ') == std::string::npos) {
        throw wrong("a number is missing");
      }
      if (!value) {
        model::Overrides with = overrides(question);
        with.start = word;
        value = model::load(model.text, model.file, with).simulation.start;
      }
      values.push_back(*value);
      at = comma + 1;
    }
    bool found = false;
    for (const model::Body& body : model.bodies) {
      for (std::uint32_t member = 0; member < body.members() && !found; ++member) {
        if (model::member_name(body, member) != name) {
          continue;
        }
        if (values.size() != body.dimension) {
          throw wrong(fmt::format("`{}` has {} component{}", name, body.dimension, body.dimension == 1 ? "" : "s"));
        }
        std::copy(values.begin(), values.end(),
                  accelerations.begin() + static_cast<std::ptrdiff_t>(body.first + member * body.dimension));
        found = true;
      }
    }
    if (!found) {
      throw wrong(fmt::format("there is no point or coordinate `{}`", name));
    }
  }
  return accelerations;
}

std::string corner_table(const model::Model& model, const std::vector<analysis::Corner>& corners,
                         std::string_view word) {
  std::vector<std::string> header{std::string(word)};
  for (const auto& [row, value] : corners.front().multipliers) {
    header.push_back(model::row_name(model, row));
  }
  for (const model::Body& body : model.bodies) {
    for (std::uint32_t member = 0; member < body.members(); ++member) {
      header.push_back(model::member_name(body, member) + "''");
    }
  }
  Table table(header);
  for (std::size_t k = 0; k < corners.size(); ++k) {
    std::vector<std::string> cells{std::to_string(k + 1)};
    for (const auto& [row, value] : corners[k].multipliers) {
      cells.push_back(readable(value));
    }
    for (const model::Body& body : model.bodies) {
      for (std::uint32_t member = 0; member < body.members(); ++member) {
        cells.push_back(
            components(corners[k].accelerations.data() + body.first + member * body.dimension, body.dimension));
      }
    }
    table.row(std::move(cells));
  }
  return table.text();
}

}  // namespace

int analyze_fourier(const Request& request) {
  const model::Model model = load(request);
  const model::State state = model::initial_state(model);
  const analysis::Fourier fourier = analysis::fourier(model, state);
  const bool determined = fourier.instant.status == instant::Status::determined && !fourier.instant.singular;
  int status = exit_status(fourier.instant.status);
  std::optional<bool> member;
  if (determined && !request.member.empty()) {
    member =
        analysis::is_member(model, state, read_member(model, request, request.member, fourier.instant.accelerations));
  }
  if (determined && !fourier.listed && !member) {
    status = gave_up;
  }
  if (request.json) {
    print(report::fourier_json(model, fourier, member));
    return status;
  }
  const Style& s = style();
  if (!request.quiet) {
    print(heading(model, state.time));
  }
  if (!determined) {
    print(fourier.instant.singular ? "the position is singular\n" : trouble(model, fourier.instant));
    return status;
  }
  if (member) {
    print(fmt::format("{}{}{}: the principle of d'Alembert and Fourier {} these accelerations\n",
                      *member ? s.good : s.bad, *member ? "yes" : "no", s.off, *member ? "allows" : "forbids"));
  }
  if (!fourier.listed) {
    print(fmt::format("more than {} inequalities, or {} conditions, are effective: their sets are too many to try\n",
                      analysis::Fourier::most_inequalities, analysis::Fourier::most_rows));
    return status;
  }
  if (fourier.unique) {
    print("the principle of d'Alembert and Fourier leaves one acceleration, Gauss's\n");
  } else {
    print(fmt::format(
        "the principle of d'Alembert and Fourier leaves {} of accelerations{}; Gauss's is one of them\n",
        fourier.unbounded ? "an unbounded set" : "a bounded set",
        fourier.vertices.size() == 1 ? " with one vertex" : fmt::format(" with {} vertices", fourier.vertices.size())));
  }
  if (request.quiet) {
    return status;
  }
  print("\n" + body_table(model, {{"Gauss", &fourier.instant.accelerations, &fourier.instant.position},
                                  {"free", &fourier.instant.free, &fourier.instant.position}}));
  if (!fourier.vertices.empty()) {
    print("\n" + corner_table(model, fourier.vertices, "vertex"));
  }
  if (!fourier.rays.empty()) {
    print("\n" + corner_table(model, fourier.rays, "ray"));
  }
  return status;
}

}  // namespace zwang::cli
