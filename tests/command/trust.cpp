/// Nothing is lost in silence, and nothing that strangers wrote is obeyed: full disks, lost output, damaged files, signals, titles with intentions.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include "call.hpp"
#include "zwang/base/escape.hpp"

namespace zwang::command::trust_tests {

namespace {

namespace fs = std::filesystem;

const std::string falling = R"toml(title = "A ball falls"
gravity = [0, "-g"]
[parameters]
g = 10
[points.ball]
mass = 1
position = [0, 5]
[constraints]
floor = { condition = "ball.y >= 0", restitution = 0.5 }
[outputs]
height = "ball.y"
[simulation]
until = 1.5
)toml";

class Trust : public testing::Test {
 protected:
  void SetUp() override {
    if (!is_built) GTEST_SKIP() << "the command is not built";
    std::string name = (fs::temp_directory_path() / "zwang-trust-XXXXXX").string();
    folder_ = mkdtemp(name.data());
    std::ofstream(file("m.toml")) << falling;
    std::ofstream(file("d.csv")) << "t,height\n0,5\n0.1,4.95\n0.2,4.8\n0.3,4.55\n";
  }
  void TearDown() override {
    if (!folder_.empty()) fs::remove_all(folder_);
  }
  [[nodiscard]] std::string file(const std::string& name) const { return (folder_ / name).string(); }
  [[nodiscard]] std::size_t count_of(const std::string& ending) const {
    std::size_t count = 0;
    for (const auto& entry : fs::directory_iterator(folder_)) count += entry.path().string().ends_with(ending) ? 1 : 0;
    return count;
  }
  /// By the shell, in the folder: limits and redirections.
  [[nodiscard]] Outcome shell(const std::string& line) const {
    const int status = std::system(("cd " + folder_.string() + "; " + line + " 2> err").c_str());
    std::ifstream err(file("err"));
    return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), "",
            std::string(std::istreambuf_iterator<char>(err), {})};
  }
  fs::path folder_;
};

std::string content(const std::string& name) {
  std::ifstream file(name, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

bool has_commands(const std::string& text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::uint32_t character = next_character(text, at);
    if (character != '\n' && character != '\t' && is_command(character)) return true;
  }
  return false;
}

}  // namespace

TEST_F(Trust, output_that_is_lost_is_status_5) {
  for (const std::string arguments : {"--help",
                                      "--version",
                                      "check m.toml",
                                      "check m.toml --json",
                                      "accelerate m.toml",
                                      "explain m.toml",
                                      "impact m.toml",
                                      "run m.toml --no-report",
                                      "run m.toml --no-report --json",
                                      "run m.toml --no-report --quiet",
                                      "equations m.toml",
                                      "equations m.toml --format cpp",
                                      "analyze stability m.toml",
                                      "gallery",
                                      "gallery bouncing-ball",
                                      "gallery --json",
                                      "schema",
                                      "view m.toml --no-open",
                                      "check m.toml --repair",
                                      "check m.toml --quiet",
                                      "accelerate m.toml --exact --json",
                                      "explain m.toml --json",
                                      "impact m.toml --json",
                                      "equations m.toml --format latex",
                                      "equations m.toml --format python",
                                      "equations m.toml --json",
                                      "compare m.toml --no-report",
                                      "compare m.toml --no-report --json",
                                      "fit m.toml d.csv --free g --no-report",
                                      "fit m.toml d.csv --free g --no-report --json",
                                      "sweep m.toml --over g=8,9",
                                      "sweep m.toml --over g=8,9 --json",
                                      "run m.toml --no-report --vary g=8,9 --json",
                                      "run m.toml --no-report --sensitivity g --json",
                                      "run m.toml --no-report --error",
                                      "analyze integrability gallery:skate",
                                      "analyze measure m.toml",
                                      "analyze velocities m.toml",
                                      "analyze fourier m.toml",
                                      "analyze curvature m.toml",
                                      "analyze energy m.toml",
                                      "analyze reversal m.toml --json",
                                      "live m.toml --no-open --json",
                                      "view m.toml --no-open --json",
                                      "gallery",
                                      "gallery bouncing-ball --physics",
                                      "gallery bouncing-ball --run --quiet",
                                      "analyze --help"}) {
    const Outcome lost = shell(path + " " + arguments + " > /dev/full");
    EXPECT_EQ(lost.exit, 5) << arguments << ": " << lost.err;
    const std::size_t told = lost.err.find("standard output");
    EXPECT_NE(told, std::string::npos) << arguments << ": " << lost.err;
    EXPECT_EQ(lost.err.rfind("standard output"), told) << arguments << ": said twice: " << lost.err;
  }
  EXPECT_EQ(shell(path + " check m.toml --json >&-").exit, 5) << "no output at all";
}

