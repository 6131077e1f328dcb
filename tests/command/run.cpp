/// `zwang run`: answers, files, samples, interruptions, continuations, troubles.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <csignal>
#include <ctime>
#include <filesystem>
#include <functional>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "command/call.hpp"

namespace zwang::command::run_tests {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

const std::string ball = R"toml(title = "ball"
gravity = [0, "-g"]
[parameters]
g = 10
[points.ball]
mass = 2
position = [0, 0]
velocity = [1, -4]
[coordinates.w]
initial = 1
velocity = 0.5
[energy]
kinetic = "w'^2/2"
[constraints]
floor = { condition = "ball.y >= 0", restitution = 0.5 }
[outputs]
height = "ball.y"
[simulation]
until = 2
samples = 21
)toml";

/// Never ends by itself: thousands of bounces a second of computing.
const std::string endless = R"toml(gravity = [0, -9.81]
[points.ball]
mass = 1
position = [0.3, 0.7]
velocity = [1, 0]
[constraints]
floor = { condition = "ball.y >= 0", restitution = 1 }
left = { condition = "ball.x >= 0", restitution = 1 }
right = { condition = "ball.x <= 1", restitution = 1 }
[simulation]
until = 1e9
)toml";

std::vector<std::string> keys(const Json& object) {
  std::vector<std::string> out;
  for (const auto& [key, value] : object.items()) out.push_back(key);
  return out;
}

std::string content(const std::string& name) {
  std::ifstream file(name, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<std::string> lines(const std::string& text) {
  std::vector<std::string> list;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) list.push_back(line);
  return list;
}

std::string message(const JsonOutcome& outcome) {
  return outcome.json.contains("error") ? outcome.json["error"].value("message", "") : "no error: " + outcome.out;
}

/// The numbers of a state, in whatever order.
void expect_same_state(const Json& a, const Json& b) {
  EXPECT_EQ(a.at("positions"), b.at("positions"));
  EXPECT_EQ(a.at("velocities"), b.at("velocities"));
}

}  // namespace

class Run : public testing::Test {
 protected:
  void SetUp() override {
    if (!is_built) GTEST_SKIP() << "the command is not built";
    std::string name = (fs::temp_directory_path() / "zwang-run-XXXXXX").string();
    folder_ = mkdtemp(name.data());
    write("ball.toml", ball);
    write("endless.toml", endless);
  }
  void TearDown() override {
    std::error_code code;
    if (!folder_.empty()) fs::remove_all(folder_, code);
  }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(file(name), std::ios::binary) << text;
  }
  [[nodiscard]] std::string file(const std::string& name) const { return (folder_ / name).string(); }
  [[nodiscard]] std::string out(const std::string& name) const { return (folder_ / "out" / name).string(); }

  /// With the files in this test's own folder.
  [[nodiscard]] JsonOutcome run(std::vector<std::string> more, const std::string& model = "ball.toml") const {
    std::vector<std::string> words{"run", file(model), "--out", (folder_ / "out").string()};
    words.insert(words.end(), more.begin(), more.end());
    return call_json(words);
  }
  [[nodiscard]] static JsonOutcome resume(const std::string& name, std::vector<std::string> more = {}) {
    std::vector<std::string> words{"run", "--resume", name};
    words.insert(words.end(), more.begin(), more.end());
    return call_json(words);
  }

  /// Starts a run, waits until its file says that it goes, does something to it, and gives its end.
  Outcome disturbed(
      const std::vector<std::string>& words, const std::function<void(pid_t)>& disturb,
      const std::function<void()>& prepare = [] {}) const {
    const TemporaryFile printed("");
    const TemporaryFile troubled("");
    std::vector<std::string> all = words;
    std::string program = path;
    std::vector<char*> pointers = {program.data()};
    for (auto& word : all) pointers.push_back(word.data());
    pointers.push_back(nullptr);
    const pid_t child = fork();
    if (child == 0) {
      dup2(open(printed.name().c_str(), O_WRONLY | O_CLOEXEC), 1);
      dup2(open(troubled.name().c_str(), O_WRONLY | O_CLOEXEC), 2);
      // Whoever started the tests may have them ignored: a shell in the background, nohup.
      for (const int signal : {SIGINT, SIGTERM, SIGHUP}) std::signal(signal, SIG_DFL);
      prepare();
      execv(program.c_str(), pointers.data());
      _exit(127);
    }
    disturb(child);
    int status = 0;
    waitpid(child, &status, 0);
    return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), printed.content(), troubled.content()};
  }
  /// Until the file is there and the run has worked for some time beyond: not by the clock on the wall, for the machine may be busy.
  static void wait_for(pid_t child, const std::string& name) {
    constexpr double beyond = 0.06;  // seconds of a processor
    const auto over = [&] {
      siginfo_t info{};
      return waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid == child;
    };
    const auto worked = [&] {
      clockid_t clock{};
      timespec time{};
      if (clock_getcpuclockid(child, &clock) != 0 || clock_gettime(clock, &time) != 0) return 0.0;
      return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
    };
    const auto rest = [] { std::this_thread::sleep_for(std::chrono::milliseconds(5)); };
    while (!over() && !(fs::exists(name) && fs::file_size(name) > 0)) rest();
    for (const double begun = worked(); !over() && worked() < begun + beyond;) rest();
  }

  fs::path folder_;
};

