/// Looks for linked bodies: by the values of their energies and of the rows that join them.
#include "zwang/motion/links_find.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "zwang/model/bodies.hpp"
#include "zwang/motion/lane.hpp"

namespace zwang::motion {

namespace {

/// Values of two energies agree to this part of themselves: some dozens of roundings, and far from any other formula.
constexpr double same_energy = 1e-12;

/// Components of directions of length 1 agree to this: a few roundings of them.
constexpr double same_direction = 1e-13;

/// T of section 23.2.
double turning_energy(const Links::Body& body, const double* e, const double* rate) {
  const double s = e[0] * e[0] + e[1] * e[1] + e[2] * e[2] + e[3] * e[3];
  const double along = e[0] * rate[0] + e[1] * rate[1] + e[2] * rate[2] + e[3] * rate[3];
  const double by = 2 * (2 - s);
  const std::array<double, 3> w = {
      by * (e[0] * rate[1] - e[1] * rate[0] + e[3] * rate[2] - e[2] * rate[3]),
      by * (e[0] * rate[2] - e[2] * rate[0] + e[1] * rate[3] - e[3] * rate[1]),
      by * (e[0] * rate[3] - e[3] * rate[0] + e[2] * rate[1] - e[1] * rate[2]),
  };
  double out = 0.5 * body.stretching * along * along;
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t k = 0; k < 3; ++k) out += 0.5 * body.inertia.at(3 * i + k) * w.at(i) * w.at(k);
  }
  return out;
}

/// Is the sum of these terms that energy, at some places and speeds?
bool has_turning_energy(const model::Model& model, const Turner& turner) {
  // Of no direction, and of none of each other's; the lengths are not 1, so that all of the formula shows.
  constexpr std::array<std::array<double, 8>, 3> looks = {{{0.5, 0.25, -0.75, 0.375, 1, -0.5, 0.25, 0.125},
                                                           {-0.125, 0.875, 0.25, 0.5, -0.75, 1.5, 0.375, -1},
                                                           {0.75, -0.5, 0.125, -0.25, 0.5, 0.25, -1.25, 0.875}}};
  std::vector<double> position(2 * model.variables, 0.0);
  std::vector<double> velocity(model.variables, 0.0);
  std::vector<double> registers;
  for (const std::array<double, 8>& look : looks) {
    const std::size_t at = turner.body.first + 3;
    std::copy_n(look.begin(), 4, position.begin() + static_cast<std::ptrdiff_t>(at));
    std::copy_n(look.begin() + 4, 4, velocity.begin() + static_cast<std::ptrdiff_t>(at));
    double sum = 0;
    for (const auto& [group, lane] : turner.terms) {
      const model::TermGroup& term = model.terms[group];
      Along along;
      along.position = position.data();
      along.velocity = velocity.data();
      along.n = model.variables;
      along.known = 1;
      run_lane(along, term, term.tape, lane, registers);
      sum += registers[std::size_t{term.tape.outputs[0]} * 2];
    }
    const double wanted = turning_energy(turner.body, look.data(), look.data() + 4);
    if (!(std::abs(sum - wanted) <= same_energy * wanted)) return false;
  }
  return true;
}

std::vector<Turner> all_turners(const model::Model& model) {
  std::vector<Turner> out;
  for (std::size_t b = 0; b < model.bodies.size(); ++b) {
    const model::Body& body = model.bodies[b];
    if (!body.turns()) continue;
    for (std::uint32_t member = 0; member < body.members(); ++member) {
      Turner turner;
      turner.body.first = body.first + member * body.dimension;
      std::array<double, 9>& m = turner.body.inertia;
      for (std::size_t i = 0; i < 3; ++i) {
        for (std::size_t k = 0; k < 3; ++k) {
          const double* own = model.rigids[b].inertia.data() + 9 * std::size_t{member};
          m.at(3 * i + k) = (own[3 * i + k] + own[3 * k + i]) / 2;
        }
      }
      turner.body.stretching = 4.0 / 3 * (m[0] + m[4] + m[8]);
      out.push_back(turner);
    }
  }
  return out;
}

using Four = std::array<double, 4>;
using Three = std::array<double, 3>;

Four multiplied(const Four& a, const Four& b) {
  return {a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3], a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
          a[0] * b[2] + a[2] * b[0] + a[3] * b[1] - a[1] * b[3], a[0] * b[3] + a[3] * b[0] + a[1] * b[2] - a[2] * b[1]};
}