TEST_F(Trust, files_that_do_not_fit_are_said_and_older_ones_stay) {
  ASSERT_EQ(shell(path + " run m.toml --out . --csv --svg > out").exit, 0);
  const std::string table = content(file("m.csv"));
  const std::string page = content(file("m.html"));
  ASSERT_GT(table.size(), 20'000U);
  ASSERT_EQ(count_of(".part"), 0U);

  // In blocks of 512 or 1024 bytes: less than the tables have.
  const Outcome full = shell("ulimit -f 10; " + path + " run --resume m.sqlite --csv --no-report > out");
  EXPECT_EQ(full.exit, 5) << full.err;
  EXPECT_NE(full.err.find("m.csv"), std::string::npos) << full.err;
  const Outcome report = shell("ulimit -f 10; " + path + " run --resume m.sqlite > out");
  EXPECT_EQ(report.exit, 5) << report.err;
  EXPECT_NE(report.err.find("no report was written"), std::string::npos) << report.err;
  EXPECT_EQ(content(file("m.csv")), table);
  EXPECT_EQ(content(file("m.html")), page);
  EXPECT_EQ(count_of(".part"), 0U);
}

TEST_F(Trust, a_run_that_cannot_grow_says_how_much_is_kept) {
  const Outcome full = shell("ulimit -f 400; " + path +
                             " run m.toml --out . --no-report --samples 200000 --checkpoint 0 --until 1000 > out");
  EXPECT_EQ(full.exit, 5) << full.err;
  EXPECT_NE(full.err.find("limit of file sizes"), std::string::npos) << full.err;
  EXPECT_TRUE(full.err.find("the run up to t = ") != std::string::npos ||
              full.err.find("nothing of the motion is kept yet") != std::string::npos)
      << full.err;
  const Outcome on = shell(path + " run --resume m.sqlite --no-report --quiet > out");
  EXPECT_EQ(on.exit, 0) << on.err;
}

TEST_F(Trust, a_run_that_will_be_large_says_so_before_it_is) {
  // It is said at once; what follows is cut short.
  const std::string limited = "ulimit -f 400; ulimit -t 1; " + path + " run m.toml --out . --no-report ";
  EXPECT_NE(shell(limited + "--samples 3000000 > out").err.find("GiB"), std::string::npos);
  EXPECT_EQ(shell(limited + "--samples 3000000 --quiet > out").err.find("GiB"), std::string::npos);
  EXPECT_EQ(shell(path + " run m.toml --out . --no-report > out").err, "");
}

TEST_F(Trust, a_model_without_end_is_refused) {
  const Outcome endless = shell(path + " check /dev/zero > out");
  EXPECT_EQ(endless.exit, 2);
  EXPECT_NE(endless.err.find("at most 256 MiB"), std::string::npos) << endless.err;
}

TEST_F(Trust, a_link_in_the_place_of_a_temporary_file_is_not_written_through) {
  std::ofstream(file("diary")) << "dear";
  // The number of the process is not known beforehand: every one of the next ones.
  const pid_t now = getpid();
  for (pid_t k = now; k < now + 400; ++k)
    fs::create_symlink(file("diary"), file("m.html." + std::to_string(k) + ".part"));
  EXPECT_EQ(shell(path + " run m.toml --out . > out").exit, 0);
  EXPECT_EQ(content(file("diary")), "dear");
  EXPECT_GT(fs::file_size(file("m.html")), 1000U);
}

TEST_F(Trust, a_damaged_run_file_is_status_5_and_named) {
  ASSERT_EQ(shell(path + " run m.toml --out . --no-report > out").exit, 0);
  std::string bytes = content(file("m.sqlite"));
  const std::size_t place = bytes.find("restitution = 0.5");
  ASSERT_NE(place, std::string::npos);
  bytes[place + 16] = '6';
  std::ofstream(file("m.sqlite"), std::ios::binary) << bytes;
  for (const std::string arguments :
       {"view --no-open m.sqlite", "run --resume m.sqlite", "run --resume m.sqlite --csv --sample-at 0.5 --json",
        "accelerate m.sqlite", "check m.sqlite --json"}) {
    const Outcome refused = shell(path + " " + arguments + " > out");
    EXPECT_EQ(refused.exit, 5) << arguments;
    const std::string said = refused.err + content(file("out"));
    EXPECT_NE(said.find("table run, line 1"), std::string::npos) << arguments << ": " << said;
  }
  EXPECT_EQ(shell(path + " run --resume nothing.sqlite > out").exit, 2) << "a file that is not there is a mistake";
}

TEST_F(Trust, a_signal_while_a_finished_run_is_only_told_ends_it_cleanly) {
  ASSERT_EQ(shell(path + " run m.toml --out . --no-report --samples 150000 > out").exit, 0);
  // Where the machine has other work to do the program may be ready before the signal comes: then all is there, and once more.
  bool interrupted = false;
  for (int attempt = 0; attempt < 20 && !interrupted; ++attempt) {
    for (const auto& entry : fs::directory_iterator(folder_))
      if (entry.path().extension() == ".csv") fs::remove(entry.path());
    const pid_t child = fork();
    if (child == 0) {
      if (chdir(folder_.c_str()) != 0) _exit(127);
      const int nothing = open("/dev/null", O_WRONLY);
      dup2(nothing, 1);
      dup2(nothing, 2);
      std::signal(SIGINT, SIG_DFL);  // a shell in the background starts the tests with it ignored
      execl(path.c_str(), path.c_str(), "run", "--resume", "m.sqlite", "--csv", "--no-report", nullptr);
      _exit(127);
    }
    // However long it takes to begin: until a table is on its way, or all is over.
    int status = 0;
    bool over = false;
    while (!over && count_of(".part") == 0) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      over = waitpid(child, &status, WNOHANG) == child;
    }
    if (!over) {
      kill(child, SIGINT);
      waitpid(child, &status, 0);
    }
    ASSERT_TRUE(WIFEXITED(status));
    EXPECT_EQ(count_of(".part"), 0U);
    interrupted = WEXITSTATUS(status) == 130;
    ASSERT_TRUE(interrupted || WEXITSTATUS(status) == 0) << WEXITSTATUS(status);
    // Two tables, samples and events: the second is not begun when the first is not ended.
    EXPECT_LT(count_of(".csv"), interrupted ? 2U : 3U);
  }
  EXPECT_TRUE(interrupted);
}

