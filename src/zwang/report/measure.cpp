/// Jacobi's multiplier for programs.
#include "zwang/report/measure.hpp"

#include <span>

#include "zwang/report/parts.hpp"
#include "zwang/report/writer.hpp"
#include "zwang/version.hpp"

namespace zwang::report {

std::string measure_json(const model::Model& model, const analysis::Measure& measure) {
  Writer json;
  json.open();
  json.put("zwang", version);
  json.put("model", model.title.empty() ? std::string_view(model.file) : std::string_view(model.title));
  json.put("decided", measure.decided);
  if (measure.decided) {
    json.put("exists", measure.exists);
    if (!measure.density.empty()) {
      json.put("density", measure.density);
      json.put("residual", measure.residual);
    }
    json.put("jacobi", measure.jacobi);
  }
  json.put("divergence", measure.divergence);
  if (!measure.why.empty()) {
    json.put("why", measure.why);
  }
  if (!measure.witness.empty() && !measure.exists) {
    json.open("witness");
    put_places(json, "positions", model, std::span<const double>(measure.witness).first(model.variables));
    if (measure.witness.size() > model.variables) {
      json.put("time", measure.witness[model.variables]);
    }
    json.put("defect", measure.defect);
    json.close();
  }
  return json.close().text();
}

}  // namespace zwang::report
