/// The equations of Newton and Euler as they are printed, read again by the language of the model: with the multipliers and accelerations that `accelerate`
/// finds put in for their names, every force, torque and derivative has its value, and the equations hold.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>

#include "places.hpp"
#include "zwang/base/number.hpp"
#include "zwang/instant/instant.hpp"
#include "zwang/model/bodies.hpp"
#include "zwang/model/evaluate.hpp"
#include "zwang/model/read.hpp"
#include "zwang/report/equations.hpp"
#include "zwang/report/equations_mathml.hpp"

namespace zwang::report::newton_euler_tests {
namespace {

using Json = nlohmann::json;
using expressions::Notation;

// Sums in another order, of terms as large as the largest.
constexpr double printed_rounding = 1e-11;

std::string gallery_text(const std::string& name) {
  std::ifstream file(places::source("gallery/" + name + "/model.toml"));
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string in_brackets(const std::vector<double>& values) {
  std::string out;
  for (const double value : values) out += (out.empty() ? "[" : ", ") + exact(value);
  return out + "]";
}

/// A model, what it does now, and the values of what is printed about it.
class Printed {
 public:
  explicit Printed(std::string text)
      : text_(std::move(text)),
        draft_(model::read(text_, "m.toml")),
        model_(model::compile(draft_)),
        state_(model::initial_state(model_)),
        now_(instant::accelerate(model_, state_)),
        json_(Json::parse(equations_of(Notation::text, draft_, model_, false, true))) {
    for (std::uint32_t row = 0; row < model_.rows(); ++row) {
      name("lambda_" + model::row_name(model_, row), exact(now_.multipliers[row]));
    }
    for (const model::Body& body : model_.bodies) {
      for (std::uint32_t member = 0; member < body.members(); ++member) name_body(body, member);
    }
  }

  void expect_equations_hold() {
    ASSERT_EQ(now_.status, instant::Status::determined) << text_;
    ASSERT_EQ(json_.at("form"), "newton-euler");
    for (const model::Body& body : model_.bodies) {
      for (std::uint32_t member = 0; member < body.members(); ++member) expect_newton(body, member);
    }
    for (std::uint32_t row = 0; row < model_.rows(); ++row) expect_row(row);
    evaluate();
  }

  [[nodiscard]] const Json& json() const { return json_; }

 private:
  void name(const std::string& word, const std::string& value) { words_.emplace_back(word, "(" + value + ")"); }

  [[nodiscard]] std::vector<double> shown(const model::Body& body, std::uint32_t member,
                                          const std::vector<double>& values) const {
    return model::shown(body, member, model::Sort::velocity, state_.position, values);
  }

  void name_body(const model::Body& body, std::uint32_t member) {
    const std::string whole = model::member_name(body, member);
    const std::uint32_t d = body.place();
    const std::vector<double> a = shown(body, member, now_.accelerations);
    const std::vector<double> v = shown(body, member, state_.velocity);
    const auto put = [&](const std::string& of, const std::vector<double>& values) {
      for (std::uint32_t c = 0; c < d; ++c) name(fmt::format("{}.{}''", of, "xyz"[c]), exact(values[c]));
      name(of + "''", in_brackets(values));
    };
    put(whole, {a.begin(), a.begin() + d});
    if (body.kind != model::BodyKind::rigid) return;
    const auto b = static_cast<std::size_t>(&body - model_.bodies.data());
    if (d == 2) {
      name(whole + ".spin'", exact(a[2]));
      for (const model::Mark& mark : model_.rigids[b].marks) {
        const double angle = state_.position[body.first + member * 3 + 2];
        const double x = std::cos(angle) * mark.at[2 * member] - std::sin(angle) * mark.at[2 * member + 1];
        const double y = std::sin(angle) * mark.at[2 * member] + std::cos(angle) * mark.at[2 * member + 1];
        put(whole + "." + mark.name, {a[0] - a[2] * y - v[2] * v[2] * x, a[1] + a[2] * x - v[2] * v[2] * y});
      }
      return;
    }
    const std::array<double, 3> w = {v[3], v[4], v[5]};
    const std::array<double, 3> rate = {a[3], a[4], a[5]};
    name(whole + ".spin'", in_brackets({rate.begin(), rate.end()}));
    for (std::uint32_t c = 0; c < 3; ++c) {
      name(fmt::format("w_{}.{}'", whole, "xyz"[c]), exact(dot(rate, axis(body, member, c))));
      name(fmt::format("w_{}.{}", whole, "xyz"[c]), exact(dot(w, axis(body, member, c))));
    }
    for (const model::Mark& mark : model_.rigids[b].marks) {
      std::array<double, 3> arm{};
      for (std::uint32_t c = 0; c < 3; ++c) {
        for (std::size_t k = 0; k < 3; ++k) arm.at(k) += mark.at[3 * member + c] * axis(body, member, c).at(k);
      }
      const std::array<double, 3> one = cross(rate, arm);
      const std::array<double, 3> two = cross(w, cross(w, arm));
      put(whole + "." + mark.name, {a[0] + one[0] + two[0], a[1] + one[1] + two[1], a[2] + one[2] + two[2]});
    }
  }

  [[nodiscard]] std::array<double, 3> axis(const model::Body& body, std::uint32_t member, std::uint32_t c) const {
    std::array<double, 3> own{};
    own.at(c) = 1;
    return model::turned(std::span(state_.position).subspan(body.first + member * 7 + 3, 4), own);
  }
  static double dot(const std::array<double, 3>& a, const std::array<double, 3>& b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
  }
  static std::array<double, 3> cross(const std::array<double, 3>& a, const std::array<double, 3>& b) {
    return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
  }

  /// The text with numbers for what the language has no word for, longest names first.
  [[nodiscard]] std::string with_numbers(std::string text) {
    std::stable_sort(words_.begin(), words_.end(),
                     [](const auto& a, const auto& b) { return a.first.size() > b.first.size(); });
    for (const auto& [word, value] : words_) {
      for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at)) {
        const bool begins = at == 0 || (std::isalnum(static_cast<unsigned char>(text[at - 1])) == 0 &&
                                        text[at - 1] != '_' && text[at - 1] != '.');
        const char next = at + word.size() < text.size() ? text[at + word.size()] : ' ';
        if (!begins || std::isalnum(static_cast<unsigned char>(next)) != 0 || next == '_') {
          at += word.size();
          continue;
        }
        text.replace(at, word.size(), value);
        at += value.size();
      }
    }
    return text;
  }