TEST_F(Trust, text_of_a_model_becomes_no_code_and_commands_no_terminal) {
  const std::string body = falling.substr(falling.find('\n') + 1);
  for (const std::string title :
       {R"(x\rprint('INJECTED'))", R"(x\u2028print('INJECTED'))", R"(x\nprint('INJECTED'))",
        R"(x\u0085print('INJECTED'))", R"(x\fprint('INJECTED') \\)", R"(-*- coding: utf-7 -*- +AAo-print('INJECTED'))",
        R"(\u001b]0;INJECTED\u0007)", R"(\u202eINJECTED\u2066)", R"(\"\"\"INJECTED''' */ INJECTED)",
        R"(</title></script><script>INJECTED</script>)", R"(\\end{document}\\input{INJECTED})"}) {
    SCOPED_TRACE(title);
    const std::string model = "title = \"" + title + "\"\n" + body;
    for (const std::string format : {"python", "cpp"}) {
      const Outcome code = call({"equations", "-", "--format", format}, model);
      ASSERT_EQ(code.exit, 0) << code.err;
      EXPECT_FALSE(has_commands(code.out));
      const std::string mark = format == "python" ? "#" : "//";
      std::size_t found = 0;
      for (std::size_t at = code.out.find("INJECTED"); at != std::string::npos;
           at = code.out.find("INJECTED", at + 1)) {
        const std::size_t newline = code.out.rfind('\n', at);
        EXPECT_TRUE(code.out.substr(newline == std::string::npos ? 0 : newline + 1).starts_with(mark));
        ++found;
      }
      EXPECT_GT(found, 0U) << "the title stands in a comment";
      EXPECT_EQ(code.out.find("coding:"), std::string::npos);
    }
    for (const std::vector<std::string>& arguments :
         std::vector<std::vector<std::string>>{{"check", "-"},
                                               {"explain", "-"},
                                               {"check", "-", "--json"},
                                               {"equations", "-"},
                                               {"equations", "-", "--format", "latex"},
                                               {"run", "-", "--out", folder_.string(), "--svg"},
                                               {"run", "-", "--no-report", "--out", folder_.string(), "--json"}}) {
      const Outcome told = call(arguments, model);
      EXPECT_EQ(told.exit, 0) << told.err;
      EXPECT_FALSE(has_commands(told.out)) << told.out;
    }
    for (const char* figure : {"model-path.svg", "model-coordinates.svg"}) {
      const std::string svg = content(file(figure));
      EXPECT_FALSE(has_commands(svg));
      EXPECT_EQ(svg.find("<script"), std::string::npos);
    }
    const std::string page = content(file("model.html"));
    EXPECT_EQ(page.find("<script>INJECTED"), std::string::npos);
  }
  // Mistakes are shown, and not obeyed either.
  const Outcome wrong =
      call({"check", "-"}, "title = \"a\"\n[points.a]\nmass = 1\nposition = [0, 0]\nforce = [\"\xE2\x80\xAE +\", 0]\n");
  EXPECT_EQ(wrong.exit, 2);
  EXPECT_FALSE(has_commands(wrong.err)) << wrong.err;
}

