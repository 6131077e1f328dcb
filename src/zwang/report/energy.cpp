/// Who changes the energy, for programs.
#include "zwang/report/energy.hpp"

#include "zwang/report/parts.hpp"
#include "zwang/report/writer.hpp"
#include "zwang/version.hpp"

namespace zwang::report {

std::string energy_json(const model::Model& model, const analysis::EnergyRate& energy) {
  Writer json;
  json.open();
  json.put("zwang", version);
  json.put("model", model.title.empty() ? std::string_view(model.file) : std::string_view(model.title));
  json.put("status", instant::words(energy.instant.status));
  json.put("energy", energy.energy);
  if (energy.instant.status == instant::Status::determined) {
    json.put("conserved", energy.conserved());
    json.put("rate", energy.rate);
    json.open("conditions");
    for (const analysis::RowPower& one : energy.rows) {
      json.open(model::row_name(model, one.row));
      json.put("moves", one.moves);
      json.put("power", one.power);
      json.close();
    }
    json.close();
  }
  if (energy.forces) {
    put_bodies(json, "force_power", model, energy.force_power);
  }
  if (energy.explicit_time) {
    json.put("explicit_power", energy.explicit_power);
  }
  return json.close().text();
}

}  // namespace zwang::report