TEST_F(Run, a_run_file_answers_questions_about_any_instant_of_it) {
  // A pendulum: what accelerate says at an instant of its run is what it says of the model started there.
  const auto pendulum = [](const std::string& position, const std::string& velocity) {
    return "gravity = [0, -10]\n[points.bob]\nmass = 2\nposition = " + position + "\nvelocity = " + velocity +
           "\n[constraints]\nrod = \"distance(bob, [0, 0]) = 1\"\n[simulation]\nuntil = 1\n";
  };
  write("pendulum.toml", pendulum("[1, 0]", "[0, 0]"));
  const auto made = run({"--no-report", "--sample-at", "0.25"}, "pendulum.toml");
  ASSERT_EQ(made.exit, 0) << made.out;
  const Json& sample = made.json.at("samples").at(0);
  write("there.toml", pendulum(sample.at("positions").at("bob").dump(), sample.at("velocities").at("bob").dump()));
  const auto there = call_json({"accelerate", out("pendulum.sqlite"), "--at", "0.25"});
  const auto started = call_json({"accelerate", file("there.toml")});
  ASSERT_EQ(there.exit, 0) << there.out;
  ASSERT_EQ(started.exit, 0) << started.out;
  EXPECT_EQ(there.json.at("time"), 0.25);
  EXPECT_EQ(there.json.at("accelerations"), started.json.at("accelerations"));
  EXPECT_EQ(there.json.at("multipliers"), started.json.at("multipliers"));

  // Without a time it is the state reached.
  const auto last = call_json({"accelerate", out("pendulum.sqlite")});
  EXPECT_EQ(last.json.at("time"), 1.0);
  EXPECT_NEAR(last.json.at("multipliers").at("rod").get<double>(),
              made.json.at("final").at("multipliers").at("rod").get<double>(), 1e-9);

  // What the run does not know is refused.
  for (const std::vector<std::string>& words : {std::vector<std::string>{"--at", "3"}, {"--set", "g=1"}}) {
    std::vector<std::string> all{"check", out("pendulum.sqlite")};
    all.insert(all.end(), words.begin(), words.end());
    EXPECT_EQ(call_json(all).exit, 2);
  }
  // What was let go on the way is gone: a free fall, though `when` is true no more.
  for (const char* due : {"at = 0.5", "when = \"bob.y <= -0.5 and bob.y >= -0.6\""}) {
    write("let-go.toml", pendulum("[1, 0]", "[0, 0]") + "[[releases]]\nconstraint = \"rod\"\n" + due + "\n");
    ASSERT_EQ(run({"--no-report"}, "let-go.toml").exit, 0);
    const auto held = call_json({"accelerate", out("let-go.sqlite"), "--at", "0.25"});
    EXPECT_GT(held.json.at("multipliers").at("rod").get<double>(), 1);
    const auto gone = call_json({"accelerate", out("let-go.sqlite")});
    ASSERT_EQ(gone.exit, 0) << gone.out;
    EXPECT_EQ(gone.json.at("accelerations").at("bob").at(0), 0);
  }
}