  /// Adds the value of a text to be compared with a number.
  void ask(const std::string& text, double truth, const std::string& what) {
    asked_.push_back({with_numbers(text), truth, what});
  }
  /// Terms of an equation along a direction, as one sum.
  static std::string along(const Json& terms, const std::string& direction) {
    std::string sum = "0";
    for (const auto& [name, value] : terms.items())
      sum += fmt::format(" + dot({}, {})", value.get<std::string>(), direction);
    return sum;
  }

  [[nodiscard]] const Json& equation(const std::string& of) const {
    for (const Json& one : json_.at("equations")) {
      if (one.at("of") == of) return one;
    }
    throw std::out_of_range("no equation of " + of);
  }

  void expect_newton(const model::Body& body, std::uint32_t member) {
    const std::string whole = model::member_name(body, member);
    const std::vector<double> a = shown(body, member, now_.accelerations);
    const double mass = model_.point_mass[body.first + member * body.dimension];
    const std::uint32_t d = body.place();
    for (std::uint32_t c = 0; c < d; ++c) {
      std::vector<double> unit(d, 0.0);
      unit[c] = 1;
      ask(along(equation(whole).at("terms"), in_brackets(unit)), mass * a[c], "force on " + whole);
      ask(fmt::format("dot({}, {})", equation(whole).at("left").get<std::string>(), in_brackets(unit)), mass * a[c],
          "left side of " + whole);
    }
    if (body.kind != model::BodyKind::rigid) return;
    const auto b = static_cast<std::size_t>(&body - model_.bodies.data());
    const Json& turning = equation(whole + ".spin");
    if (d == 2) {
      std::string sum = "0";
      for (const auto& [name, value] : turning.at("terms").items()) sum += " + (" + value.get<std::string>() + ")";
      ask(sum, model_.rigids[b].inertia[member] * a[2], "torque on " + whole);
      ask(turning.at("left"), model_.rigids[b].inertia[member] * a[2], "spin of " + whole);
      return;
    }
    // Euler's equations in the body's axes, from the inertia itself.
    const std::vector<double> v = shown(body, member, state_.velocity);
    const double* inertia = &model_.rigids[b].inertia[9 * std::size_t{member}];
    std::array<double, 3> w{};
    std::array<double, 3> rate{};
    for (std::uint32_t c = 0; c < 3; ++c) {
      w.at(c) = dot({v[3], v[4], v[5]}, axis(body, member, c));
      rate.at(c) = dot({a[3], a[4], a[5]}, axis(body, member, c));
    }
    const auto times = [&](const std::array<double, 3>& u) {
      std::array<double, 3> out{};
      for (std::size_t i = 0; i < 3; ++i) {
        for (std::size_t k = 0; k < 3; ++k) out.at(i) += inertia[3 * i + k] * u.at(k);
      }
      return out;
    };
    const std::array<double, 3> gyre = cross(w, times(w));
    for (std::uint32_t c = 0; c < 3; ++c) {
      const double truth = times(rate).at(c) + gyre.at(c);
      const std::array<double, 3> own = axis(body, member, c);
      ask(along(turning.at("terms"), in_brackets({own.begin(), own.end()})), truth, "torque on " + whole);
      ask(turning.at("components").at(c), truth, "Euler's left side of " + whole);
    }
  }