/// f of one row where all places are zero but `variable`, which is 1, and quaternions are 1 or as given.
class RowSample {
 public:
  explicit RowSample(const model::Model& model) : model_(model), position_(2 * std::size_t{model.variables}, 0.0) {
    velocity_.assign(model.variables, 0.0);
  }
  void stand(const Links::End& end, const std::vector<Turner>& turners, const Four& e) {
    if (end.body == Links::none) return;
    std::copy(e.begin(), e.end(), position_.begin() + turners[end.body].body.first + 3);
  }
  void put(std::uint32_t variable, double x) { position_[variable] = x; }
  double value(std::uint32_t row) {
    const model::RowGroup& group = model_.groups[model_.row_group[row]];
    Along along;
    along.position = position_.data();
    along.velocity = velocity_.data();
    along.n = model_.variables;
    along.known = 1;
    run_lane(along, group, group.tape, model_.row_lane[row], registers_);
    return registers_[std::size_t{group.tape.outputs[0]} * 2];
  }

 private:
  const model::Model& model_;
  std::vector<double> position_, velocity_, registers_;
};

/// a b^T of a row a.b, a fixed in the axes of the first and b in those of the second: from its values for the twelve turns that carry the axes into each other.
std::array<double, 9> outer_product(RowSample& sample, const Links::Joint& joint, const std::vector<Turner>& turners,
                                    std::uint32_t row) {
  constexpr Four still = {1, 0, 0, 0};
  constexpr std::array<Four, 3> cyclic = {{{1, 0, 0, 0}, {0.5, 0.5, 0.5, 0.5}, {-0.5, 0.5, 0.5, 0.5}}};
  std::array<double, 9> out{};
  for (std::size_t c = 0; c < 3; ++c) {
    // x to component c, and so on; before that half a turn about an axis, which leaves it and turns the others round.
    std::array<double, 4> value{};
    for (std::size_t h = 0; h < 4; ++h) {
      Four half{};
      half.at(h) = 1;
      Four e = multiplied(cyclic.at(c), half);
      const bool second = joint.second.body != Links::none;
      sample.stand(joint.first, turners, still);
      if (!second) e = {e[0], -e[1], -e[2], -e[3]};
      sample.stand(second ? joint.second : joint.first, turners, e);
      value.at(h) = sample.value(row);
    }
    for (std::size_t b = 0; b < 3; ++b) out.at(3 * ((b + c) % 3) + b) = (value[0] + value.at(b + 1)) / 2;
  }
  sample.stand(joint.first, turners, still);
  sample.stand(joint.second, turners, still);
  return out;
}

