/// Integrability for programs.
#include "zwang/report/integrability.hpp"

#include <cmath>

#include "zwang/base/number.hpp"
#include "zwang/report/writer.hpp"
#include "zwang/version.hpp"

namespace zwang::report {

namespace {

void put_counts(Writer& json, std::string_view key, const std::vector<std::size_t>& counts) {
  const std::vector<double> numbers(counts.begin(), counts.end());
  json.put(key, numbers);
}

/// The ranks with the singular values on both sides of the gap.
void put_gaps(Writer& json, std::string_view key, const std::vector<analysis::Gap>& gaps) {
  json.open_list(key);
  for (const analysis::Gap& gap : gaps) {
    json.open();
    json.put("rank", std::uint64_t{gap.rank});
    if (gap.kept > 0) {
      json.put("kept", gap.kept);
    }
    json.put("dropped", gap.dropped);
    json.put("wide", gap.wide);
    json.close();
  }
  json.close_list();
}

void put_leaf(Writer& json, const analysis::LeafVerdict& leaf) {
  json.open("on_leaf");
  json.put("integrable", std::uint64_t{leaf.integrable});
  if (!leaf.decided) {
    json.put("decided", false);
  }
  if (!leaf.integrals.empty()) {
    json.put("integrals", leaf.integrals);
  }
  json.close();
  json.open("at_state");
  json.put("special", leaf.special);
  json.put("rank", std::uint64_t{leaf.rank_at_state});
  if (leaf.decided) {
    json.put("reachable", std::uint64_t{leaf.reachable});
  }
  if (!leaf.growth.empty()) {
    put_counts(json, "growth", leaf.growth);
  }
  json.close();
}

}  // namespace

std::string integrability_json(const model::Model& model, const model::State& state,
                               const analysis::Integrability& found) {
  Writer json;
  json.open();
  json.put("zwang", version);
  json.put("model", model.title.empty() ? std::string_view(model.file) : std::string_view(model.title));
  json.put("time", state.time);
  json.put("conditions", std::uint64_t{found.conditions});
  json.put("decided", found.decided);
  if (found.decided) {
    json.put("integrable", std::uint64_t{found.integrable});
    json.put("complete", found.complete);
    std::vector<std::string> texts;
    // An integral may be infinite at the state: it has no value then.
    std::string values;
    for (const analysis::Integral& integral : found.integrals) {
      texts.push_back(integral.text);
      values += values.empty() ? "[" : ", ";
      values += std::isfinite(integral.value) ? exact(integral.value + 0.0) : "null";
    }
    json.put("integrals", texts);
    json.put_json("values", values.empty() ? "[]" : values + "]");
    if (!found.implicit.empty()) {
      json.open("implicit");
      std::vector<std::string> columns;
      for (const analysis::ImplicitIntegral& integral : found.implicit) {
        columns.push_back(integral.column);
      }
      json.put("columns", columns);
      json.put("where", found.implicit_where);
      json.close();
    }
  } else {
    json.put("doubt", found.doubt);
  }
  if (!found.derived.empty()) {
    put_counts(json, "derived", found.derived);
    put_counts(json, "growth", found.growth);
  }
  json.put("columns", found.columns);
  if (found.decided) {
    put_leaf(json, found.leaf);
  }
  json.put("laws_agree", found.laws_agree);
  put_gaps(json, "derived_ranks", found.derived_gaps);
  put_gaps(json, "growth_ranks", found.growth_gaps);
  json.put("points", std::uint64_t{found.points});
  json.put("agreeing", std::uint64_t{found.agreeing});
  return json.close().text();
}

}  // namespace zwang::report
