/// From values of parameters to a line of the table.
#include "zwang/sweeps/sample.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <deque>
#include <limits>
#include <optional>

#include "zwang/base/nearest.hpp"
#include "zwang/base/number.hpp"
#include "zwang/error.hpp"
#include "zwang/motion/advance.hpp"
#include "zwang/motion/flock.hpp"
#include "zwang/runs/life.hpp"
#include "zwang/stepping/stepping.hpp"

namespace zwang::sweeps {

namespace {

constexpr double no_time = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t most_columns = 1900;  ///< SQLite has 2000
constexpr std::size_t most_waiting = 4;     ///< lines that wait for an earlier one, for every motion at work

/// As SQLite compares names.
std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(c < 0x80 ? std::tolower(c) : c); });
  return text;
}

/// The fixed columns keep their names; others that would repeat one get a number.
std::vector<std::string> column_names(const std::vector<std::string>& parameters, const Records& records) {
  constexpr std::array<const char*, 5> account = {"status", "time", "steps", "events", "defect"};
  std::vector<std::string> taken = {"sample"};
  for (const char* name : account) taken.emplace_back(name);
  const auto free_name = [&](const std::string& wanted) {
    std::string name = wanted;
    for (int number = 2; std::find(taken.begin(), taken.end(), lower(name)) != taken.end(); ++number) {
      name = fmt::format("{}_{}", wanted, number);
    }
    taken.push_back(lower(name));
    return name;
  };
  std::vector<std::string> out = {"sample"};
  for (const std::string& name : parameters) out.push_back(free_name(name));
  for (const char* name : account) out.emplace_back(name);
  for (const Record& record : records.list) out.push_back(free_name(record.text));
  return out;
}

}  // namespace

std::string_view known_status(std::string_view word) {
  if (word == no_model) return no_model;
  using motion::Status;
  for (const Status status : {Status::finished, Status::stopped, Status::jammed, Status::singular, Status::refused,
                              Status::inadmissible, Status::gave_up, Status::interrupted}) {
    if (motion::words(status) == word) return motion::words(status);
  }
  return {};
}

Sweep::Sweep(const Recipe& recipe)
    : overrides_(recipe.overrides),
      draft_(model::read(recipe.text, recipe.file)),
      design_(read_design(recipe.over, recipe.count, recipe.seed)),
      records_(read_records(recipe.records)),
      names_(design_.names()),
      columns_(column_names(names_, records_)) {
  if (names_.empty()) throw Error({"command line", 0, 0}, "a sweep needs at least one --over");
  if (columns_.size() > most_columns) {
    throw Error({"command line", 0, 0},
                fmt::format("the table would have {} columns; at most {} are kept", columns_.size(), most_columns));
  }
  require_names();

  // A mistake in the whole shows with the values of the first sample and with the model's own; what shows with the first sample alone is its own failure.
  Row first;
  first.parameters.resize(names_.size());
  design_.sample(0, first.parameters.data());
  std::optional<model::Watching> tried;
  const auto try_with = [&](const model::Overrides& overrides) {
    tried = compile(draft_, overrides, records_, &pattern_);
    // Mistakes in what is only looked at count too: `run` would refuse the model.
    static_cast<void>(model::compile(draft_, overrides));
  };
  try {
    try_with(values_of(first));
  } catch (const Error&) {
    try_with(overrides_);
  }
  require_conditions(tried->model, records_);
  title_ = tried->model.title;
}

void Sweep::require_names() const {
  const std::vector<model::WrittenParameter> known = model::written_parameters(draft_);
  std::vector<std::string_view> numbers;
  for (const model::WrittenParameter& one : known) {
    if (!one.vector) numbers.push_back(one.name);
  }
  for (const std::string& name : names_) {
    const auto found = std::find_if(known.begin(), known.end(), [&](const auto& one) { return one.name == name; });
    if (found == known.end()) {
      const std::string_view near = nearest(name, numbers.data(), numbers.size());
      throw Error({fmt::format("--over {}", name), 1, 1},
                  near.empty() ? fmt::format("the model has no parameter `{}`", name)
                               : fmt::format("the model has no parameter `{}`; did you mean `{}`?", name, near));
    }
    if (found->vector) {
      throw Error({fmt::format("--over {}", name), 1, 1},
                  fmt::format("`{}` is a vector: let its components be parameters, and vary those", name));
    }
    for (const auto& [set, value] : overrides_.parameters) {
      if (set == name) {
        throw Error({"command line", 0, 0},
                    fmt::format("the parameter `{}` is set and varies: it can do one of them", name));
      }
    }
  }
}

model::Overrides Sweep::values_of(const Row& row) const {
  model::Overrides overrides = overrides_;
  for (std::size_t i = 0; i < names_.size(); ++i)
    overrides.parameters.emplace_back(names_[i], exact(row.parameters[i]));
  return overrides;
}

/// The pattern by which the next sample is compiled: that of the sweep's first one, or of the last sample of another structure.
class Sweep::Patterns {
 public:
  explicit Patterns(const Sweep& sweep) : sweep_(sweep), known_(&sweep.pattern_) {}

