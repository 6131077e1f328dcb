/// Runs the command `zwang` as a user would: arguments, standard input, environment; gives back what it printed.
#pragma once

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "places.hpp"

namespace zwang::command {

inline const std::string path = places::command();
inline const bool is_built = path != "zwang";

struct Outcome {
  int exit = -1;  ///< exit status; 128 + signal when a signal ended it
  std::string out;
  std::string err;
};

/// A file that lives as long as this object.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& content, const std::string& suffix = "") {
    const char* folder = std::getenv("TMPDIR");
    name_ = std::string(folder != nullptr ? folder : "/tmp") + "/zwang-test-XXXXXX" + suffix;
    const int descriptor = mkstemps(name_.data(), static_cast<int>(suffix.size()));
    if (descriptor < 0) throw std::runtime_error("no temporary file");
    close(descriptor);
    std::ofstream(name_, std::ios::binary) << content;
  }
  ~TemporaryFile() { std::remove(name_.c_str()); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] std::string content() const {
    std::ifstream file(name_, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

 private:
  std::string name_;
};

inline Outcome call(std::vector<std::string> arguments, const std::string& input = "",
                    const std::vector<std::pair<std::string, std::string>>& environment = {}) {
  const TemporaryFile in(input);
  const TemporaryFile out("");
  const TemporaryFile err("");
  std::string program = path;
  std::vector<char*> pointers = {program.data()};
  for (auto& argument : arguments) pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error("fork failed");
  if (child == 0) {
    dup2(open(in.name().c_str(), O_RDONLY | O_CLOEXEC), 0);
    dup2(open(out.name().c_str(), O_WRONLY | O_CLOEXEC), 1);
    dup2(open(err.name().c_str(), O_WRONLY | O_CLOEXEC), 2);
    for (const auto& [name, value] : environment) setenv(name.c_str(), value.c_str(), 1);
    execv(program.c_str(), pointers.data());
    _exit(127);
  }
  int status = 0;
  waitpid(child, &status, 0);
  Outcome outcome;
  outcome.exit = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  outcome.out = out.content();
  outcome.err = err.content();
  return outcome;
}

/// The answer with --json to a model given on standard input; the whole output must be one object.
struct JsonOutcome {
  int exit = -1;
  nlohmann::ordered_json json;
  std::string out;
  std::string err;
};
inline JsonOutcome call_json(std::vector<std::string> arguments, const std::string& input = "") {
  arguments.emplace_back("--json");
  auto outcome = call(std::move(arguments), input);
  JsonOutcome result{outcome.exit, nlohmann::ordered_json::parse(outcome.out, nullptr, false), outcome.out,
                     outcome.err};
  return result;
}

}  // namespace zwang::command