TEST_F(Run, an_angle_that_has_passed_its_cut_is_asked_for_as_it_was_followed) {
  // Round the circle from the angle 2 at the speed 2: 3.4 at the end of the first half turn's piece, and on the second one.
  write("ring.toml",
        "[points.a]\nmass = 1\nposition = [\"cos(2)\", \"sin(2)\"]\nvelocity = [\"-2*sin(2)\", \"2*cos(2)\"]\n"
        "[constraints]\nring = \"norm(a) = 1\"\nlimit = \"atan2(a.y, a.x) >= -2.5\"\n[simulation]\nuntil = 3\n");
  for (const double time : {0.4, 0.7, 1.7, 3.0}) {
    ASSERT_EQ(run({"--no-report", "--until", std::to_string(time)}, "ring.toml").exit, 0);
    const auto there = call_json({"accelerate", out("ring.sqlite")});
    EXPECT_EQ(there.json.at("status"), "determined") << time;
    const auto checked = call_json({"check", out("ring.sqlite"), "--at", std::to_string(time / 2)});
    EXPECT_NEAR(checked.json.at("constraints").at("limit").at("value").get<double>(), -2.5 - (2 + time), 1e-9) << time;
  }
}

TEST_F(Run, a_state_between_the_steps_of_a_run_is_admissible_and_struck_by_nothing) {
  // A drum on its axle at the origin, with dust of 1e-35 there; and loops that hold more than is needed.
  for (const std::string model : {"disc-in-a-drum", "bricard"}) {
    ASSERT_EQ(call_json({"run", "gallery:" + model, "--no-report", "--until", "1", "--out", file("out")}).exit, 0);
    for (const char* time : {"0.17", "0.43", "1"}) {
      const auto there = call_json({"accelerate", out(model + ".sqlite"), "--at", time});
      EXPECT_EQ(there.json.at("status"), "determined") << model << time << there.out;
    }
  }
}

TEST_F(Run, a_run_that_ended_at_the_instant_of_a_contact_goes_on_from_there) {
  ASSERT_EQ(call_json({"run", "gallery:inchworm", "--no-report", "--until", "pi", "--out", file("out")}).exit, 0);
  const auto on = call_json({"run", "--resume", out("inchworm.sqlite"), "--until", "4", "--no-report"});
  ASSERT_EQ(on.exit, 0) << on.out;
  const auto whole = call_json({"run", "gallery:inchworm", "--no-report", "--until", "4", "--out", file("whole")});
  EXPECT_NEAR(on.json.at("final").at("positions").at("tail").get<double>(),
              whole.json.at("final").at("positions").at("tail").get<double>(), 1e-12);
  EXPECT_EQ(on.json.at("events").size(), whole.json.at("events").size());
}

TEST_F(Run, the_answer_has_the_pinned_keys_in_their_order) {
  const auto answer = run({"--sample-at", "0.5,1"});
  ASSERT_EQ(answer.exit, 0) << answer.out << answer.err;
  EXPECT_EQ(keys(answer.json), (std::vector<std::string>{"zwang", "model", "status", "final", "samples", "events",
                                                         "energy", "drift", "defect", "steps", "correction", "files"}));
  EXPECT_EQ(answer.json["status"], "finished");
  EXPECT_EQ(keys(answer.json["final"]),
            (std::vector<std::string>{"time", "positions", "velocities", "multipliers", "outputs"}));
  EXPECT_EQ(answer.json["final"]["time"], 2.0);
  EXPECT_TRUE(answer.json["final"]["positions"]["ball"].is_array());
  EXPECT_TRUE(answer.json["final"]["positions"]["w"].is_number());
  const Json& event = answer.json["events"][0];
  EXPECT_EQ(keys(event),
            (std::vector<std::string>{"time", "kind", "constraints", "impulses", "positions", "velocities", "lost"}));
  EXPECT_EQ(event["kind"], "impact");
  EXPECT_EQ(event["constraints"], Json::array({"floor"}));
  EXPECT_NEAR(event["impulses"]["floor"].get<double>(), 12, 1e-12);
  EXPECT_EQ(keys(answer.json["energy"]), (std::vector<std::string>{"initial", "work", "lost", "final", "defect"}));
  EXPECT_EQ(keys(answer.json["drift"]), (std::vector<std::string>{"position", "velocity"}));
  EXPECT_EQ(answer.json["files"], Json::array({out("ball.sqlite"), out("ball.html")}));
  EXPECT_TRUE(fs::exists(out("ball.sqlite")));
  EXPECT_TRUE(fs::exists(out("ball.html")));
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_ / "out"), fs::directory_iterator()), 2);
}

