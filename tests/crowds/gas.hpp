/// Models of gases for the tests of crowds, and both ways to follow them.
#pragma once

#include <fmt/format.h>

#include <string>
#include <vector>

#include "zwang/crowds/crowd.hpp"
#include "zwang/crowds/track.hpp"
#include "zwang/model/part.hpp"
#include "zwang/model/read.hpp"
#include "zwang/motion/track.hpp"

namespace zwang::crowds {

struct Gas {
  unsigned count = 25;
  unsigned side = 5;     ///< members of a line of the lattice they start from
  double spacing = 1.6;  ///< of the lattice, in diameters
  double restitution = 1;
  double gravity = 0;
  double until = 3;
  unsigned seed = 1;
  bool space = false;  ///< three dimensions
};

inline std::string text_of(const Gas& gas) {
  const double width = gas.side * gas.spacing;
  const unsigned lines = (gas.count + gas.side - 1) / gas.side;
  std::string out =
      fmt::format("gravity = [0, {}{}]\n[parameters]\nn = {}\nm = {}\nw = {}\nh = {}\ns = {}\n", -gas.gravity,
                  gas.space ? ", 0" : "", gas.count, gas.side, width, lines * gas.spacing, gas.spacing);
  out += "[points.b]\ncount = \"n\"\nmass = \"1 + 0.5*sin(i)\"\n";
  out += "position = [\"s*(i - 0.5 - m*floor((i - 1)/m))\", \"s*(floor((i - 1)/m) + 0.5)\"";
  out += gas.space ? ", \"0.1*sin(3*i)\"]\n" : "]\n";
  out += fmt::format("velocity = [\"sin({0}*i*i + i)\", \"cos(11*i*i + {0})\"", gas.seed + 6);
  out += gas.space ? ", \"sin(5*i)\"]\n" : "]\n";
  out += "[constraints]\n";
  out += fmt::format(
      "apart = {{ for = \"i = 1..n, j = i+1..n\", condition = \"distance(b[i], b[j]) >= 1\", restitution = {} }}\n",
      gas.restitution);
  const auto wall = [&](const char* name, const std::string& condition) {
    out += fmt::format("{} = {{ for = \"i = 1..n\", condition = \"{}\", restitution = {} }}\n", name, condition,
                       gas.restitution);
  };
  wall("left", "b[i].x >= 0");
  wall("right", "b[i].x <= w");
  wall("low", "b[i].y >= 0");
  wall("high", "b[i].y <= h");
  if (gas.space) {
    wall("back", "b[i].z >= -1");
    wall("front", "b[i].z <= 1.5");
  }
  out += fmt::format("[simulation]\nuntil = {}\n", gas.until);
  return out;
}

struct Told {
  model::Model model;
  std::vector<motion::Event> events;
  motion::Account account;
  Track track;  ///< of a crowd
};

inline Told as_crowd(const std::string& text) {
  Told out;
  const model::Model left = model::load(text, "gas.toml", {}, model::Pairs::left);
  Crowd crowd(left);
  follow(left, crowd, out.track);
  out.track.sampling = {left.simulation.start, left.simulation.until, left.simulation.samples};
  out.model = model::with_met(left, out.track.met);
  out.events = out.track.events;
  out.account = out.track.account;
  return out;
}

inline Told as_one(const std::string& text) {
  Told out;
  out.model = model::load(text, "gas.toml");
  motion::Motion motion = motion::begin(out.model);
  motion::Track track;
  motion::follow(out.model, motion, track);
  out.events = track.events;
  out.account = track.account;
  return out;
}

}  // namespace zwang::crowds
