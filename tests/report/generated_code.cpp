/// The programs that `equations` writes, compiled and run: they agree with the engine to rounding at every state tried.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

#include "places.hpp"
#include "sanitized.hpp"
#include "zwang/base/number.hpp"
#include "zwang/instant/instant.hpp"
#include "zwang/model/evaluate.hpp"
#include "zwang/model/read.hpp"
#include "zwang/motion/advance.hpp"
#include "zwang/report/equations.hpp"

namespace zwang::report::generated_code_tests {
namespace {

namespace fs = std::filesystem;

// The programs and the engine order their sums differently; conditions of the matrices are below a hundred or so.
constexpr double rounding = 1e-12;
constexpr double roundings = 4;  // of sines, roots and their sums, each as large as that of a position
constexpr std::size_t most_moved = 12;
constexpr std::size_t most_states = 5;  // of one motion

/// A folder that lives as long as this object.
class Folder {
 public:
  Folder() {
    std::string name = (fs::temp_directory_path() / "zwang-code-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
    path_ = name;
  }
  ~Folder() { fs::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  [[nodiscard]] fs::path operator/(const std::string& name) const { return path_ / name; }
  [[nodiscard]] std::string string() const { return path_.string(); }

 private:
  fs::path path_;
};

std::string content(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}
void save(const fs::path& path, const std::string& text) { std::ofstream(path, std::ios::binary) << text; }

/// One question to the programs, with the engine's answer.
struct Question {
  std::size_t model = 0;
  model::State state;
  std::vector<bool> held;
  std::vector<double> rho;
  instant::Instant answer;
  double of_last_digits =
      0;  ///< what the last digits of the positions make of the free accelerations: stiff springs make much of them
};

/// Everything in one place: models, their programs, the questions.
class Examination {
 public:
  void add(const std::string& name, const std::string& text) {
    SCOPED_TRACE(name);
    const model::Draft draft = model::read(text, name);
    models_.push_back(std::make_unique<model::Model>(model::compile(draft)));
    names_.push_back(name);
    const model::Model& model = *models_.back();
    analysis::Equations equations = analysis::equations(draft, model);
    cpp_.push_back(equations_cpp(model, equations));
    python_.push_back(equations_python(model, equations));

    // The start, and states on the way.
    ask(model::initial_state(model));
    motion::Motion motion = motion::begin(model, {});
    for (std::size_t step = 0; step < 40 && questions_of_last() < most_states && motion::advance(motion); ++step) {
      if (motion.piece.length <= 0) continue;
      model::State state;
      motion::evaluate(motion.piece, motion.piece.start + motion.piece.length / 2, state);
      std::vector<double> rho;
      motion::evaluate_rho(motion.piece, state.time, rho);
      state.rho.assign(rho.empty() ? 0 : model.rows(), 0.0);
      for (std::size_t k = 0; k < rho.size(); ++k) state.rho[motion.piece.rows[k]] = rho[k];
      ask(state);
    }
  }

  [[nodiscard]] std::size_t questions() const { return questions_.size(); }

  void compile_and_run_cpp() {
    const Folder folder;
    std::string driver = "#include <cstdio>\n";
    for (std::size_t k = 0; k < cpp_.size(); ++k) {
      std::string text = cpp_[k];
      for (std::size_t at = 0; (at = text.find("namespace equations", at)) != std::string::npos; at += 10) {
        text.replace(at, 19, "namespace m" + std::to_string(k));
      }
      save(folder / ("m" + std::to_string(k) + ".hpp"), text);
      driver += "#include \"m" + std::to_string(k) + ".hpp\"\n";
    }
    driver += R"driver(
using List = std::vector<double>;
List read(std::size_t count) {
  List out(count);
  for (double& x : out) {
    if (std::scanf("%lf", &x) != 1) throw 1;
  }
  return out;
}
void show(const List& list) {
  for (const double x : list) std::printf("%.17g ", x);
}
template <class R>
void show_all(const R& r) {
  show(r.a);
  show(r.lambda);
  show(r.value);
  show(r.rate);
  show(r.second);
  std::printf("\n");
}
int main() {
  unsigned model = 0;
  unsigned n = 0;
  unsigned m = 0;
  while (std::scanf("%u %u %u", &model, &n, &m) == 3) {
    const double t = read(1)[0];
    const List q = read(n);
    const List v = read(n);
    const List rho = read(m);
    const List flags = read(m);
    std::vector<bool> held;
    for (const double flag : flags) held.push_back(flag != 0);
    switch (model) {
)driver";
    for (std::size_t k = 0; k < cpp_.size(); ++k) {
      const std::string number = std::to_string(k);
      driver += "      case " + number + ": show_all(m" + number + "::right_hand_side(t, q, v, rho, held)); break;\n";
    }
    driver += "    }\n  }\n";
    std::string questions;
    for (const Question& q : questions_) {
      questions += std::to_string(q.model) + " " + std::to_string(q.state.position.size()) + " " +
                   std::to_string(q.held.size()) + " " + exact(q.state.time) + "\n" + listed(q.state.position, " ") +
                   "\n" + listed(q.state.velocity, " ") + "\n" + listed(q.rho, " ") + "\n";
      for (const bool h : q.held) questions += h ? "1 " : "0 ";
      questions += "\n";
    }
    save(folder / "questions", questions);
    save(folder / "driver.cpp", driver + "}\n");
    // Clang reports a constant that nobody uses; the number of rows is for whoever takes the code.
    const std::string call = "cd '" + folder.string() + "' && '" + places::compiler() +
                             "' -std=c++17 -Wall -Wextra -Werror -Wno-unused-const-variable driver.cpp -o driver > log "
                             "2>&1 && ./driver < questions > answers";
    ASSERT_EQ(std::system(call.c_str()), 0) << content(folder / "log").substr(0, 4000);
    judge(content(folder / "answers"), "C++");
  }

  void run_python() {
    // The Python that configured the build, or the system's, whichever knows NumPy.
    std::string python;
    for (const std::string& candidate : {places::python(), std::string("/usr/bin/python3"), std::string("python3")}) {
      const std::string call = "'" + candidate + "' -c 'import numpy' > /dev/null 2>&1";
      if (python.empty() && std::system(call.c_str()) == 0) python = candidate;
    }
    if (python.empty()) GTEST_SKIP() << "NumPy is not installed";
    const Folder folder;
    std::string driver = "import numpy as np\n";
    for (std::size_t k = 0; k < python_.size(); ++k) {
      save(folder / ("m" + std::to_string(k) + ".py"), python_[k]);
      driver += "import m" + std::to_string(k) + "\n";
    }
    driver +=
        "def show(r):\n    print(*(repr(float(x)) for x in np.concatenate([r.a, r.multiplier, r.value, r.rate, "
        "r.second])))\n";
    for (const Question& q : questions_) {
      driver += "show(m" + std::to_string(q.model) + ".right_hand_side(" + exact(q.state.time) + ", np.array([" +
                listed(q.state.position) + "]), np.array([" + listed(q.state.velocity) + "]), [" + listed(q.rho) +
                "], [" + held(q) + "]))\n";
    }
    save(folder / "driver.py", driver);
    const std::string call = "cd '" + folder.string() + "' && '" + python + "' -W error driver.py > answers 2> log";
    ASSERT_EQ(std::system(call.c_str()), 0) << content(folder / "log").substr(0, 4000);
    judge(content(folder / "answers"), "Python");
  }

 private:
  [[nodiscard]] std::size_t questions_of_last() const {
    std::size_t count = 0;
    for (const Question& q : questions_) count += q.model + 1 == models_.size() ? 1 : 0;
    return count;
  }

  /// A state is worth asking if the engine determines its accelerations without singular positions.
  void ask(const model::State& state) {
    const model::Model& model = *models_.back();
    Question q;
    q.model = models_.size() - 1;
    q.state = state;
    q.answer = instant::accelerate(model, state);
    if (q.answer.status != instant::Status::determined || q.answer.singular) return;
    for (std::uint32_t row = 0; row < model.rows(); ++row) {
      const instant::Role role = q.answer.role[row];
      q.held.push_back(role == instant::Role::equation || role == instant::Role::binding ||
                       role == instant::Role::marginal);
      q.rho.push_back(rho_of(model, state, row));
    }
    for (std::size_t i = 0; i < std::min(state.position.size(), most_moved); ++i) {
      model::State moved = state;
      moved.position[i] *= 1 + 0x1p-40;
      const std::vector<double> free = instant::accelerate(model, moved).free;
      double most = 0;
      for (std::size_t k = 0; k < free.size(); ++k) most = std::max(most, std::abs(free[k] - q.answer.free[k]));
      q.of_last_digits += most * 0x1p-12;
    }
    questions_.push_back(std::move(q));
  }

  static std::string listed(const std::vector<double>& list, const char* between = ", ") {
    std::string out;
    for (const double x : list) out += (out.empty() ? "" : between) + exact(x);
    return out;
  }
  static std::string held(const Question& q) {
    std::string out;
    for (const bool h : q.held) out += std::string(out.empty() ? "" : ", ") + (h ? "True" : "False");
    return out;
  }

  void judge(const std::string& answers, const std::string& language) const {
    std::istringstream lines(answers);
    for (const Question& q : questions_) {
      std::string line;
      ASSERT_TRUE(std::getline(lines, line));
      std::istringstream numbers(line);
      const model::Model& model = *models_[q.model];
      const std::string where = language + ", " + names_[q.model] + " at t = " + exact(q.state.time) + ", ";
      const instant::Instant& answer = q.answer;

      // Forces and accelerations set the scale of what was added up.
      double scale = 1;
      for (const double x : answer.accelerations) scale = std::max(scale, std::abs(x));
      for (const double x : answer.free) scale = std::max(scale, std::abs(x));
      for (const double x : answer.multipliers) scale = std::max(scale, std::abs(x));
      for (const double x : answer.rate) scale = std::max(scale, std::abs(x));
      for (const double x : q.state.position) scale = std::max(scale, std::abs(x));
      const auto compare = [&](const std::vector<double>& wanted, const std::string& what, bool judged) {
        for (std::size_t k = 0; k < wanted.size(); ++k) {
          std::string word;
          ASSERT_TRUE(numbers >> word);
          const double given = std::strtod(word.c_str(), nullptr);
          EXPECT_TRUE(!judged || std::abs(given - wanted[k]) <= rounding * scale + roundings * q.of_last_digits)
              << where << what << " " << k << ": " << given << " instead of " << wanted[k];
        }
      };
      compare(answer.accelerations, "acceleration", true);
      if (model.rows() == 0) continue;
      compare(answer.multipliers, "multiplier", answer.multipliers_unique);
      compare(answer.value, "value", true);
      compare(answer.rate, "rate", true);
      compare(answer.second, "second", true);
    }
  }

  std::vector<std::unique_ptr<model::Model>> models_;
  std::vector<std::string> names_, cpp_, python_;
  std::vector<Question> questions_;
};

constexpr const char* coupled = R"model(
title = 'Masses that depend on position and time, names that are words of the languages \'
[parameters]
lambda = 2
int    = 0.7
q      = 1.25
power  = 3
anchor = [0.5, 0.25]
[points.a]
mass     = "lambda/3"
position = [1, 0.2]
velocity = [0.5, 1]
force    = ["-int*a.x'*X", "sin(t)*X'^2 + atan2(a.y, a.x)"]
[coordinates.X]
initial  = 0.4
velocity = 1
force    = "tanh(a.x)*X' - abs(lambda - 5)*min(int, q)*X"
[coordinates.c1]
initial  = 0.5
velocity = "(0.3 - 1*0.4 - 0.5*0.2)/0.5"
[energy]
kinetic   = """lambda/2*(2 + sin(X)^2 + t^2)*X'^2 + (1 + c1^2)*c1'^2 + int*cos(X - c1)*c1'*X' + a.x*X'
             - int*c1*t*c1' + X^2/5"""
potential = "int*(a.x - X)^power/2 + exp(-t)*c1^3 + distance(a, anchor)^2*log(2 + X^2)"
[constraints]
rail = "a.x*X + 2*t*c1 = 0.9"
fast = "X' <= 1 + 0*a.x"
[simulation]
start = 0.5
until = 0.6
)model";

constexpr const char* ends = R"model(
[parameters]
n = 6
c = 1.5
[coordinates.x]
count    = "n"
initial  = "i/10"
velocity = "(-1)^i"
force    = "-c*i*x[i]' + mod(i, 3)*floor(i/2)"
[energy]
kinetic   = "sum(i = 1..n, x[i]'^2/2) + c/10*sum(i = 2..n, x[i]'*x[i-1]'*cos(x[i]))"
potential = """c/2*sum(i = 1..n-1, (x[i+1] - x[i])^2) + sum(i = 3..5, x[i]^4)
             - sum(i = 1..n, sum(j = i+1..n, cos(x[i] - x[j])))"""
[constraints]
ends = "x[1] + x[n] = 0.7"
pair = { for = "i = 1..n/2", condition = "x[i] - x[n+1-i] <= i" }
half = { for = "i = 2..5", condition = "x[floor(i/2)] - x[i] <= 1" }
odd  = { for = "k = 0..2", condition = "x[2*k+1]' >= -1" }
[simulation]
until = 0.3
)model";

constexpr const char* angles = R"model(
[parameters]
n = 4
l = 0.5
[coordinates.w]
count    = "n"
initial  = "i/5"
velocity = "1/i"
[energy]
kinetic   = "sum(k = 1..n, (sum(j = 1..k, l*cos(w[j])*w[j]'))^2/2 + (sum(j = 1..k, l*sin(w[j])*w[j]'))^2/2)"
potential = "-sum(k = 1..n, sum(j = 1..k, 9.81*l*cos(w[j])))"
[simulation]
until = 0.2
)model";

constexpr const char* moving_blade = R"model(
[parameters]
k = 1.5
[points.a]
mass     = 2
position = [0, 0]
velocity = [1, 0]
[coordinates.w]
initial  = 0
velocity = 1
[energy]
kinetic = "(1 + sin(w)^2)*w'^2/2"
[constraints]
blade = { condition = "a.x'*sin(w) - a.y'*cos(w) + k*t*w' = a.x*t", law = "variational", multiplier = 0.3 }
slide = "a.x'*a.y + w' = 1"
[simulation]
until = 0.5
)model";

/// All models with their questions, made once.
Examination& examination() {
  static Examination all = [] {
    Examination made;
    std::vector<fs::path> folders;
    for (const auto& entry : places::gallery_sample(1)) folders.push_back(entry.path());
    std::sort(folders.begin(), folders.end());
    for (const fs::path& folder : folders) {
      std::string text = content(folder / "model.toml");
      if (text.empty() || text.find("\n[flow]") != std::string::npos) continue;
      if (const std::size_t at = text.find("n     = 30"); at != std::string::npos) text.replace(at, 10, "n     = 4 ");
      // At a corner the engine is on the side that the motion enters, and formulas are at the corner itself; conditions of several
      // parts are rows of the engine and one formula on paper.
      const model::Model model = model::load(text, "model.toml");
      const bool parts = std::any_of(model.conditions.begin(), model.conditions.end(),
                                     [](const model::Condition& one) { return one.alternatives > 1; });
      // States on the way are those of a motion from event to event.
      if (model.switches > 0 || parts || model.simulation.method != model::Method::events) continue;
      made.add(folder.filename().string(), text);
    }
    made.add("coupled", coupled);
    made.add("ends", ends);
    made.add("angles", angles);
    made.add("moving blade", moving_blade);
    return made;
  }();
  return all;
}

TEST(GeneratedCode, of_cpp_compiles_alone_and_agrees_with_the_engine) {
  if (is_sanitized) GTEST_SKIP() << "the compiler is not what is watched here";
  EXPECT_GT(examination().questions(), 30U);
  examination().compile_and_run_cpp();
}

TEST(GeneratedCode, of_python_runs_and_agrees_with_the_engine) { examination().run_python(); }

/// The arguments that a program offers, one after the other.
std::string arguments_of(const std::string& program) {
  std::string out;
  std::istringstream lines(program.substr(program.find("class Parameters:")));
  std::string line;
  std::getline(lines, line);
  while (std::getline(lines, line) && line.starts_with("    ")) out += line.substr(4, line.find(" =") - 4) + " ";
  return out;
}

std::string python_of(const std::string& text, const std::string& parameter = {}, const std::string& value = {}) {
  const model::Draft draft = model::read(text, "model.toml");
  model::Overrides overrides;
  if (!parameter.empty()) overrides.parameters = {{parameter, value}};
  return equations_of(expressions::Notation::python, draft, model::compile(draft, overrides), false, false);
}

TEST(GeneratedCode, says_that_friction_at_rest_has_no_direction) {
  const std::string block = "[points.p]\nmass = 1\nposition = [0, 0]\nvelocity = [1, 0]\nforce = \"FRICTION\"\n";
  const std::string rubbed = std::string(block).replace(block.find("FRICTION"), 8, "-0.5*p'/norm(p')");
  const std::string free = std::string(block).replace(block.find("FRICTION"), 8, "-0.5*p'");
  EXPECT_NE(python_of(rubbed).find("# At rest a speed has no direction"), std::string::npos);
  EXPECT_EQ(python_of(free).find("no direction"), std::string::npos);
  const model::Draft draft = model::read(rubbed, "model.toml");
  const std::string text = equations_of(expressions::Notation::text, draft, model::compile(draft, {}), false, false);
  EXPECT_NE(text.find("where a speed is 0 its direction has no value"), std::string::npos) << text;
}

TEST(GeneratedCode, offers_those_parameters_alone_that_change_what_it_computes) {
  const std::string ball = R"(
[parameters]
k = 400
m = 0.5
g = 9.81
[bodies.ball]
mass = "m"
shape = { ball = 0.1 }
position = [0, 0, 0.5]
force = [0, 0, "-g"]
[springs]
s = { between = [[0, 0, 0], "ball"], length = 1, stiffness = "k" }
)";
  // Stiffness and inertia are numbers before there are equations: no argument claims to change them.
  const std::string program = python_of(ball);
  EXPECT_EQ(arguments_of(program), "g ");
  EXPECT_NE(program.find("#   k = 400\n#   m = 0.5\n"), std::string::npos) << program;
  EXPECT_NE(python_of(ball, "k", "800").find("800*ball_x"), std::string::npos);

  // The same parameter in a table and in a formula: half an argument would be worse than none.
  const std::string graded = R"toml(
[parameters]
k = -3
L = 2
[points.a]
mass = "L"
position = [0.5, 0]
force = ["table(a.x, [0, 1, 2], [0, k, 1])", "k*a.y"]
)toml";
  const std::string of_both = python_of(graded);
  EXPECT_EQ(arguments_of(of_both), "L ");
  EXPECT_EQ(of_both.find("p.k"), std::string::npos);
  EXPECT_NE(python_of(coupled).find("class Parameters"), std::string::npos);
}

}  // namespace
}  // namespace zwang::report::generated_code_tests