TEST_F(Run, a_half_elastic_ball_rests_after_its_accumulation_and_the_account_of_energy_closes) {
  const auto answer = run({});
  ASSERT_EQ(answer.exit, 0) << answer.out;
  EXPECT_FALSE(answer.json.contains("samples"));
  const Json& last = answer.json["events"].back();
  EXPECT_EQ(last["kind"], "accumulation");
  EXPECT_NEAR(last["time"].get<double>(), 0.8, 1e-13);
  EXPECT_NEAR(answer.json["final"]["multipliers"]["floor"].get<double>(), 20, 1e-9);
  EXPECT_NEAR(answer.json["final"]["positions"]["w"].get<double>(), 2, 1e-12);
  const Json& energy = answer.json["energy"];
  EXPECT_NEAR(energy["initial"].get<double>(), 17.125, 1e-12);
  EXPECT_NEAR(energy["lost"].get<double>(), 16, 1e-12);
  EXPECT_EQ(energy["initial"].get<double>() + energy["work"].get<double>() - energy["lost"].get<double>() +
                energy["defect"].get<double>(),
            energy["final"].get<double>());
}

TEST_F(Run, samples_are_asked_for_by_number_or_expression_and_at_an_event_show_what_follows_it) {
  const auto answer = run({"--sample-at", "0.4,0.5,g/5,0"});
  ASSERT_EQ(answer.exit, 0) << answer.out;
  const Json& samples = answer.json["samples"];
  ASSERT_EQ(samples.size(), 4U);
  EXPECT_NEAR(samples[0]["velocities"]["ball"][1].get<double>(), 1, 1e-12) << "after the impact at 0.4";
  EXPECT_NEAR(samples[1]["velocities"]["ball"][1].get<double>(), 0, 1e-12);
  EXPECT_NEAR(samples[1]["positions"]["ball"][1].get<double>(), 0.05, 1e-12);
  EXPECT_EQ(samples[1]["outputs"]["height"], samples[1]["positions"]["ball"][1]);
  expect_same_state(samples[2], answer.json["final"]);
  EXPECT_NEAR(samples[3]["velocities"]["ball"][1].get<double>(), 2, 1e-12) << "after the impact at the start";
}

TEST_F(Run, instants_outside_of_the_run_are_an_error_in_a_sentence) {
  for (const char* bad : {"2.1", "-0.1", "0.5,7"}) {
    const auto answer = run({std::string("--sample-at=") + bad});
    EXPECT_EQ(answer.exit, 2);
    EXPECT_NE(message(answer).find("outside of the run, which goes from 0 to 2"), std::string::npos) << message(answer);
  }
  for (const char* bad : {"soon", "0.5,", ",", "0.5,,1"}) {
    EXPECT_EQ(run({std::string("--sample-at=") + bad}).exit, 2) << bad;
  }
  EXPECT_FALSE(fs::exists(out("ball.sqlite"))) << "nothing is written before the command line is understood";
}

TEST_F(Run, options_replace_what_the_model_says) {
  EXPECT_EQ(run({"--until", "1"}).json["final"]["time"], 1.0);
  EXPECT_EQ(run({"--until", "g/4"}).json["final"]["time"], 2.5);
  EXPECT_NEAR(run({"--set", "g=20"}).json["final"]["multipliers"]["floor"].get<double>(), 40, 1e-9);
  EXPECT_EQ(run({"--at", "1"}).json["events"][0]["time"], 1.0);
  const auto backwards = run({"--at", "5"});
  EXPECT_EQ(backwards.exit, 2);
  EXPECT_NE(message(backwards).find("--until"), std::string::npos);
  EXPECT_EQ(run({"--tolerance", "1e-8"}).exit, 0);
  EXPECT_EQ(run({"--samples", "0"}).exit, 2);
  EXPECT_EQ(call_json({"run"}).exit, 2);
}

