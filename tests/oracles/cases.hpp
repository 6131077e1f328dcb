/// Which reference problems are asked in which way: every problem of a letter, on every route that can express it.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "command/call.hpp"
#include "oracles/judge.hpp"

namespace zwang::oracles {

struct Case {
  std::string id;
  Route route = Route::coordinates;
  Way way = Way::library;
};

inline std::vector<Case> cases(char letter) {
  std::vector<Case> out;
  for (const auto& entry : problems()) {
    const auto id = entry.at("id").get<std::string>();
    if (id[0] != letter) continue;
    for (const auto route : every_route) {
      if (!translate(entry, route)) continue;
      out.push_back({id, route, Way::library});
      if (command::is_built) out.push_back({id, route, Way::command});
    }
  }
  return out;
}

inline std::string name(const testing::TestParamInfo<Case>& info) {
  return info.param.id + "_" + words(info.param.route) + "_" + words(info.param.way);
}
inline void PrintTo(const Case& which, std::ostream* out) {
  *out << which.id << ", " << words(which.route) << ", " << words(which.way);
}

}  // namespace zwang::oracles
