/// Motions beyond the reference file, in its shape: pendulums that go slack, gutters, restitution, releases of several
/// conditions at once, jams, velocity conditions that engage, contacts without shock, blows and seizures on the way, singular
/// ends, marginal and redundant conditions, moving ones, an explicit stop.
///
/// more_motions.json has 25 digits. The closed forms behind the second half stand in the notes of its problems; the others
/// come from an independent program with 40 digits (extrapolated midpoint rule of order 28 between events, roots by the
/// Illinois rule, active sets by enumeration), which reproduces the digits of the motions M02, M05, M14,
/// M17 and M23 of the reference file.
#include <cctype>
#include <fstream>

#include "oracles/cases.hpp"
#include "oracles/judge_motion.hpp"
#include "places.hpp"

namespace zwang::oracles::more_motions_tests {

namespace {

const nlohmann::json& more() {
  static const nlohmann::json all = [] {
    std::ifstream file(places::source("tests/oracles/more_motions.json"));
    if (!file) throw std::runtime_error("tests/oracles/more_motions.json is not there");
    return nlohmann::json::parse(file);
  }();
  return all;
}

std::vector<Case> more_cases() {
  std::vector<Case> out;
  for (const auto& entry : more())
    for (const auto route : every_route) {
      if (!translate(entry, route)) continue;
      const auto id = entry.at("id").get<std::string>();
      out.push_back({id, route, Way::library});
      if (command::is_built) out.push_back({id, route, Way::command});
    }
  return out;
}

std::string name_of(const testing::TestParamInfo<Case>& info) {
  std::string out = name(info);
  for (char& letter : out)
    if (std::isalnum(static_cast<unsigned char>(letter)) == 0) letter = '_';
  return out;
}

}  // namespace

class MoreMotions : public testing::TestWithParam<Case> {};

TEST_P(MoreMotions, pass_through_their_events_and_states) {
  for (const auto& entry : more())
    if (entry.at("id") == GetParam().id) judge_motion(entry, GetParam().route, GetParam().way);
}

INSTANTIATE_TEST_SUITE_P(Mayer, MoreMotions, testing::ValuesIn(more_cases()), name_of);

}  // namespace zwang::oracles::more_motions_tests
