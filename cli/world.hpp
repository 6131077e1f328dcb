/// The processes that `mpirun` started together, if it did.
///
/// The command does not know MPI: a module beside it does (mpi_module.cpp), which is loaded only where mpirun's variables are in the environment, so that all other
/// commands start without it, and the command runs where there is none. Without the module the first process works alone, and says so.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "zwang/sweeps/run.hpp"

namespace zwang::cli {

class World {
 public:
  [[nodiscard]] static World join();
  /// Of the first process: all others are told that it is over, whatever led here.
  ~World();
  World(World&&) noexcept;
  World& operator=(World&&) = delete;

  [[nodiscard]] int rank() const;
  [[nodiscard]] int others() const;  ///< processes beside this one; 0 on all but the first
  /// Of the first process: the others.
  [[nodiscard]] sweeps::Crew crew();
  /// Of the others: a message to the first, and its answer.
  [[nodiscard]] std::string ask(std::string_view message);

 private:
  struct Inside;
  explicit World(std::unique_ptr<Inside> inside);
  std::unique_ptr<Inside> inside_;
};

}  // namespace zwang::cli
