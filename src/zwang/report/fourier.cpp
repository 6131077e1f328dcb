/// Fourier's set and the curvature of paths for programs.
#include "zwang/report/fourier.hpp"

#include "zwang/report/parts.hpp"
#include "zwang/report/writer.hpp"
#include "zwang/version.hpp"

namespace zwang::report {

namespace {

void put_corners(Writer& json, std::string_view key, const model::Model& model,
                 const std::vector<analysis::Corner>& corners, const std::vector<double>& position) {
  json.open_list(key);
  for (const analysis::Corner& corner : corners) {
    json.open();
    put_rows(json, "multipliers", model, corner.multipliers);
    put_bodies(json, "accelerations", model, corner.accelerations, {model::Sort::velocity, position});
    json.close();
  }
  json.close_list();
}

}  // namespace

std::string fourier_json(const model::Model& model, const analysis::Fourier& fourier, std::optional<bool> member) {
  Writer json;
  json.open();
  json.put("zwang", version);
  json.put("model", model.title.empty() ? std::string_view(model.file) : std::string_view(model.title));
  json.put("status", instant::words(fourier.instant.status));
  if (fourier.instant.status == instant::Status::determined && !fourier.instant.singular) {
    put_bodies(json, "gauss", model, fourier.instant.accelerations, {model::Sort::velocity, fourier.instant.position});
    if (fourier.listed) {
      put_corners(json, "vertices", model, fourier.vertices, fourier.instant.position);
      put_corners(json, "rays", model, fourier.rays, fourier.instant.position);
      json.put("unbounded", fourier.unbounded);
      json.put("unique", fourier.unique);
    }
    if (member) {
      json.put("member", *member);
    }
  }
  return json.close().text();
}

std::string path_name(const model::Model& model, const analysis::PathOfPoint& path) {
  const std::string name = model::member_name(model.bodies[path.body], path.member);
  return path.mark ? name + "." + model.rigids[path.body].marks[*path.mark].name : name;
}

std::string curvature_json(const model::Model& model, const analysis::Curvature& curvature) {
  Writer json;
  json.open();
  json.put("zwang", version);
  for (const analysis::PathOfPoint& path : curvature.paths) {
    json.open(path_name(model, path));
    if (path.radius) {
      json.put("radius", *path.radius);
    }
    if (path.torsion) {
      json.put("torsion", *path.torsion);
    }
    if (path.speed > 0) {
      json.put("curvature", path.curvature);
    }
    json.close();
  }
  return json.close().text();
}

}  // namespace zwang::report