TEST_F(Run, csv_has_one_line_per_sample_and_per_event_and_reads_back_exactly) {
  const auto answer = run({"--csv", "--samples", "11"});
  ASSERT_EQ(answer.exit, 0) << answer.out;
  EXPECT_EQ(answer.json["files"],
            Json::array({out("ball.sqlite"), out("ball.csv"), out("ball-events.csv"), out("ball.html")}));
  const auto samples = lines(content(out("ball.csv")));
  ASSERT_EQ(samples.size(), 12U);
  EXPECT_EQ(samples[0], "time,ball.x,ball.y,w,ball.x',ball.y',w',lambda floor,height");
  EXPECT_EQ(samples[1].substr(0, 6), "0,0,0,");
  std::istringstream last(samples[11]);
  std::vector<double> values;
  for (std::string cell; std::getline(last, cell, ',');) values.push_back(std::stod(cell));
  ASSERT_EQ(values.size(), 9U);
  const Json& final = answer.json["final"];
  EXPECT_EQ(values[1], final["positions"]["ball"][0].get<double>());
  EXPECT_EQ(values[2], final["positions"]["ball"][1].get<double>());
  EXPECT_EQ(values[7], final["multipliers"]["floor"].get<double>());
  EXPECT_NE(samples[2].find(",,"), std::string::npos) << "no multiplier while the ball flies";
  const auto events = lines(content(out("ball-events.csv")));
  ASSERT_EQ(events.size(), 1 + answer.json["events"].size());
  EXPECT_EQ(events[0].substr(0, 39), "time,kind,constraints,impulses,lost,bal");
  EXPECT_EQ(events[1].substr(0, 28), "0,impact,floor,floor=12.0000");
}

TEST_F(Run, names_with_commas_are_quoted_in_csv) {
  write("net.toml", R"toml([points.knot]
count = [1, 2]
mass = 1
position = ["i", "j"]
velocity = [0, 1]
)toml");
  ASSERT_EQ(run({"--csv"}, "net.toml").exit, 0);
  EXPECT_EQ(lines(content(out("net.csv")))[0].substr(0, 40), "time,\"knot[1,1].x\",\"knot[1,1].y\",\"knot[1");
}

TEST_F(Run, running_again_replaces_the_older_run_but_no_foreign_file) {
  ASSERT_EQ(run({"--until", "1"}).exit, 0);
  ASSERT_EQ(run({}).exit, 0);
  EXPECT_EQ(resume(out("ball.sqlite")).json["final"]["time"], 2.0);
  fs::remove(out("ball.sqlite"));
  write("out/ball.sqlite", "thoughts of mine");
  const auto answer = run({});
  EXPECT_EQ(answer.exit, 2);
  EXPECT_NE(message(answer).find("stays as it is"), std::string::npos) << message(answer);
  EXPECT_EQ(content(out("ball.sqlite")), "thoughts of mine");
}

TEST_F(Run, people_read_a_table_of_events_and_the_account) {
  const auto answer = call({"run", file("ball.toml"), "--out", file("out")});
  EXPECT_EQ(answer.exit, 0);
  EXPECT_EQ(answer.err, "") << "no progress line where there is no terminal";
  for (const char* part : {"finished at t = 2", "accumulation", "energy: 17.125 initial + 0 work - 16 lost",
                           "worst drift", "steps", "ball.sqlite"}) {
    EXPECT_NE(answer.out.find(part), std::string::npos) << part << "\n" << answer.out;
  }
  EXPECT_EQ(call({"run", file("ball.toml"), "--out", file("out"), "--quiet"}).out, "finished\n");
}

TEST_F(Run, a_thousand_events_are_cut_in_the_table_and_whole_in_json) {
  const auto text = call({"run", file("endless.toml"), "--out", file("out"), "--until", "500"}).out;
  EXPECT_LT(lines(text).size(), 90U);
  EXPECT_NE(text.find("more"), std::string::npos);
  EXPECT_GT(run({"--until", "500"}, "endless.toml").json["events"].size(), 1000U);
}

TEST_F(Run, the_exit_status_tells_what_kind_of_end_it_was) {
  write("stop.toml", ball + "stop = \"ball.x >= 1\"\n");
  const auto stopped = run({}, "stop.toml");
  EXPECT_EQ(stopped.exit, 0);
  EXPECT_EQ(stopped.json["status"], "stopped");
  EXPECT_NEAR(stopped.json["final"]["time"].get<double>(), 1, 1e-12);
  write("jam.toml", call({"gallery", "jam"}).out);
  const auto jammed = run({}, "jam.toml");
  EXPECT_EQ(jammed.exit, 3);
  EXPECT_EQ(jammed.json["status"], "jammed");
  EXPECT_FALSE(jammed.json["why"].get<std::string>().empty());
  EXPECT_TRUE(jammed.json["final"].contains("positions"));
  write("broken.toml", "[points.a]\nmass = 1\nposition = [0, 1]\n[constraints]\nroof = \"a.y <= 0\"\n");
  const auto broken = run({}, "broken.toml");
  EXPECT_EQ(broken.exit, 3);
  EXPECT_EQ(broken.json["status"], "inadmissible");
}