TEST_F(Trust, words_of_the_command_line_and_names_of_files_command_no_terminal) {
  const std::string hostile =
      "\x1b]0;INJECTED\x07\x1b[2J\xE2\x80\xAE\xE2\x81\xA6\xC2\x85\xC2\x9B\r</script>\xE2\x80\xA8`$(id)`\"';";
  const std::string model = file("m.toml"), data = file("d.csv"), design = file("design.csv");
  std::ofstream(design) << hostile << "\n1\n";
  std::ofstream(file("bad.csv")) << "t," << hostile << "\n0,1\n";
  const std::string named = file(hostile.substr(0, hostile.find('<')) + ".toml");
  std::ofstream(named) << falling;
  for (const std::vector<std::string>& arguments : std::vector<std::vector<std::string>>{
           {hostile},
           {"--" + hostile},
           {"analyze", hostile},
           {"gallery", hostile},
           {"check", hostile},
           {"check", model, "--" + hostile},
           {"check", model, "--set", hostile},
           {"check", model, "--set", hostile + "=1"},
           {"check", model, "--set", "g=" + hostile},
           {"check", model, "--at", hostile},
           {"check", model, "--samples", hostile},
           {"run", model, "--checkpoint", hostile},
           {"run", model, "--sample-at", hostile},
           {"run", model, "--vary", hostile},
           {"run", model, "--sensitivity", hostile},
           {"run", model, "--svg", "--projection", hostile, "--no-report", "--out", file("out")},
           {"run", "--resume", hostile},
           {"sweep", model, "--over", hostile},
           {"sweep", model, "--over", "@" + design},
           {"sweep", model, "--over", "g=8,9", "--record", hostile},
           {"sweep", model, "--over", "g=8,9", "--jobs", hostile},
           {"fit", model, hostile, "--free", "g"},
           {"fit", model, file("bad.csv"), "--free", "g"},
           {"fit", model, data, "--free", hostile},
           {"equations", model, "--format", hostile},
           {"analyze", "fourier", model, "--member", hostile},
           {"view", hostile, "--no-open"}}) {
    for (const bool json : {false, true}) {
      std::vector<std::string> words = arguments;
      if (json) words.emplace_back("--json");
      const Outcome told = call(words);
      EXPECT_EQ(told.exit, 2) << arguments[0] << " " << plain_line(arguments.back()) << ": " << plain_line(told.err);
      EXPECT_FALSE(has_commands(told.out)) << arguments[0] << " " << plain_line(arguments.back());
      EXPECT_FALSE(has_commands(told.err)) << arguments[0] << " " << plain_line(arguments.back());
    }
  }
  for (const char* question : {"check", "run", "explain"}) {
    std::vector<std::string> words = {question, named};
    if (words[0] == "run") words.insert(words.end(), {"--out", file("out")});
    const Outcome told = call(words);
    EXPECT_EQ(told.exit, 0) << plain_line(told.err);
    EXPECT_FALSE(has_commands(told.out) || has_commands(told.err)) << question;
  }
}

TEST_F(Trust, seconds_between_checkpoints_are_seconds) {
  for (const char* wrong : {"nan", "inf", "-1", "3601", "two"}) {
    EXPECT_EQ(call({"run", file("m.toml"), "--no-report", "--checkpoint", wrong, "--out", file("out")}).exit, 2)
        << wrong;
  }
}

TEST_F(Trust, the_page_runs_its_own_script_and_no_other) {
  ASSERT_EQ(shell(path + " run m.toml --out . > out").exit, 0);
  const std::string page = content(file("m.html"));
  const std::size_t policy = page.find("Content-Security-Policy");
  ASSERT_NE(policy, std::string::npos);
  const std::string rules = page.substr(policy, page.find('>', policy) - policy);
  for (const char* rule :
       {"default-src 'none'", "script-src 'sha256-", "style-src 'sha256-", "base-uri 'none'", "form-action 'none'"}) {
    EXPECT_NE(rules.find(rule), std::string::npos) << rules;
  }
  for (const char* loose : {"unsafe", "http", "*"}) EXPECT_EQ(rules.find(loose), std::string::npos) << rules;
}

}  // namespace zwang::command::trust_tests