  void compile(const model::Overrides& overrides, std::optional<model::Watching>& out) {
    // Where every sample has a structure of its own it is not worth looking.
    const bool look = known_->fit() && (strange_ < most_strange || ++passed_ % seldom == 0);
    if (look) {
      if (!out) out.emplace();
      if (model::compile_again(sweep_.draft_, overrides, sweep_.records_.states, sweep_.records_.numbers, *known_,
                               *out)) {
        strange_ = 0;
        return;
      }
      ++strange_;
    }
    out.reset();
    model::Pattern pattern;
    out.emplace(sweeps::compile(sweep_.draft_, overrides, sweep_.records_, look ? &pattern : nullptr));
    if (!look || !pattern.fit()) return;
    own_ = std::move(pattern);
    known_ = &own_;
  }

 private:
  static constexpr unsigned most_strange = 4;  ///< samples in a row of another structure than the one before
  static constexpr unsigned seldom = 64;       ///< of the samples after that, one in so many is looked at
  const Sweep& sweep_;
  const model::Pattern* known_;
  model::Pattern own_;
  unsigned strange_ = 0;
  unsigned passed_ = 0;
};

/// A sample that is being followed.
struct Sweep::Going {
  Row* row = nullptr;
  std::optional<model::Watching> watching;
  std::optional<Recorder> recorder;
  motion::Motion motion;
  std::optional<stepping::Stepping> steps;  ///< instead of it, where the model goes in steps
  std::uint64_t events = 0;

  [[nodiscard]] const motion::Motion& at() const { return steps ? steps->motion : motion; }
};

bool Sweep::set_out(std::uint64_t k, Row& row, Going& going, Patterns& patterns) const {
  row.sample = k;
  row.why.clear();
  row.parameters.resize(names_.size());
  design_.sample(k, row.parameters.data());
  row.records.assign(records_.list.size(), no_time);
  going.row = &row;
  going.recorder.reset();
  going.motion = {};
  going.steps.reset();
  try {
    patterns.compile(values_of(row), going.watching);
    runs::require_duration(going.watching->model, going.watching->model.simulation.until);
  } catch (const Fault&) {
    throw;
  } catch (const Error& error) {
    row.status = no_model;
    row.why = error.place().line > 0 ? fmt::format("{}:{}:{}: {}", error.place().file, error.place().line,
                                                   error.place().column, error.message())
                                     : error.message();
    row.time = no_time;
    row.defect = no_time;
    row.steps = 0;
    row.events = 0;
    return false;
  }
  going.recorder.emplace(records_, *going.watching);
  if (stepping::is_stepped(going.watching->model)) {
    going.steps.emplace(stepping::begin(going.watching->model));
  } else {
    going.motion = motion::begin(going.watching->model);
  }
  going.events = going.at().events.size();
  going.recorder->follow(going.at());
  return true;
}

bool Sweep::step(Going& going) {
  if (going.steps ? stepping::advance(*going.steps) : motion::advance(going.motion)) {
    going.events += going.at().events.size();
    going.recorder->follow(going.at());
    return true;
  }
  Row& row = *going.row;
  const motion::Motion& motion = going.at();
  going.recorder->finish(motion, row.records.data());
  row.status = motion::words(motion.status);
  if (motion.status != motion::Status::finished && motion.status != motion::Status::stopped) row.why = motion.why;
  row.time = motion.state.time;
  row.steps = motion.steps;
  row.events = going.events;
  row.defect = going.steps ? no_time : motion.defect;  // steps have a penetration instead
  return false;
}

bool Sweep::follow(std::uint64_t k, Row& row, const std::function<bool()>& go_on) const {
  Going going;
  Patterns patterns(*this);
  if (!set_out(k, row, going, patterns)) return true;
  while (step(going)) {
    if (go_on && !go_on()) return false;
  }
  return true;
}

bool Sweep::follow(std::uint64_t first, std::uint64_t count, const std::function<void(Row&)>& take,
                   const std::function<bool()>& go_on) const {
  // Places where samples are followed, and lines that wait for their turn; both stay where they are while they are needed.
  std::deque<Going> places;
  std::deque<Row> lines;
  std::vector<Going*> free;
  std::vector<Going*> going;
  std::vector<motion::Motion*> motions;
  motion::Flock flock;
  Patterns patterns(*this);
  std::uint64_t next = 0;
  std::size_t most = motion::Flock::size();
  while (next < count || !going.empty()) {
    // A place that came free takes the next sample, unless one that is slow lets too many lines wait.
    while (next < count && going.size() < most && lines.size() < most * most_waiting) {
      if (free.empty()) free.push_back(&places.emplace_back());
      if (!set_out(first + next++, lines.emplace_back(), *free.back(), patterns)) continue;
      going.push_back(free.back());
      free.pop_back();
      // Motions that have nothing of company are followed one by one.
      if (going.back()->steps || !motion::Flock::pays(going.back()->motion)) most = 1;
    }
    if (going.size() > 1) {
      motions.clear();
      for (Going* one : going) motions.push_back(&one->motion);
      flock.look_ahead(motions);
    }
    std::erase_if(going, [&](Going* one) {
      if (step(*one)) return false;
      free.push_back(one);
      return true;
    });
    // Lines of samples that have ended, in order.
    while (!lines.empty() &&
           std::none_of(going.begin(), going.end(), [&](const Going* one) { return one->row == &lines.front(); })) {
      take(lines.front());
      lines.pop_front();
    }
    if (go_on && !go_on()) return next == count && lines.empty();
  }
  return true;
}

}  // namespace zwang::sweeps