TEST_F(Run, interrupt_and_terminate_end_with_a_checkpoint_and_the_way_to_go_on) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    const Outcome outcome = disturbed({"run", file("endless.toml"), "--out", file("out"), "--json"}, [&](pid_t child) {
      wait_for(child, out("endless.sqlite"));
      kill(child, signal);
    });
    EXPECT_EQ(outcome.exit, 130) << outcome.err;
    const Json answer = Json::parse(outcome.out, nullptr, false);
    ASSERT_TRUE(answer.is_object());
    EXPECT_EQ(answer["status"], "interrupted");
    EXPECT_GT(answer["final"]["time"].get<double>(), 0);
    EXPECT_GT(answer["events"].size(), 0U);
    fs::remove(out("endless.sqlite"));
  }
  const Outcome told = disturbed({"run", file("endless.toml"), "--out", file("out")}, [&](pid_t child) {
    wait_for(child, out("endless.sqlite"));
    kill(child, SIGINT);
  });
  EXPECT_NE(told.out.find("--resume " + out("endless.sqlite")), std::string::npos) << told.out;
}

TEST_F(Run, a_view_that_is_interrupted_keeps_its_run_and_says_so) {
  for (const bool json : {false, true}) {
    std::vector<std::string> words = {"view", file("endless.toml"), "--no-open", "--out", file("out")};
    if (json) words.emplace_back("--json");
    const fs::path before = fs::current_path();
    fs::current_path(folder_);
    const Outcome outcome = disturbed(words, [&](pid_t child) {
      wait_for(child, out("endless.sqlite"));
      kill(child, SIGINT);
    });
    fs::current_path(before);
    EXPECT_EQ(outcome.exit, 130) << outcome.err;
    EXPECT_FALSE(fs::exists(out("endless.html")));
    EXPECT_TRUE(fs::exists(out("endless.sqlite")));
    const std::string told = json ? Json::parse(outcome.out)["error"]["message"].get<std::string>() : outcome.err;
    EXPECT_NE(told.find("the run is kept: `zwang view "), std::string::npos) << told;
    fs::remove(out("endless.sqlite"));
  }
}

TEST_F(Run, a_request_that_comes_twice_is_one_request) {
  const Outcome outcome = disturbed({"run", file("endless.toml"), "--out", file("out"), "--json"}, [&](pid_t child) {
    wait_for(child, out("endless.sqlite"));
    // Stopped, the process would take two pending signals for one: give it time for the first.
    kill(child, SIGTERM);
    std::this_thread::sleep_for(std::chrono::microseconds(200));
    kill(child, SIGTERM);
  });
  EXPECT_EQ(outcome.exit, 130) << outcome.err;
  EXPECT_EQ(Json::parse(outcome.out, nullptr, false)["status"], "interrupted");
}

TEST_F(Run, an_interrupted_run_goes_on_to_the_bits_of_one_that_was_left_alone) {
  // Where the run is over before the request comes, on a busy machine, a longer one is taken.
  Outcome outcome;
  std::string until;
  for (int end = 2000; outcome.exit != 130 && end < 1'000'000; end *= 2) {
    until = std::to_string(end);
    fs::remove_all(file("out"));
    outcome =
        disturbed({"run", file("endless.toml"), "--out", file("out"), "--json", "--until", until}, [&](pid_t child) {
          wait_for(child, out("endless.sqlite"));
          kill(child, SIGTERM);
        });
  }
  ASSERT_EQ(outcome.exit, 130) << outcome.err;
  const auto resumed = resume(out("endless.sqlite"));
  ASSERT_EQ(resumed.exit, 0) << resumed.out.substr(0, 500);
  const auto alone = call_json({"run", file("endless.toml"), "--out", file("other"), "--until", until});
  for (const char* key : {"status", "final", "events", "energy", "drift", "defect", "steps"}) {
    EXPECT_TRUE(resumed.json[key] == alone.json[key]) << key;
  }
}

