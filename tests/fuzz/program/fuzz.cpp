/// `fuzz`: damages what programs read - model files, expressions, overrides of the command line, designs and records of sweeps, their files, measured values, run files,
/// checkpoints - and sees that each answers with a result or with an Error that says something. Beside these, nearest-point problems of awkward numbers, whose answers are held
/// against the conditions of Kuhn and Tucker and whose contradictions against Farkas's, once more in fractions, and models with other numbers, run for a few steps. Under the
/// sanitizers anything else ends the program; so does a trial that takes a minute.
///
/// The inputs in tests/fuzz/corpus/TARGET come first, in every session.
///
///   fuzz TARGET [--seconds S] [--count N] [--seed K]     until one of both is spent; the seed decides all that is tried
///   fuzz TARGET --seed K --only N [--write FILE]         the N-th trial alone, its input into FILE
///   fuzz TARGET --input FILE                             a file that was kept
///   fuzz --list
///
/// The last input is kept in fuzz-TARGET.input of the temporary folder until the program has come through, so that an input that
/// ends it can be tried again.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <optional>
#include <random>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "damage.hpp"
#include "in_fractions.hpp"
#include "places.hpp"
#include "run_damage.hpp"
#include "sweep_damage.hpp"
#include "zwang/base/number.hpp"
#include "zwang/error.hpp"
#include "zwang/expressions/syntax.hpp"
#include "zwang/gauss.hpp"
#include "zwang/model/evaluate.hpp"
#include "zwang/model/read.hpp"
#include "zwang/motion/advance.hpp"
#include "zwang/report/fit.hpp"
#include "zwang/report/fit_page.hpp"
#include "zwang/runs/life.hpp"
#include "zwang/sensitivity/fit.hpp"
#include "zwang/sweeps/design.hpp"
#include "zwang/sweeps/records.hpp"