Three turned_by(const Links::End& end, const std::vector<Turner>& turners, std::span<const double> position,
                const Three& r) {
  if (end.body == Links::none) return r;
  return model::turned(position.subspan(turners[end.body].body.first + 3, 4), r);
}
Three crossed(const Three& a, const Three& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
double inner(const Three& a, const Three& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
Three in_length(const Three& a, double by) { return {a[0] * by, a[1] * by, a[2] * by}; }

/// p, q, the axis of the second and what stands across it, from the two rows of a hinge. False: they are none.
bool find_directions(RowSample& sample, const std::vector<Turner>& turners, std::span<const double> position,
                     const model::Joint& joint, Links::Joint& one) {
  const std::array<double, 9> by_p = outer_product(sample, one, turners, joint.first_row + 3);
  const std::array<double, 9> by_q = outer_product(sample, one, turners, joint.first_row + 4);
  // The axis is the longest row of either matrix, made as long as 1.
  Three axis{};
  for (const std::array<double, 9>* m : {&by_p, &by_q}) {
    for (std::size_t i = 0; i < 3; ++i) {
      const Three row = {m->at(3 * i), m->at(3 * i + 1), m->at(3 * i + 2)};
      if (inner(row, row) > inner(axis, axis)) axis = row;
    }
  }
  if (!(inner(axis, axis) > 0)) return false;
  axis = in_length(axis, 1 / std::sqrt(inner(axis, axis)));
  const auto times = [&](const std::array<double, 9>& m) {
    Three out{};
    for (std::size_t i = 0; i < 3; ++i) out.at(i) = inner({m.at(3 * i), m.at(3 * i + 1), m.at(3 * i + 2)}, axis);
    return out;
  };
  Three p = times(by_p);
  Three q = times(by_q);
  // Its sign is that of the first one's, p x q, where they stand.
  if (inner(turned_by(one.first, turners, position, crossed(p, q)), turned_by(one.second, turners, position, axis)) <
      0) {
    axis = in_length(axis, -1);
    p = in_length(p, -1);
    q = in_length(q, -1);
  }
  const auto is = [](double x, double y) { return std::abs(x - y) <= same_direction; };
  if (!is(inner(p, p), 1) || !is(inner(q, q), 1) || !is(inner(p, q), 0)) return false;
  for (std::size_t i = 0; i < 9; ++i) {
    if (!is(by_p.at(i), p.at(i / 3) * axis.at(i % 3)) || !is(by_q.at(i), q.at(i / 3) * axis.at(i % 3))) return false;
  }
  std::size_t least = 0;
  for (std::size_t c = 1; c < 3; ++c) {
    if (std::abs(axis.at(c)) < std::abs(axis.at(least))) least = c;
  }
  Three unit{};
  unit.at(least) = 1;
  Three other = crossed(axis, unit);
  other = in_length(other, 1 / std::sqrt(inner(other, other)));
  double* to = one.directions.data();
  for (const Three& direction : {p, q, axis, other, crossed(axis, other)})
    to = std::copy(direction.begin(), direction.end(), to);
  return true;
}

/// Are the first three rows those of a joint, second = first, and is nothing else in them?
bool joins(RowSample& sample, const model::Model& model, const model::Joint& joint) {
  for (std::uint32_t c = 0; c < 3; ++c) {
    for (const model::Partner* partner : {&joint.first, &joint.second}) {
      if (partner->body >= model.bodies.size()) continue;
      const model::Body& body = model.bodies[partner->body];
      const std::uint32_t variable = body.first + partner->member * body.dimension + c;
      const double before = sample.value(joint.first_row + c);
      sample.put(variable, 1);
      const double change = sample.value(joint.first_row + c) - before;
      sample.put(variable, 0);
      if (std::abs(change - (partner == &joint.second ? 1 : -1)) > same_direction) return false;
    }
  }
  return true;
}

std::vector<std::uint32_t> turners_of(const model::Model& model, const std::vector<Turner>& turners) {
  std::vector<std::uint32_t> out(model.variables, Links::none);
  for (std::uint32_t t = 0; t < turners.size(); ++t) {
    for (std::uint32_t c = 0; c < 4; ++c) out[turners[t].body.first + 3 + c] = t;
  }
  return out;
}

/// The place of an end of a joint: false if it is none that links know.
bool find_end(const model::Model& model, const model::Partner& partner, const std::vector<std::uint32_t>& turner_of,
              Links::End& end) {
  if (partner.body >= model.bodies.size()) return true;
  const model::Body& body = model.bodies[partner.body];
  if (body.kind == model::BodyKind::point) return body.dimension == 3;
  if (!body.turns() || partner.at.size() != 3) return false;
  end.body = turner_of[body.first + partner.member * body.dimension + 3];
  if (end.body == Links::none) return false;
  std::copy_n(partner.at.begin(), 3, end.arm.begin());
  return true;
}

}  // namespace

std::vector<Turner> find_turners(const model::Model& model) {
  std::vector<Turner> all = all_turners(model);
  if (all.empty() || model.flow) return {};
  const std::vector<std::uint32_t> turner_of = turners_of(model, all);
  std::vector<std::uint8_t> fits(all.size(), 1);
  for (const model::Slender& one : model.slender) fits[turner_of[one.first + 3]] = 0;
  for (std::uint32_t g = 0; g < model.terms.size(); ++g) {
    const model::TermGroup& group = model.terms[g];
    for (std::uint32_t lane = 0; lane < group.lanes; ++lane) {
      // What a term is about: one quaternion alone, or several things.
      std::vector<std::uint32_t> about;
      for (const std::vector<std::uint32_t>* list : {&group.position_of, &group.velocity_of, &group.target_of}) {
        for (std::size_t at = lane; at < list->size(); at += group.lanes) about.push_back(turner_of[(*list)[at]]);
      }
      std::sort(about.begin(), about.end());
      about.erase(std::unique(about.begin(), about.end()), about.end());
      const bool alone = about.size() == 1 && group.kind == model::TermKind::kinetic && group.modes == 0;
      for (const std::uint32_t t : about) {
        if (t == Links::none) continue;
        if (alone) {
          all[t].terms.emplace_back(g, lane);
        } else {
          fits[t] = 0;
        }
      }
    }
  }
  std::vector<Turner> out;
  for (std::size_t t = 0; t < all.size(); ++t) {
    if (fits[t] != 0 && has_turning_energy(model, all[t])) out.push_back(std::move(all[t]));
  }
  return out;
}

std::vector<Links::Joint> find_joints(const model::Model& model, const std::vector<Turner>& turners) {
  std::vector<Links::Joint> out;
  if (turners.empty() || model.joints.empty()) return out;
  const std::vector<std::uint32_t> turner_of = turners_of(model, turners);
  RowSample sample(model);
  for (const Turner& turner : turners) sample.put(turner.body.first + 3, 1);
  for (const model::Joint& joint : model.joints) {
    Links::Joint one;
    one.hinge = joint.kind == "hinge";
    if ((joint.kind != "ball" && !one.hinge) || joint.rows < one.rows()) continue;
    if (!find_end(model, joint.first, turner_of, one.first) || !find_end(model, joint.second, turner_of, one.second) ||
        (one.first.body == Links::none && one.second.body == Links::none)) {
      continue;
    }
    if (!joins(sample, model, joint)) continue;
    if (one.hinge && !find_directions(sample, turners, model.initial_position, joint, one)) continue;
    for (std::uint32_t c = 0; c < one.rows(); ++c) one.row.at(c) = joint.first_row + c;
    out.push_back(one);
  }
  return out;
}

FoundLinks find_links(const model::Model& model, const std::vector<Turner>& turners,
                      const std::vector<Links::Joint>& joints, std::span<const HeldRow> held) {
  FoundLinks out;
  if (joints.empty()) return out;
  const std::vector<std::uint32_t> turner_of = turners_of(model, turners);
  std::vector<std::uint32_t> number(model.rows(), Links::none);
  for (std::uint32_t j = 0; j < held.size(); ++j) number[held[j].row] = j;
  for (Links::Joint one : joints) {
    bool all = true;
    for (std::uint32_t c = 0; c < one.rows(); ++c) {
      one.row.at(c) = number[one.row.at(c)];
      all = all && one.row.at(c) != Links::none;
    }
    if (all) out.joints.push_back(one);
  }
  // A row of another kind on a quaternion keeps its body out, and with it the joints that hold it; whose rows are then of another kind.
  std::vector<std::uint8_t> in(turners.size(), 1);
  for (bool changed = true; changed;) {
    changed = false;
    std::vector<std::uint8_t> linked(held.size(), 0);
    for (const Links::Joint& joint : out.joints) {
      for (std::size_t c = 0; c < joint.rows(); ++c) linked[joint.row.at(c)] = 1;
    }
    for (std::size_t j = 0; j < held.size(); ++j) {
      if (linked[j] != 0) continue;
      for (std::uint32_t e = model.row_start[held[j].row]; e < model.row_start[held[j].row + 1]; ++e) {
        const std::uint32_t t = turner_of[model.row_column[e]];
        if (t != Links::none && in[t] != 0) {
          in[t] = 0;
          changed = true;
        }
      }
    }
    const auto is_out = [&](const Links::End& end) { return end.body != Links::none && in[end.body] == 0; };
    const auto gone = std::remove_if(out.joints.begin(), out.joints.end(), [&](const Links::Joint& joint) {
      return is_out(joint.first) || is_out(joint.second);
    });
    changed = changed || gone != out.joints.end();
    out.joints.erase(gone, out.joints.end());
  }
  // Bodies that joints hold, numbered anew.
  std::vector<std::uint32_t> place(turners.size(), Links::none);
  for (const Links::Joint& joint : out.joints) {
    for (const Links::End* end : {&joint.first, &joint.second}) {
      if (end->body != Links::none) place[end->body] = 0;
    }
  }
  for (std::uint32_t t = 0; t < turners.size(); ++t) {
    if (place[t] == Links::none) continue;
    place[t] = static_cast<std::uint32_t>(out.bodies.size());
    out.turners.push_back(t);
    out.bodies.push_back(turners[t].body);
  }
  for (Links::Joint& joint : out.joints) {
    for (Links::End* end : {&joint.first, &joint.second}) {
      if (end->body != Links::none) end->body = place[end->body];
    }
  }
  return out;
}

}  // namespace zwang::motion
