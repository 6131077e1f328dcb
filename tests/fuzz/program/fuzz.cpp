/// `fuzz`: damages what programs read - model files, expressions, overrides of the command line, run files, checkpoints - and sees that
/// each answers with a result or with an Error that says something. Under the sanitizers anything else ends the program.
///
///   fuzz TARGET [--seconds S] [--count N] [--seed K]     until one of both is spent; the seed decides all that is tried
///   fuzz TARGET --seed K --only N [--write FILE]         the N-th trial alone, its input into FILE
///   fuzz --list
///
/// The last input is kept in fuzz-TARGET.input of the temporary folder until the program has come through, so that an input that
/// ends it can be tried again.
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "damage.hpp"
#include "places.hpp"
#include "run_damage.hpp"
#include "zwang/error.hpp"
#include "zwang/expressions/syntax.hpp"
#include "zwang/model/evaluate.hpp"
#include "zwang/model/read.hpp"
#include "zwang/motion/advance.hpp"
#include "zwang/runs/life.hpp"

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
                   recording.go_on = [&](const motion::Motion&) { return ++pieces < 50; };
                   runs::go_on(task, store, recording);
                   return true;
                 },
                 true});
  return all;
}

/// A seed of its own for every trial, so that one alone can be tried again.
std::uint64_t seed_of(std::uint64_t seed, std::uint64_t trial) { return seed * 0x9E3779B97F4A7C15U + trial; }

int run(const Target& target, const std::filesystem::path& folder, double seconds, std::uint64_t first,
        std::uint64_t last, std::uint64_t seed, const std::string& out) {
  const auto start = std::chrono::steady_clock::now();
  const std::filesystem::path kept = std::filesystem::temp_directory_path() / fmt::format("fuzz-{}.input", target.name);
  std::uint64_t tried = 0;
  std::uint64_t accepted = 0;
  for (std::uint64_t trial = first; trial < last; ++trial) {
    if (std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() > seconds) break;
    Random random(seed_of(seed, trial));
    const std::string sound = target.sound(random);
    const std::string input = target.is_damage ? sound : damaged::damage(sound, random, target.is_text);
    write(out.empty() ? kept : std::filesystem::path(out), input);
    ++tried;
    try {
      accepted += target.trial(input, folder) ? 1 : 0;
    } catch (const Error& error) {
      expect_words(error.message());
    }
  }
  std::filesystem::remove(kept);
  fmt::print("{:10} {} damaged inputs, {} of them accepted, the others refused with words\n", target.name, tried,
             accepted);
  return tried > 0 ? 0 : 1;
}

}  // namespace

int main(int count, char** words) {
  std::string wanted, out;
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
    if (wanted == target.name) status = run(target, folder, seconds, first, last, seed, out);
  }
  std::filesystem::remove_all(folder);
  if (list) return 0;
  if (status == 2) fmt::print(stderr, "fuzz: no target \"{}\"; fuzz --list names them\n", wanted);
  return status;
}