namespace {

using namespace zwang;
using Random = std::mt19937_64;

/// Seeds are models that say many different things in few lines.
constexpr std::array<const char*, 12> seed_models = {
    "double-pendulum", "newtons-cradle", "bouncing-ball", "rolling-coin",   "dry-friction", "snakeboard",
    "seizure",         "spring-net",     "skate",         "beltrami-field", "hard-balls",   "four-legs"};
constexpr std::array<const char*, 10> seed_expressions = {"-2*a.x^2 + sin(t)/(1 + v')",
                                                          "distance(a, b[i+1]) <= 2*L",
                                                          "sum(i = 1..n, k[i,j]*q[i]') - [1, 0, 2].x",
                                                          "w'*sin(u) = u'*cos(u)",
                                                          "a.x >= 1 or (b.y <= 2 and t > 3)",
                                                          "if(x < 0, -x, x^-2^y)",
                                                          "i = 1..n, j = i+1..2*n",
                                                          "knot[2, 5]",
                                                          "exp(-1e-3*t)*atan2(y, x) + abs(-.5e+07)",
                                                          "((((((a))))))**3 - -+4"};
std::string content(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void write(const std::filesystem::path& path, std::string_view bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

std::string seed_model(std::size_t number) {
  return content(places::source(fmt::format("gallery/{}/model.toml", seed_models[number % seed_models.size()])));
}

/// A few steps are enough to see whether what was read can be used.
void a_few_steps(motion::Motion& motion) {
  for (int step = 0; step < 3 && motion::advance(motion); ++step) continue;
}

/// One thing that reads: what it is given whole, and what it does with it damaged. `trial` returns whether the input was accepted.
struct Target {
  const char* name;
  bool is_text;
  std::function<std::string(Random&)> sound;
  std::function<bool(const std::string&, const std::filesystem::path&)> trial;
  bool is_damage = false;  ///< what `sound` gives is the damage itself
};

/// An Error must say something.
void expect_words(const std::string& words) {
  if (words.empty()) {
    fmt::print(stderr, "fuzz: an Error without words\n");
    std::abort();
  }
}

std::string small_run(const std::filesystem::path& folder) {
  model::Overrides overrides;
  overrides.until = "0.05";
  overrides.samples = "3";
  const runs::Task task =
      runs::new_task(runs::recipe_of(seed_model(1), "model.toml", overrides), (folder / "seed.sqlite").string());
  runs::Store store = runs::Store::create(task.file, task.recipe, task.model);
  runs::go_on(task, store);
  return task.file;
}

std::filesystem::path damaged_seed(const std::filesystem::path& folder) {
  const std::filesystem::path file = folder / "line.sqlite";
  damaged::write_small_run(file.string());
  return file;
}

[[noreturn]] void wrong(const std::string& what) {
  fmt::print(stderr, "fuzz: {}\n", what);
  std::abort();
}

// ------------------------------------------------------------------------------------------------ nearest-point problems

/// One line each: masses ("m ..."), the free point ("a ..."), rows ("= h entries" and "< h entries").
struct Nearest {
  std::vector<double> masses, a0, entry, h;
  std::vector<std::uint32_t> start{0}, column;
  std::vector<gauss::RowKind> kind;
};

Nearest read_nearest(const std::string& text) {
  Nearest out;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string what;
    std::vector<double> numbers;
    words >> what;
    for (std::string word; words >> word;) {
      const std::optional<double> number = read_number(word);
      if (!number) throw Error({"nearest", 0, 0}, "this is no number: " + word);
      numbers.push_back(*number);
    }
    if (what == "m") {
      out.masses = numbers;
    } else if (what == "a") {
      out.a0 = numbers;
    } else if ((what == "=" || what == "<") && numbers.size() == out.a0.size() + 1) {
      out.h.push_back(numbers[0]);
      out.kind.push_back(what == "=" ? gauss::RowKind::equation : gauss::RowKind::inequality);
      for (std::uint32_t j = 0; j < out.a0.size(); ++j) {
        if (numbers[j + 1] == 0) continue;
        out.column.push_back(j);
        out.entry.push_back(numbers[j + 1]);
      }
      out.start.push_back(static_cast<std::uint32_t>(out.entry.size()));
    } else {
      throw Error({"nearest", 0, 0}, "this is no line of a problem: " + line);
    }
  }
  return out;
}

std::string some_nearest(Random& random) {
  const auto pick = [&](std::size_t bound) { return static_cast<std::size_t>(random() % bound); };
  const std::size_t n = 1 + pick(6);
  const std::size_t r = pick(10);
  const int width = static_cast<int>(pick(4)) * 4;  // decades
  const auto number = [&]() -> double {
    const double sign = pick(2) == 0 ? 1 : -1;
    switch (pick(6)) {
      case 0: return 0;
      case 1: return sign;
      case 2: return sign * static_cast<double>(1 + pick(9));
      case 3: return sign * (1 + 1e-13 * static_cast<double>(pick(100)));
      case 4: return sign * std::pow(10.0, static_cast<double>(pick(static_cast<std::size_t>(2 * width + 1))) - width);
      default: return sign * static_cast<double>(random() % 1000003) / 1000003;
    }
  };
  std::string text = "m";
  for (std::size_t j = 0; j < n; ++j) text += " " + exact(std::abs(number()) + (pick(4) == 0 ? 1e-6 : 0.5));
  text += "\na";
  for (std::size_t j = 0; j < n; ++j) text += " " + exact(number());
  std::vector<std::vector<double>> rows;
  for (std::size_t i = 0; i < r; ++i) {
    std::vector<double> row(n + 1);
    for (double& value : row) value = number();
    // Some rows repeat, negate or almost repeat an older one.
    if (i > 0 && pick(3) == 0) {
      row = rows[pick(i)];
      const double factor = number();
      for (double& value : row) value *= factor != 0 ? factor : -1;
      if (pick(2) == 0) row[pick(n + 1)] *= 1 + 1e-14 * static_cast<double>(pick(300));
    }
    text += pick(3) == 0 ? "\n=" : "\n<";
    for (const double value : row) text += " " + exact(value);
    rows.push_back(row);
  }
  return text + "\n";
}

/// The answer against its own conditions, in long double and with nothing of the solver's: a hundred times what it promises.
void check_nearest(const gauss::Problem& problem, const Nearest& data, const gauss::Solution& solution) {
  using Real = long double;
  constexpr Real allowed = 1e-6L;
  const auto multiplier = [&](std::size_t i) {
    return Real(solution.lambda[i]) + (solution.lambda_low.empty() ? Real(0) : Real(solution.lambda_low[i]));
  };
  std::vector<Real> sum(data.a0.size(), 0), size(data.a0.size(), 0);
  Real all = 0;
  Real largest = 0;
  for (std::size_t j = 0; j < data.a0.size(); ++j) {
    sum[j] = Real(data.masses[j]) * (Real(solution.a[j]) - Real(data.a0[j]));
    size[j] = Real(data.masses[j]) * (std::abs(Real(solution.a[j])) + std::abs(Real(data.a0[j])));
  }
  for (std::size_t i = 0; i < data.h.size(); ++i) {
    largest = std::max(largest, std::abs(multiplier(i)));
    for (std::uint32_t e = data.start[i]; e < data.start[i + 1]; ++e) {
      sum[data.column[e]] += multiplier(i) * Real(data.entry[e]);
      size[data.column[e]] += std::abs(multiplier(i) * Real(data.entry[e]));
    }
  }
  // An acceleration is known to a rounding of the largest in its own measure.
  for (std::size_t j = 0; j < size.size(); ++j) all = std::max(all, size[j] / std::sqrt(Real(data.masses[j])));
  for (std::size_t i = 0; i < data.h.size(); ++i) {
    Real f = data.h[i];
    Real scale = std::abs(Real(data.h[i]));
    for (std::uint32_t e = data.start[i]; e < data.start[i + 1]; ++e) {
      f += Real(data.entry[e]) * Real(solution.a[data.column[e]]);
      scale += std::abs(Real(data.entry[e])) * all / std::sqrt(Real(data.masses[data.column[e]]));
    }
    const bool equation = problem.kind[i] == gauss::RowKind::equation;
    if ((equation ? std::abs(f) : f) > allowed * scale) wrong(fmt::format("row {} is broken by its answer", i));
    if (!equation && multiplier(i) < 0) wrong(fmt::format("row {} pulls", i));
    if (!equation && multiplier(i) * -f > allowed * scale * largest) wrong(fmt::format("row {} pushes from afar", i));
  }
  for (std::size_t j = 0; j < sum.size(); ++j) {
    if (std::abs(sum[j]) / std::sqrt(Real(data.masses[j])) > allowed * all) {
      wrong(fmt::format("variable {} is not in balance", j));
    }
  }
}

/// y >= 0 for inequalities, y^T J = 0, y^T h > 0.
void check_farkas(const Nearest& data, const std::vector<double>& y) {
  using Real = long double;
  std::vector<Real> sum(data.a0.size(), 0), size(data.a0.size(), 0);
  Real offset = 0;
  for (std::size_t i = 0; i < data.h.size(); ++i) {
    if (data.kind[i] == gauss::RowKind::inequality && y[i] < 0) wrong("a proof of contradiction has a wrong sign");
    offset += Real(y[i]) * Real(data.h[i]);
    for (std::uint32_t e = data.start[i]; e < data.start[i + 1]; ++e) {
      sum[data.column[e]] += Real(y[i]) * Real(data.entry[e]);
      size[data.column[e]] += std::abs(Real(y[i]) * Real(data.entry[e]));
    }
  }
  for (std::size_t j = 0; j < sum.size(); ++j) {
    if (std::abs(sum[j]) > 1e-9L * size[j]) wrong("a proof of contradiction does not cancel");
  }
  if (!(offset > 0)) wrong("a proof of contradiction proves nothing");
}

bool try_nearest(const std::string& text) {
  const Nearest data = read_nearest(text);
  for (const double mass : data.masses) {
    if (!(mass > 0)) throw Error({"nearest", 0, 0}, "a mass is not positive");
  }
  linear::Mass mass(data.masses);
  if (!mass.factor()) throw Error({"nearest", 0, 0}, "the masses cannot be factored");
  const gauss::Problem problem{&mass, data.a0, data.start, data.column, data.entry, data.h, data.kind};
  if (const std::string why = problem.check(); !why.empty()) throw Error({"nearest", 0, 0}, why);
  gauss::Workspace workspace;
  gauss::Solution solution;
  gauss::Options options;
  options.long_multipliers = true;
  gauss::solve(problem, options, workspace, solution);
  if (solution.status == gauss::Status::solved) {
    std::vector<double> scratch;
    if (!gauss::certified(gauss::verify(problem, solution.a, solution.lambda, scratch, solution.lambda_low))) {
      wrong("an answer is not certified");
    }
    check_nearest(problem, data, solution);
  }
  if (solution.status == gauss::Status::infeasible) {
    if (!gauss::verify_farkas(problem, solution.farkas)) wrong("a contradiction is not proved");
    check_farkas(data, solution.farkas);
  }

  // With numbers that are meant as they stand every verdict is one about fractions.
  options.exact_numbers = true;
  gauss::solve(problem, options, workspace, solution);
  if (data.a0.size() <= gauss::most_exact_variables && data.h.size() <= gauss::most_exact_rows) {
    if (const std::string why = in_fractions::judge(problem, solution).wrong; !why.empty()) wrong(why);
  }
  return solution.status != gauss::Status::gave_up;
}

// ------------------------------------------------------------------------------------------------ whole runs

/// A sound model with some other numbers.
std::string other_numbers(std::string text, Random& random) {
  static constexpr std::array values = {"0",    "1",     "-1",     "2",    "0.5",    "1e-3",  "1e3",
                                        "1e-9", "1e9",   "1e-30",  "1e30", "1e-300", "1e300", "3",
                                        "0.1",  "-0.25", "\"pi\"", "7",    "1e-7",   "100"};
  const std::size_t changes = 1 + random() % 4;
  for (std::size_t k = 0; k < changes; ++k) {
    const std::size_t from = text.find_first_of("0123456789", random() % text.size());
    if (from == std::string::npos) continue;
    const std::size_t to = std::min(text.find_first_not_of("0123456789.e-", from), text.size());
    text.replace(from, to - from, values[random() % values.size()]);
  }
  return text;
}

/// So many pieces at most, with a checkpoint on the way from which the motion goes on to the same bits.
bool try_motion(const std::string& text) {
  constexpr int most_pieces = 40;
  constexpr std::size_t most_variables = 60;
  const model::Model model = model::load(text, "model.toml");
  if (model.variables > most_variables) throw Error({"model.toml", 0, 0}, "too many variables for this trial");
  if (!(model.simulation.until > model.simulation.start)) throw Error({"model.toml", 0, 0}, "it does not last");
  motion::Motion motion = motion::begin(model, {});
  int pieces = 0;
  std::string half;
  while (pieces < most_pieces && motion::advance(motion)) {
    if (++pieces == most_pieces / 2) half = motion::save(motion);
    for (const double x : motion.state.position) {
      if (!std::isfinite(x)) wrong("a motion is nowhere");
    }
  }
  if (motion.status == motion::Status::finished && !(motion.state.time >= model.simulation.until)) {
    wrong("a motion finished before its end");
  }
  if (!half.empty()) {
    motion::Motion other = motion::restore(model, {}, half);
    for (int k = most_pieces / 2; k < most_pieces && motion::advance(other); ++k) continue;
    if (other.state.time != motion.state.time || other.state.position != motion.state.position) {
      wrong("from its checkpoint a motion goes elsewhere");
    }
  }
  return true;
}

// ------------------------------------------------------------------------------------------------ measured values

constexpr const char* model_of_fits = R"toml(title = "A throw <and> a fall"
gravity = [0, "-g"]
[parameters]
g = 9
v = 3
[points.a]
mass = 1
position = [0, 0.5]
velocity = [1, "v"]
[constraints]
floor = { condition = "a.y >= 0", restitution = 0.5 }
[outputs]
height = "a.y"
along = "a.x"
speed = "sqrt(a.x'^2 + a.y'^2)"
)toml";

/// Tables that a fit is made to, written in many ways.
std::string some_measured(Random& random) {
  const auto pick = [&](std::size_t bound) { return static_cast<std::size_t>(random() % bound); };
  constexpr std::array<const char*, 6> heads = {"t,height",        "t,height,along",       "along , t , height",
                                                "\"t\",\"speed\"", "\xEF\xBB\xBFheight,t", "# a remark\nt,along,speed"};
  const std::string head = heads[pick(heads.size())];
  const auto columns = static_cast<std::size_t>(std::count(head.begin(), head.end(), ','));
  const char* const ending = pick(3) == 0 ? "\r\n" : "\n";
  std::string text = head + ending;
  const std::size_t lines = 1 + pick(12);
  for (std::size_t k = 0; k < lines; ++k) {
    for (std::size_t c = 0; c <= columns; ++c) {
      if (c > 0) text += ',';
      if (c > 0 && pick(6) == 0) continue;
      text += exact(static_cast<double>(random() % 1000) / (pick(2) == 0 ? 1000 : 512));
    }
    text += ending;
  }
  return text;
}

/// Read, fitted with a few motions, told and drawn.
bool try_measured(const std::string& text) {
  constexpr int most_asked = 300;  // motions and their steps
  const sensitivity::Measured measured = report::read_measured(text, "data.csv");
  if (measured.value.size() != measured.times.size() * measured.outputs.size()) wrong("a table lost its values");
  if (!std::is_sorted(measured.times.begin(), measured.times.end())) wrong("measured times do not ascend");
  const model::Draft draft = model::read(model_of_fits, "model.toml");
  int asked = 0;
  sensitivity::FitOptions options;
  options.go_on = [&] { return ++asked < most_asked; };
  options.most_iterations = 4;
  const sensitivity::Fit found = sensitivity::fit(draft, {}, {"g", "v"}, measured, options);
  if (!found.converged && found.why.empty()) wrong("a fit came to nothing without a word");
  if (found.converged && !std::isfinite(found.residual)) wrong("a fit was found whose misfit is no number");
  for (const sensitivity::Misfit& one : found.misfit) {
    if (!std::isfinite(one.fitted) || !std::isfinite(one.measured)) wrong("a misfit is no number");
  }
  for (const sensitivity::FittedParameter& one : found.parameters) {
    if (!std::isfinite(one.value)) wrong("a parameter was fitted to no number");
    if (one.deviation && !(*one.deviation >= 0)) wrong("a deviation is no number");
  }
  model::Overrides changed;
  changed.until = exact(measured.times.back());
  const model::Model model = model::compile(draft, changed);
  if (report::fit_json(model, measured, found).empty()) wrong("a fit has no answer");
  if (!found.misfit.empty() && asked < most_asked) {
    const std::string page = report::fit_page(model, measured, found, "zwang run", options.go_on);
    if (!page.ends_with("</html>\n")) wrong("a page of a fit is not whole");
  }
  return true;
}

std::vector<Target> targets(const std::filesystem::path& folder) {
  std::vector<Target> all;
  all.push_back({"model", true, [](Random& random) { return seed_model(random()); },
                 [](const std::string& input, const std::filesystem::path&) {
                   const model::Model model = model::load(input, "model.toml");
                   model::Scratch scratch = model::make_scratch(model);
                   model::Rows rows = model::make_rows(model);
                   model::evaluate_rows(model, model::initial_state(model), scratch, rows);
                   return true;
                 }});
  all.push_back({"expression", true,
                 [](Random& random) { return std::string(seed_expressions[random() % seed_expressions.size()]); },
                 [](const std::string& input, const std::filesystem::path&) {
                   bool accepted = false;
                   const auto reads = [&](auto&& parse) {
                     try {
                       static_cast<void>(parse(input));
                       accepted = true;
                     } catch (const expressions::SyntaxError& error) {
                       expect_words(error.what());
                       if (error.offset > input.size()) std::abort();
                     }
                   };
                   reads(expressions::parse_expression);
                   reads(expressions::parse_condition);
                   reads(expressions::parse_alternatives);
                   reads(expressions::parse_truth);
                   reads(expressions::parse_ranges);
                   reads(expressions::parse_reference);
                   return accepted;
                 }});
  // What stands behind --over and --record: one line each.
  all.push_back(
      {"sweep", true,
       [](Random& random) {
         constexpr std::array<const char*, 6> seeds = {"g=0.5..2:100\nmax(a.x)",
                                                       "g=1,2,pi/6\nat(0.5, a.x)",
                                                       "g~uniform(1,2)\ntime(release floor, 2)",
                                                       "g~normal(1,0.1)\ncount(impact)",
                                                       "g~sobol(-1,1e3)\nmin(abs(a.x'))",
                                                       "@g\n1\n2.5e-3\n"};
         return std::string(seeds[random() % seeds.size()]);
       },
       [](const std::string& text, const std::filesystem::path&) {
         const std::size_t end = std::min(text.find('\n'), text.size());
         const std::string rest = end < text.size() ? text.substr(end + 1) : "";
         // A text that names a file stands for one with these lines.
         const std::string spec = text.substr(0, end);
         const bool table = spec.starts_with("@");
         const sweeps::Design design = sweeps::read_design({{spec, table ? spec.substr(1) + "\n" + rest : ""}}, 0, 1);
         std::vector<double> values(design.width());
         design.sample(design.total - 1, values.data());
         if (!table) {
           const sweeps::Records records = sweeps::read_records({rest});
           static_cast<void>(sweeps::compile(model::read(seed_model(1), "model.toml"), {}, records));
         }
         return true;
       }});
  // What stands behind --set, --at, --until, --tolerance and --samples: one line each.
  all.push_back({"overrides", true, [](Random&) { return std::string("g\n9.81/2\n0.5\n2*pi\n1e-10\n101"); },
                 [](const std::string& input, const std::filesystem::path&) {
                   std::array<std::string, 6> lines;
                   std::size_t begin = 0;
                   for (std::string& line : lines) {
                     const std::size_t end = std::min(input.find('\n', begin), input.size());
                     line = input.substr(begin, end - begin);
                     begin = std::min(end + 1, input.size());
                   }
                   model::Overrides overrides;
                   if (!lines[0].empty()) overrides.parameters.emplace_back(lines[0], lines[1]);
                   overrides.start = lines[2];
                   overrides.until = lines[3];
                   overrides.tolerance = lines[4];
                   overrides.samples = lines[5];
                   const model::Draft draft = model::read(seed_model(0), "model.toml");
                   static_cast<void>(model::compile(draft, overrides));
                   static_cast<void>(model::with_overrides(draft, overrides));
                   return true;
                 }});
  const auto model = std::make_shared<model::Model>(model::load(seed_model(1), "model.toml"));
  motion::Options options;
  options.until = 0.05;
  motion::Motion motion = motion::begin(*model, options);
  a_few_steps(motion);
  all.push_back({"checkpoint", false, [saved = motion::save(motion)](Random&) { return saved; },
                 [model, options](const std::string& input, const std::filesystem::path&) {
                   motion::Motion restored = motion::restore(*model, options, input);
                   return true;
                 }});
  all.push_back({"run", false, [file = small_run(folder)](Random&) { return content(file); },
                 [](const std::string& input, const std::filesystem::path& place) {
                   const std::filesystem::path file = place / "damaged.sqlite";
                   write(file, input);
                   const runs::Store store = runs::Store::read(file.string());
                   std::size_t seen = 0;
                   store.each_piece(0, [&](const motion::Piece&) { return ++seen < 100; });
                   store.each_event(0, [&](const motion::Event&) { return ++seen < 200; });
                   store.each_sample(0, [&](const motion::Sample&) { return ++seen < 300; });
                   static_cast<void>(runs::resumed_task(store));
                   return true;
                 }});
  // Lines changed by somebody who makes their checksums again. The input is what is done to a sound file.
  all.push_back({"line", true, [](Random& random) { return damaged::random_change(random); },
                 [good = content(damaged_seed(folder))](const std::string& input, const std::filesystem::path& place) {
                   const std::string file = (place / "changed.sqlite").string();
                   write(file, good);
                   runs::Database(file).run(input.c_str());
                   damaged::reseal(file);
                   static_cast<void>(damaged::answer_of(file));
                   runs::Store store = runs::Store::open(file);
                   const runs::Task task = runs::resumed_task(store, "1.2");
                   runs::Recording recording;
                   int pieces = 0;
                   recording.go_on = [&](const zwang::runs::Progress&) { return ++pieces < 50; };
                   runs::go_on(task, store, recording);
                   return true;
                 },
                 true});
  // What `zwang fit` is given.
  all.push_back({"data-file", true, [](Random& random) { return some_measured(random); },
                 [](const std::string& input, const std::filesystem::path&) { return try_measured(input); }});
  // The file of a sweep that is half done: refused, or the same answer and the same samples afterwards.
  const std::string half_done = (folder / "half-done.sqlite").string();
  damaged::write_small_sweep(half_done);
  const std::int64_t answer = damaged::answer_of_sweep(half_done);
  const std::string sound_sweep = content(half_done);
  const std::string whole_sweep = damaged::sweep_gone_on(half_done);
  all.push_back({"sweep-file", false, [sound_sweep](Random&) { return sound_sweep; },
                 [answer, whole_sweep](const std::string& input, const std::filesystem::path& place) {
                   const std::string file = (place / "torn.sqlite").string();
                   write(file, input);
                   if (damaged::answer_of_sweep(file) != answer) wrong("a damaged sweep file has another answer");
                   if (damaged::sweep_gone_on(file) != whole_sweep)
                     wrong("a damaged sweep file goes on to other samples");
                   return true;
                 }});
  // The same with checksums that fit again, as `line` does it for runs.
  all.push_back({"sweep-line", true, [](Random& random) { return damaged::random_change_of_sweep(random); },
                 [sound_sweep](const std::string& input, const std::filesystem::path& place) {
                   const std::string file = (place / "changed-sweep.sqlite").string();
                   write(file, sound_sweep);
                   runs::Database(file).run(input.c_str());
                   damaged::reseal_sweep(file);
                   static_cast<void>(damaged::answer_of_sweep(file));
                   int asked = 0;
                   static_cast<void>(damaged::sweep_gone_on(file, [&](std::uint64_t) { return ++asked < 200; }));
                   static_cast<void>(damaged::answer_of_sweep(file));
                   return true;
                 },
                 true});
  all.push_back({"nearest", true, [](Random& random) { return some_nearest(random); },
                 [](const std::string& input, const std::filesystem::path&) { return try_nearest(input); }, true});
  all.push_back({"motion", true, [](Random& random) { return other_numbers(seed_model(random()), random); },
                 [](const std::string& input, const std::filesystem::path&) { return try_motion(input); }, true});
  return all;
}

/// A seed of its own for every trial, so that one alone can be tried again.
std::uint64_t seed_of(std::uint64_t seed, std::uint64_t trial) { return seed * 0x9E3779B97F4A7C15U + trial; }

/// One input, and that it ends.
bool is_taken(const Target& target, const std::string& input, const std::filesystem::path& folder) {
  constexpr unsigned longest = 60;  // seconds
  alarm(longest);
  bool taken = false;
  try {
    taken = target.trial(input, folder);
  } catch (const Error& error) {
    expect_words(error.message());
  }
  alarm(0);
  return taken;
}

/// What was worth keeping, in the order of the names.
std::vector<std::string> kept_inputs(const char* target) {
  std::vector<std::filesystem::path> files;
  std::error_code none;
  for (const auto& entry :
       std::filesystem::directory_iterator(places::source(fmt::format("tests/fuzz/corpus/{}", target)), none)) {
    files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  std::vector<std::string> inputs;
  for (const auto& file : files) inputs.push_back(content(file));
  return inputs;
}

int run(const Target& target, const std::filesystem::path& folder, double seconds, std::uint64_t first,
        std::uint64_t last, std::uint64_t seed, const std::string& out) {
  const auto start = std::chrono::steady_clock::now();
  const std::filesystem::path kept = std::filesystem::temp_directory_path() / fmt::format("fuzz-{}.input", target.name);
  std::uint64_t tried = 0;
  std::uint64_t accepted = 0;
  if (first == 0 && out.empty()) {
    for (const std::string& input : kept_inputs(target.name)) {
      write(kept, input);
      ++tried;
      accepted += is_taken(target, input, folder) ? 1 : 0;
    }
  }
  for (std::uint64_t trial = first; trial < last; ++trial) {
    if (std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() > seconds) break;
    Random random(seed_of(seed, trial));
    const std::string sound = target.sound(random);
    const std::string input = target.is_damage ? sound : damaged::damage(sound, random, target.is_text);
    write(out.empty() ? kept : std::filesystem::path(out), input);
    ++tried;
    accepted += is_taken(target, input, folder) ? 1 : 0;
  }
  std::filesystem::remove(kept);
  fmt::print("{:10} {} inputs, {} of them accepted, the others refused with words\n", target.name, tried, accepted);
  return tried > 0 ? 0 : 1;
}

}  // namespace

int main(int count, char** words) {
  std::string wanted, out, input;
  double seconds = 10;
  std::uint64_t seed = 1, first = 0, last = UINT64_MAX;
  bool list = false;
  for (int k = 1; k < count; ++k) {
    const std::string word = words[k];
    const std::string value = k + 1 < count ? words[k + 1] : "";
    if (word == "--list") {
      list = true;
      continue;
    }
    if (word.starts_with("--")) ++k;
    if (word == "--seconds") {
      seconds = std::atof(value.c_str());
    } else if (word == "--seed") {
      seed = std::strtoull(value.c_str(), nullptr, 10);
    } else if (word == "--count") {
      last = std::strtoull(value.c_str(), nullptr, 10);
      seconds = 1e9;  // the count alone decides
    } else if (word == "--only") {
      first = std::strtoull(value.c_str(), nullptr, 10);
      last = first + 1;
    } else if (word == "--input") {
      input = value;
    } else if (word == "--write") {
      out = value;
    } else {
      wanted = word;
    }
  }
  std::string name = (std::filesystem::temp_directory_path() / "zwang-fuzz-XXXXXX").string();
  const std::filesystem::path folder = mkdtemp(name.data());
  int status = 2;
  for (const Target& target : targets(folder)) {
    if (list) fmt::print("{}\n", target.name);
    if (wanted == target.name && !input.empty()) {
      status = is_taken(target, content(input), folder) ? 0 : 1;
      fmt::print("{}\n", status == 0 ? "taken" : "refused");
    } else if (wanted == target.name) {
      status = run(target, folder, seconds, first, last, seed, out);
    }
  }
  std::filesystem::remove_all(folder);
  if (list) return 0;
  if (status == 2) fmt::print(stderr, "fuzz: no target \"{}\"; fuzz --list names them\n", wanted);
  return status;
}
