/// The reference problems of motion over a finite time: releases, shocks, contacts; degenerate starts followed on; and
/// motions under velocity conditions by the straightest law, the variational law and both.
#include <algorithm>
#include <cctype>

#include "oracles/cases.hpp"
#include "oracles/judge_motion.hpp"

namespace zwang::oracles::motions_tests {

namespace {

/// Problems of motion, and those of accelerations that say how the motion goes on.
std::vector<Case> motions() {
  std::vector<Case> out = cases('M');
  for (const auto& which : cases('A'))
    if (problem(which.id).at("expected").contains("samples")) out.push_back(which);
  return out;
}

/// Carts, screws and pursuits have conditions on the velocities and no events; every condition stands under its own law. In
/// the shape of the others: rho on the conditions that are variational, samples as q and v, multipliers with our sign
/// (Voss's mu is -lambda; Maurer's sigma belongs to another sign of the row and is left out).
std::optional<nlohmann::json> under_velocity_conditions(const nlohmann::json& from) {
  const auto& system = from.at("system");
  const auto law = system.value("problem", "");
  if (law.empty() || !system.contains("masses")) return std::nullopt;
  nlohmann::json problem = from;
  const auto& state = system.at("state");

  // Which conditions are variational: all, none, or those named.
  const bool all = law.rfind("A (", 0) == 0 || law.rfind("variational", 0) == 0;
  std::vector<std::string> variational;
  for (auto& constraint : problem["system"]["constraints"]) {
    const auto name = constraint.at("name").get<std::string>();
    const auto named = system.value("variational_constraints", nlohmann::json::array());
    if (!all && std::find(named.begin(), named.end(), name) == named.end()) continue;
    constraint["rho"] = "0";
    variational.push_back(name);
    const auto& rho = state.contains("rho") ? state.at("rho") : state.value("lambda", nlohmann::json("0"));
    constraint["rho"] = rho.is_object() ? rho.at("rho" + name.substr(name.size() - 1)) : rho;
  }

  auto samples = nlohmann::json::array();
  for (const auto& sample : from.at("expected").value("samples", nlohmann::json::array())) {
    const auto time = sample.at("t").get<std::string>();
    if (std::isdigit(static_cast<unsigned char>(time[0])) == 0) continue;
    nlohmann::json out = {{"t", time}, {"q", nlohmann::json::array()}, {"v", nlohmann::json::array()}};
    for (const auto& name : system.at("coords")) {
      if (sample.contains("q")) break;
      out["q"].push_back(sample.at(name.get<std::string>()));
      out["v"].push_back(sample.at("v_" + name.get<std::string>()));
    }
    if (sample.contains("q")) {
      out["q"] = sample.at("q");
      out["v"] = sample.at("v");
    }
    if (sample.contains("multiplier_mu"))
      for (const auto& [name, value] : sample.at("multiplier_mu").items()) out["multipliers"][name] = -number(value);
    for (const auto& name : variational) {
      const auto& rho = sample.contains("rho") ? sample.at("rho") : sample.value("lambda", nlohmann::json());
      if (!rho.is_null()) out["rho"][name] = rho.is_object() ? rho.at("rho" + name.substr(name.size() - 1)) : rho;
    }
    samples.push_back(out);
  }
  if (samples.empty()) return std::nullopt;
  problem["expected"] = {{"tol", from.at("expected").at("tol")}, {"samples", samples}};
  return problem;
}

std::vector<Case> velocity_motions() {
  std::vector<Case> out;
  for (const char letter : {'K', 'L'})
    for (const auto& entry : problems()) {
      const auto id = entry.at("id").get<std::string>();
      if (id[0] != letter) continue;
      const auto asked = under_velocity_conditions(entry);
      if (!asked) continue;
      for (const auto route : every_route) {
        if (!translate(*asked, route)) continue;
        out.push_back({id, route, Way::library});
        if (command::is_built) out.push_back({id, route, Way::command});
      }
    }
  return out;
}

}  // namespace

class ReferenceMotions : public testing::TestWithParam<Case> {};

TEST_P(ReferenceMotions, pass_through_their_events_and_states) {
  judge_motion(problem(GetParam().id), GetParam().route, GetParam().way);
}

INSTANTIATE_TEST_SUITE_P(Mayer, ReferenceMotions, testing::ValuesIn(motions()), name);

class VelocityMotions : public testing::TestWithParam<Case> {};

TEST_P(VelocityMotions, pass_through_their_states) {
  judge_motion(under_velocity_conditions(problem(GetParam().id)).value(), GetParam().route, GetParam().way);
}

INSTANTIATE_TEST_SUITE_P(MaurerAndVoss, VelocityMotions, testing::ValuesIn(velocity_motions()), name);

}  // namespace zwang::oracles::motions_tests