  void expect_row(std::uint32_t row) {
    const Json& condition = json_.at("conditions").at(model::row_name(model_, row));
    if (!condition.contains("f")) return;
    const bool holonomic = is_holonomic(model_.row_kind[row]);
    ask(condition.at("f"), holonomic ? now_.value[row] : now_.rate[row], "f of " + model::row_name(model_, row));
    if (holonomic) ask(condition.at("first"), now_.rate[row], "f' of " + model::row_name(model_, row));
    if (now_.is_effective(row)) {
      ask(condition.at(holonomic ? "second" : "first"), now_.second[row], "f'' of " + model::row_name(model_, row));
    }
  }

  void evaluate() {
    std::string outputs;
    for (std::size_t k = 0; k < asked_.size(); ++k) outputs += fmt::format("asked_{} = \"{}\"\n", k, asked_[k].text);
    std::string text = text_;
    const std::string_view table = "[outputs]\n";
    const std::size_t place = text.find(table);
    if (place == std::string::npos) {
      text += "\n[outputs]\n" + outputs;
    } else {
      text.insert(place + table.size(), outputs);
    }
    const model::Model again = model::load(text, "again.toml");
    for (std::size_t k = 0; k < asked_.size(); ++k) {
      const double found = model::observe(again.outputs[k], state_);
      largest_ = std::max(largest_, std::abs(asked_[k].truth));
      EXPECT_NEAR(found, asked_[k].truth, printed_rounding * (1 + largest_)) << asked_[k].what << "\n"
                                                                             << asked_[k].text;
    }
  }

