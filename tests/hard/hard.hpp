/// Hard models: classes of motions that break engines, each with a generator, an answer from another route and a judge.
///
/// A case is one or several model files that one seed gives, with what must hold of their runs: every condition, evaluated
/// here in plain arithmetic at every sample, and the truth of a closed form, a law of conservation, a slow integrator or the
/// same model said differently. The verdict on a run:
///
///   right    it finished, and nothing that was checked is broken;
///   refused  it ended before the end with a sentence, and what it said up to there is right;
///   wrong    something it said is not so, it did not come back in time, or it broke down.
#pragma once

#include <cstdint>
#include <functional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "zwang/motion/advance.hpp"

namespace zwang::hard {

using Real = long double;

/// One moment of a run. `multipliers` has one entry per row of the model, not a number where the row is not held.
struct Sample {
  double time = 0;
  std::vector<double> q;
  std::vector<double> v;
  std::vector<double> multipliers;
};

struct Mark {
  double time = 0;
  std::string kind;
  std::vector<std::uint32_t> rows;
};

/// What a run told, to its end.
struct Track {
  motion::Status status = motion::Status::going;
  std::string why;             ///< the sentence of an end that is no plain finish
  bool limited = false;        ///< ended by the limit on pieces, not by itself
  std::vector<Sample> asked;   ///< at the times asked for, as far as it came
  std::vector<Sample> inside;  ///< a few within every piece, and its end
  std::vector<Mark> events;
  Sample last;
  motion::EnergyBalance energy;
  std::uint64_t steps = 0;
  [[nodiscard]] bool finished() const { return status == motion::Status::finished; }
};

/// A condition in plain arithmetic: f <= allowed, or |f| <= allowed.
struct Plain {
  std::string name;
  bool equation = false;
  Real allowed = 0;
  std::function<Real(const Sample&)> f;
};

/// How a right run ends.
enum class Ending : std::uint8_t {
  finishes,
  either,   ///< both are right, `check` says the rest
  is_told,  ///< the motion itself ends before: any end but `finished`, with a sentence that `check` accepts
};

struct Case {
  std::vector<std::string> texts;
  std::vector<double> at;                  ///< sample times, ascending; of all texts unless `at_of` says otherwise
  std::vector<std::vector<double>> at_of;  ///< per text
  std::vector<Plain> conditions;           ///< of the first text
  std::function<std::string(const std::vector<Track>&)> check;  ///< the first thing that is not so, or nothing
  Ending ending = Ending::finishes;
};

struct Class {
  std::string_view key;   ///< one word, for the command line and `not_yet.txt`
  std::string_view name;  ///< a sentence of mechanics
  Case (*make)(std::uint64_t seed);
  int quick = 20;                    ///< models in the tests
  int soak = 3000;                   ///< models in the long runs
  std::string_view may_refuse = {};  ///< the reason for which a run may be refused; empty: never
};

/// How a list of tests calls it.
inline void PrintTo(const Class& each, std::ostream* out) { *out << each.key; }

/// All of them, in the order of the files that follow.
[[nodiscard]] const std::vector<Class>& classes();
void add_smooth(std::vector<Class>& all);
void add_floors(std::vector<Class>& all);
void add_scales(std::vector<Class>& all);
void add_sameness(std::vector<Class>& all);
void add_linkages(std::vector<Class>& all);
void add_contacts(std::vector<Class>& all);
void add_endings(std::vector<Class>& all);
void add_switching(std::vector<Class>& all);
void add_swings(std::vector<Class>& all);
void add_roots(std::vector<Class>& all);
void add_ratios(std::vector<Class>& all);

enum class Verdict : std::uint8_t { right, refused, wrong };
[[nodiscard]] std::string_view words(Verdict verdict);

struct Finding {
  std::uint64_t seed = 0;
  Verdict verdict = Verdict::right;
  std::string line;  ///< of a run that is not right
  double seconds = 0;
};

/// The library's motion of a model file.
[[nodiscard]] Track follow(const std::string& text, const std::vector<double>& at);

/// One seed, in this process.
[[nodiscard]] Finding judge(const Class& kind, std::uint64_t seed);

/// Seeds first .. first + count - 1, in a process of its own that is started anew when a model breaks it or takes longer
/// than `limit` seconds; both are wrong.
[[nodiscard]] std::vector<Finding> judge_all(const Class& kind, std::uint64_t first, int count, double limit);

}  // namespace zwang::hard
