/// Processes started together, through the module that knows MPI.
#include "world.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <limits>
#include <optional>
#include <thread>
#include <vector>

#include "cli/mpi/module.hpp"
#include "status.hpp"
#include "zwang/base/number.hpp"
#include "zwang/error.hpp"

namespace zwang::cli {

namespace {

/// What the starter of processes says in the environment: Open MPI, and the starters that speak PMI.
std::optional<int> said(std::initializer_list<const char*> names) {
  for (const char* name : names) {
    const char* text = std::getenv(name);
    const std::optional<double> value = text != nullptr ? read_number(text) : std::nullopt;
    if (value && *value >= 0 && *value <= std::numeric_limits<int>::max()) return static_cast<int>(*value);
  }
  return std::nullopt;
}

/// Beside the command, or where it is installed.
void* load_module() {
  std::error_code none;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", none);
  const std::filesystem::path folder = self.parent_path();
  for (const std::filesystem::path& file : {folder / "zwang_mpi.so", folder / ".." / "lib" / "zwang" / "zwang_mpi.so",
                                            std::filesystem::path(ZWANG_MODULES) / "zwang_mpi.so"}) {
    if (!std::filesystem::exists(file, none)) continue;
    // MPI's own plug-ins look for its symbols everywhere.
    if (void* module = dlopen(file.c_str(), RTLD_NOW | RTLD_GLOBAL)) return module;
  }
  return nullptr;
}

template <class Function>
bool find(void* module, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(module, name));
  return function != nullptr;
}

/// How long a process sleeps between two looks for a message; the first few follow at once.
constexpr std::chrono::microseconds look_again{50};
constexpr int eager_looks = 100;

/// MPI counts bytes in ints.
void require_size(std::size_t bytes) {
  if (bytes > static_cast<std::size_t>(std::numeric_limits<int>::max())) {
    throw Error({"command line", 0, 0}, "the model or its design is too large to be sent to other processes");
  }
}

}  // namespace

struct World::Inside {
  MpiFunctions mpi;
  bool joined = false;
  int rank = 0;
  int size = 1;
  std::vector<bool> asking;  ///< of the first process: who waits for an answer

  std::optional<std::string> look(int& from) {
    std::size_t bytes = 0;
    if (mpi.probe(&from, &bytes) == 0) return std::nullopt;
    std::string message(bytes, '\0');
    mpi.receive(from, message.data(), bytes);
    asking[static_cast<std::size_t>(from)] = true;
    return message;
  }
  std::string wait(int& from) {
    for (int looks = 0;; ++looks) {
      if (std::optional<std::string> message = look(from)) return std::move(*message);
      if (looks > eager_looks) std::this_thread::sleep_for(look_again);
    }
  }
  void answer(int to, std::string_view message) {
    asking[static_cast<std::size_t>(to)] = false;
    mpi.send(to, message.data(), message.size());
  }
};

World::World(std::unique_ptr<Inside> inside) : inside_(std::move(inside)) {}
World::World(World&&) noexcept = default;

World World::join() {
  auto inside = std::make_unique<Inside>();
  const std::optional<int> size = said({"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"});
  if (!size) return World(std::move(inside));
  const int rank = said({"OMPI_COMM_WORLD_RANK", "PMI_RANK"}).value_or(0);
  void* module = load_module();
  MpiFunctions& mpi = inside->mpi;
  if (module == nullptr || !find(module, "zwang_mpi_join", mpi.join) || !find(module, "zwang_mpi_probe", mpi.probe) ||
      !find(module, "zwang_mpi_receive", mpi.receive) || !find(module, "zwang_mpi_send", mpi.send) ||
      !find(module, "zwang_mpi_leave", mpi.leave)) {
    if (rank != 0) std::exit(answered);
    if (*size > 1)
      std::cerr << "zwang: this command was built without MPI: one of " << *size << " processes does the work\n";
    return World(std::move(inside));
  }
  if (mpi.join(&inside->rank, &inside->size) != 0) throw Fault({"mpirun", 0, 0}, "MPI cannot be started");
  inside->joined = true;
  inside->asking.assign(static_cast<std::size_t>(inside->size), false);
  return World(std::move(inside));
}

World::~World() {
  if (inside_ == nullptr || !inside_->joined) return;
  if (inside_->rank == 0) {
    // Whoever asks, now or when its chunk is done, hears that it is over.
    std::vector<bool>& asking = inside_->asking;
    for (int left = inside_->size - 1; left > 0; --left) {
      const auto waiting = std::find(asking.begin(), asking.end(), true);
      int from = static_cast<int>(waiting - asking.begin());
      if (waiting == asking.end()) static_cast<void>(inside_->wait(from));
      inside_->answer(from, {});
    }
  }
  inside_->mpi.leave();
}

int World::rank() const { return inside_->rank; }
int World::others() const { return inside_->rank == 0 ? inside_->size - 1 : 0; }

sweeps::Crew World::crew() {
  sweeps::Crew crew;
  crew.others = others();
  crew.receive = [this](int& from, std::string& message) {
    std::optional<std::string> found = inside_->look(from);
    if (found) message = std::move(*found);
    return found.has_value();
  };
  crew.send = [this](int to, std::string_view message) {
    require_size(message.size());
    inside_->answer(to, message);
  };
  return crew;
}

std::string World::ask(std::string_view message) {
  require_size(message.size());
  inside_->mpi.send(0, message.data(), message.size());
  int from = 0;
  return inside_->wait(from);
}

}  // namespace zwang::cli