  struct Asked {
    std::string text;
    double truth;
    std::string what;
  };
  std::string text_;
  model::Draft draft_;
  model::Model model_;
  model::State state_;
  instant::Instant now_;
  Json json_;
  std::vector<std::pair<std::string, std::string>> words_;
  std::vector<Asked> asked_;
  double largest_ = 0;
};

TEST(NewtonEuler, what_is_printed_about_bodies_of_the_gallery_holds) {
  for (const char* name : {"lagrange-top", "double-pendulum-of-bars", "cardan-shaft", "governor-of-bodies",
                           "rods-on-a-spindle", "andrews-of-bodies", "disc-in-a-drum", "jacobi-top"}) {
    SCOPED_TRACE(name);
    Printed(gallery_text(name)).expect_equations_hold();
  }
}

TEST(NewtonEuler, springs_forces_strings_and_points_have_their_names) {
  Printed printed(R"toml(gravity = [0, 0, "-g"]
[parameters]
g = 9.5
k = [0.1, 0.2, 0.3]
[bodies.box]
mass = 2
inertia = [[0.4, 0.02, 0.01], [0.02, 0.5, 0.03], [0.01, 0.03, 0.6]]
position = [0.1, 0.2, 1]
orientation = { axis = [1, 2, 3], angle = 0.7 }
velocity = [0.3, -0.2, 0.1]
spin = [1, 2, -1.5]
force = ["-0.3*box.x'", "sin(t)", 1]
torque = ["0.1*box.spin.y", 0, "-k.z"]
[bodies.box.marks]
corner = [0.5, 0.25, 0.1]
hook = [-0.5, 0, 0.2]
[points.a]
mass = 0.5
position = [2, 1, 1]
velocity = [0, 1, 0]
[springs]
s = { between = ["a", "box.corner"], length = 1.0, stiffness = 30, damping = 0.5 }
rope = { between = [[0, 0, 3], "box.hook"], length = 0.5, stiffness = 20, damping = 0.2, only = "pull" }
[energy]
potential = "0.5*dot(axis(box, [0, 1, 0]), k)^2 + box.hook.x*a.y"
[constraints]
roof = "box.z <= 7"
)toml");
  printed.expect_equations_hold();
  const Json& terms = printed.json().at("equations").at(0).at("terms");
  for (const char* name : {"gravity", "force", "s", "s damper", "rope", "rope damper", "potential"})
    EXPECT_TRUE(terms.contains(name)) << name;
  EXPECT_TRUE(printed.json().at("equations").at(1).at("terms").contains("torque"));
  EXPECT_EQ(terms.at("s"), "30*(norm(a - box.corner) - 1)/norm(a - box.corner)*(a - box.corner)");
  EXPECT_EQ(printed.json().at("equations").at(1).at("terms").at("s"),
            "cross(box.corner - box, 30*(norm(a - box.corner) - 1)/norm(a - box.corner)*(a - box.corner))");
}

TEST(NewtonEuler, in_the_plane_turning_is_one_equation) {
  Printed(R"toml(gravity = [0, -10]
[bodies.upper]
mass = 1
shape = { rod = 1 }
position = [0.5, 0]
velocity = [0, 0.5]
spin = 1
[bodies.upper.marks]
start = [-0.5, 0]
end = [0.5, 0]
[bodies.lower]
mass = 2
shape = { box = [1, 0.2] }
position = [1, 0.5]
orientation = "pi/2"
velocity = [-1, 1]
spin = 2
torque = "-0.1*lower.spin"
[bodies.lower.marks]
start = [-0.5, 0]
tip = [0.5, 0.1]
[joints]
shoulder = { hinge = [[0, 0], "upper.start"], limits = [-1, 1] }
elbow = { hinge = ["upper.end", "lower.start"] }
[springs]
torsion = { on = "elbow", angle = 0.2, stiffness = 5, damping = 0.1 }
line = { between = ["lower.tip", [3, 3]], length = 1, stiffness = 4, damping = 0.3 }
)toml")
      .expect_equations_hold();
}

TEST(NewtonEuler, rolling_and_gears_act_by_what_they_say_of_velocities) {
  Printed(R"toml(gravity = [0, 0, -10]
[bodies.w]
mass = 1
shape = { cylinder = [0.5, 0.1] }
position = [0, 0, "0.5*sin(1.2) + 0*0.05"]
orientation = { axis = [1, 0, 0], angle = 1.2 }
[joints]
r = { rolling = "w", on = { normal = [0, 0, 1] } }
)toml")
      .expect_equations_hold();
  Printed(R"toml([bodies.a]
mass = 1
inertia = [1, 2, 3]
position = [0, 0, 0]
spin = [0, 0, 1]
torque = [0, 0, 1]
[bodies.b]
mass = 1
inertia = [2, 3, 5]
position = [3, 0, 0]
spin = [0, 0, -2]
[joints]
p = { hinge = [[0, 0, 0], "a"], axis = [0, 0, 1] }
q = { hinge = [[3, 0, 0], "b"], axis = [0, 0, 1] }
g = { gear = ["a", "b"], ratio = -2 }
)toml")
      .expect_equations_hold();
}

TEST(NewtonEuler, no_component_of_a_quaternion_is_written) {
  for (const std::string name : {"lagrange-top", "box-on-its-corner", "smooth-coin", "spring-gun", "cradle-of-balls",
                                 "rods-on-a-spindle", "disc-in-a-drum"}) {
    const model::Draft draft = model::read(gallery_text(name), "m.toml");
    const model::Model model = model::compile(draft);
    for (const Notation notation : {Notation::text, Notation::latex}) {
      const std::string written = equations_of(notation, draft, model, false, false);
      for (const char* component : {".qw", ".qx", "qw_", "qx_", "{qw}"}) {
        EXPECT_EQ(written.find(component), std::string::npos) << name << " " << component;
      }
    }
    EXPECT_EQ(equations_mathml(model).find("qw"), std::string::npos) << name;
  }
}

}  // namespace
}  // namespace zwang::report::newton_euler_tests
