/// Two runs and what lies between them.
#include "zwang/report/compare.hpp"

#include <array>

#include "zwang/base/number.hpp"
#include "zwang/report/writer.hpp"
#include "zwang/version.hpp"

namespace zwang::report {

void compare_json(const ComparedRun& straightest, const ComparedRun& variational,
                  const analysis::Equivalence& equivalence, const std::vector<analysis::Apart>& distance,
                  const std::vector<double>& sample_at, const Sink& sink) {
  const model::Model& model = *straightest.model;
  Writer json;
  json.open();
  json.put("zwang", version);
  json.put("model", model.title.empty() ? std::string_view(model.file) : std::string_view(model.title));
  json.open("straightest");
  put_run(json, *straightest.model, straightest.view, sample_at, straightest.files, sink);
  json.close();
  json.open("variational");
  put_run(json, *variational.model, variational.view, sample_at, variational.files, sink);
  json.close();

  json.open_list("distance");
  for (const analysis::Apart& apart : distance) {
    json.put(std::array{apart.time, apart.distance});
    sink(json.take());
  }
  json.close_list();
  const analysis::Apart most = analysis::farthest(distance);
  json.open("largest");
  json.put("time", most.time);
  json.put("distance", most.distance);
  json.close();
  if (equivalence.decided) {
    json.put("laws_agree", equivalence.agree);
  }

  // The test behind that word.
  json.open("equivalence");
  json.put("defect", equivalence.defect);
  json.put("threshold", analysis::Equivalence::threshold);
  json.put("points", std::uint64_t{equivalence.points});
  json.put("nearby", equivalence.agree_nearby);
  json.put("nearby_defect", equivalence.nearby_defect);
  json.put("nearby_points", std::uint64_t{equivalence.nearby_points});
  json.open("conditions");
  for (const analysis::RowVerdict& verdict : equivalence.rows) {
    json.open(model::row_name(model, verdict.row));
    json.put("integrates", verdict.defect <= analysis::Equivalence::threshold);
    json.put("defect", verdict.defect);
    json.close();
  }
  json.close();
  json.put("reason", analysis::reason(model, equivalence));
  json.close();
  sink(json.close().text());
}

void distance_csv(const std::vector<analysis::Apart>& distance, const Sink& sink) {
  sink("time,distance\n");
  for (const analysis::Apart& apart : distance) {
    sink(exact(apart.time) + "," + exact(apart.distance) + "\n");
  }
}

}  // namespace zwang::report