TEST_F(Run, a_finished_run_goes_on_when_the_end_is_later_and_otherwise_answers_again) {
  const auto first = run({});
  const auto again = resume(out("ball.sqlite"));
  EXPECT_EQ(again.exit, 0);
  for (const char* key : {"status", "final", "events", "energy", "drift", "defect", "steps"})
    EXPECT_EQ(again.json[key], first.json[key]) << key;
  const auto later = resume(out("ball.sqlite"), {"--until", "3", "--sample-at", "0.5,2.5", "--csv"});
  ASSERT_EQ(later.exit, 0) << later.out;
  EXPECT_EQ(later.json["final"]["time"], 3.0);
  EXPECT_EQ(later.json["samples"].size(), 2U);
  EXPECT_EQ(later.json["events"], first.json["events"]);
  EXPECT_NEAR(later.json["final"]["positions"]["ball"][0].get<double>(), 3, 1e-12);
  EXPECT_EQ(lines(content(out("ball.csv"))).size(), 32U) << "samples go on in the same rhythm";
  const auto earlier = resume(out("ball.sqlite"), {"--until", "1"});
  EXPECT_EQ(earlier.exit, 2);
  EXPECT_NE(message(earlier).find("already at 3"), std::string::npos) << message(earlier);
}

TEST_F(Run, what_a_run_was_begun_with_stays) {
  ASSERT_EQ(run({"--set", "g=20", "--tolerance", "1e-10"}).exit, 0);
  const auto same = call_json({"run", file("ball.toml"), "--resume", out("ball.sqlite"), "--until", "3"});
  ASSERT_EQ(same.exit, 0) << same.out;
  EXPECT_NEAR(same.json["final"]["multipliers"]["floor"].get<double>(), 40, 1e-9) << "g is still 20";
  const auto other = call_json({"run", file("endless.toml"), "--resume", out("ball.sqlite")});
  EXPECT_EQ(other.exit, 2);
  EXPECT_NE(message(other).find("another text"), std::string::npos) << message(other);
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{{"--set", "g=1"},
                                                                                     {"--at", "1"},
                                                                                     {"--tolerance", "1e-9"},
                                                                                     {"--samples", "5"},
                                                                                     {"--out", file("elsewhere")}}) {
    const auto refused = resume(out("ball.sqlite"), words);
    EXPECT_EQ(refused.exit, 2) << words[0];
    EXPECT_NE(message(refused).find(words[0]), std::string::npos) << message(refused);
  }
}

TEST_F(Run, files_that_are_no_runs_are_refused_with_their_name) {
  write("notes", "not a database");
  write("nothing", "");
  ASSERT_EQ(run({}).exit, 0);
  fs::copy_file(out("ball.sqlite"), file("half"));
  fs::resize_file(file("half"), fs::file_size(file("half")) / 2);
  for (const char* name : {"notes", "nothing", "half", "missing", "out"}) {
    const auto answer = resume(file(name));
    EXPECT_EQ(answer.exit, std::string(name) == "half" ? 5 : 2) << name;
    EXPECT_EQ(answer.json["error"]["file"], file(name)) << answer.out;
    EXPECT_FALSE(message(answer).empty());
  }
}

TEST_F(Run, a_folder_that_cannot_be_written_is_named) {
  write("wall", "");
  const auto answer = call_json({"run", file("ball.toml"), "--out", file("wall") + "/below"});
  EXPECT_EQ(answer.exit, 2);
  EXPECT_NE(message(answer).find(file("wall")), std::string::npos) << message(answer);
  EXPECT_NE(message(answer).find("--out"), std::string::npos);
  const auto proc = call_json({"run", file("ball.toml"), "--out", "/proc/zwang"});
  EXPECT_EQ(proc.exit, 2);
}

TEST_F(Run, a_limit_of_file_sizes_ends_the_run_with_a_sentence_and_what_was_kept_goes_on) {
  const Outcome outcome = disturbed(
      {"run", file("endless.toml"), "--out", file("out"), "--json", "--checkpoint", "0.05", "--until", "8000"},
      [](pid_t) {},
      [] {
        const rlimit limit{1'000'000, 1'000'000};
        setrlimit(RLIMIT_FSIZE, &limit);
      });
  EXPECT_EQ(outcome.exit, 5);
  const Json answer = Json::parse(outcome.out, nullptr, false);
  ASSERT_TRUE(answer.is_object()) << outcome.out.substr(0, 300);
  EXPECT_NE(answer["error"]["message"].get<std::string>().find("the run up to t = "), std::string::npos) << outcome.out;
  EXPECT_NE(answer["error"]["message"].get<std::string>().find("--resume"), std::string::npos) << outcome.out;
  EXPECT_EQ(answer["error"]["file"], out("endless.sqlite"));
  EXPECT_EQ(resume(out("endless.sqlite"), {"--sample-at", "1"}).exit, 0);
}

TEST_F(Run, runs_at_the_same_time_do_not_disturb_each_other) {
  const Outcome outcome = disturbed({"run", file("endless.toml"), "--out", file("out"), "--json"}, [&](pid_t child) {
    wait_for(child, out("endless.sqlite"));
    const auto second = run({"--until", "1"}, "endless.toml");
    EXPECT_EQ(second.exit, 0) << second.out;
    EXPECT_EQ(second.json["files"], Json::array({out("endless-2.sqlite"), out("endless-2.html")}));
    EXPECT_NE(message(resume(out("endless.sqlite"))).find("another run is writing"), std::string::npos);
    kill(child, SIGINT);
  });
  EXPECT_EQ(outcome.exit, 130);
}

TEST_F(Run, the_model_may_come_from_standard_input_or_the_gallery) {
  const auto piped = call_json({"run", "-", "--out", file("out")}, ball);
  EXPECT_EQ(piped.exit, 0);
  EXPECT_EQ(piped.json["files"], Json::array({out("model.sqlite"), out("model.html")}));
  const auto shown = call_json({"run", "gallery:bouncing-ball", "--out", file("out")});
  EXPECT_EQ(shown.json["files"], Json::array({out("bouncing-ball.sqlite"), out("bouncing-ball.html")}));
}

TEST_F(Run, reversal_brings_a_pendulum_back_and_says_what_forbids_it_elsewhere) {
  const auto reversal = [&](const std::string& text) {
    const auto answer = call_json({"analyze", "reversal", "-"}, text);
    EXPECT_EQ(answer.exit, 0) << answer.out << answer.err;
    return answer.json;
  };
  const std::string pendulum =
      "gravity = [0, -10]\n[points.a]\nmass = 1\nposition = [1, 0]\nvelocity = [0, 1]\n[constraints]\nrod = "
      "\"distance(a, [0, 0]) = 1\"\n";
  const Json back = reversal(pendulum);
  EXPECT_EQ(keys(back), (std::vector<std::string>{"zwang", "model", "reversible", "expected", "distance", "duration"}));
  EXPECT_EQ(back["reversible"], true);
  EXPECT_EQ(back["expected"], true);
  EXPECT_LT(back["distance"].get<double>(), 1e-10);
  const auto point = [](const std::string& force, const std::string& more = "") {
    return "[points.a]\nmass = 1\nposition = [1, 0]\nvelocity = [0, 1]\nforce = " + force + "\n" + more;
  };
  const auto expect_reason = [&](const std::string& text, const std::string& word) {
    const Json answer = reversal(text);
    EXPECT_EQ(answer["expected"], false) << text;
    ASSERT_TRUE(answer.contains("reasons")) << text;
    EXPECT_NE(answer["reasons"].dump().find(word), std::string::npos) << answer["reasons"].dump();
  };
  EXPECT_EQ(reversal(point("[\"-a.x\", \"-a.y\"]"))["expected"], true);
  EXPECT_EQ(reversal(point("[\"-a.x*a.x'^2\", 0]"))["expected"], true) << "even in the velocities";
  expect_reason(point("[\"-a.x'\", \"-a.y'\"]"), "force along a.y");
  expect_reason(point("[\"sin(t)\", 0]"), "on the time");
  expect_reason(point("[0, 0]", "[constraints]\nlift = \"a.x = 1 + t^2\"\n"), "lift moves");
  expect_reason(point("[0, 0]", "[constraints]\nratchet = \"a.y' >= 0\"\n"), "ratchet forbids");
  expect_reason(point("[0, 0]", "[constraints]\nwall = \"a.y <= 1\"\n"), "shock");
  EXPECT_EQ(reversal(point("[\"-a.x'\", \"-a.y'\"]"))["reversible"], false);
}

}  // namespace zwang::command::run_tests
