/// What the binding files share: models that can be asked from several threads, arrays, long calls that Ctrl-C ends.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <chrono>
#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "zwang/instant/instant.hpp"
#include "zwang/model/evaluate.hpp"
#include "zwang/model/model.hpp"
#include "zwang/model/read.hpp"

namespace zwang::python {

namespace nb = nanobind;

/// Numbers that come from Python: one contiguous row of doubles. Other kinds of numbers are converted on the way in.
using Numbers = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Indices = nb::ndarray<const std::uint32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
/// Numbers that go to Python; Python owns them.
using Array = nb::ndarray<nb::numpy, double>;

[[nodiscard]] inline std::span<const double> span(const Numbers& numbers) { return {numbers.data(), numbers.size()}; }
[[nodiscard]] inline std::vector<double> list(const Numbers& numbers) {
  return {numbers.data(), numbers.data() + numbers.size()};
}

/// Words and lists that come from Python arrive as they are (std::string_view, nb::sequence) and are copied in the body of a function: the converters of
/// arguments must not throw, and so must not ask for memory.
template <class Item, class From = Item>
[[nodiscard]] std::vector<Item> items(const nb::sequence& list) {
  std::vector<Item> out;
  for (const nb::handle one : list) out.emplace_back(nb::cast<From>(one));
  return out;
}

/// As many finite numbers as are needed. Others would travel far before anybody noticed.
[[nodiscard]] std::vector<double> checked(const Numbers& numbers, std::size_t size, const char* what);

/// An array of a given shape and where to write its numbers.
struct NewArray {
  explicit NewArray(std::initializer_list<std::size_t> sizes);
  [[nodiscard]] Array array() const;
  double* data = nullptr;

 private:
  std::vector<std::size_t> shape_;
  nb::capsule owner_;
};
[[nodiscard]] Array array_of(std::span<const double> values);

/// A state and what happens at it. Its memory goes from answer to answer, so that asking in a loop allocates nothing.
struct Slot {
  model::State state;
  instant::Instant instant;
};

/// A compiled model with what it was made from. It never changes; memory to work in is lent to one caller at a time.
class Model {
 public:
  Model(std::string_view text, std::string_view file, model::Overrides overrides);
  Model(model::Model model, model::Overrides overrides) : model_(std::move(model)), overrides_(std::move(overrides)) {}

  [[nodiscard]] const model::Model& get() const { return model_; }
  [[nodiscard]] const model::Overrides& overrides() const { return overrides_; }
  /// Throws Error if the model is a flow: it has rates, and neither accelerations nor energy.
  void refuse_flow() const;
  [[nodiscard]] model::Draft draft() const { return model::read(model_.text, model_.file); }

  /// A state of this model; sizes and numbers are checked. None: what the model starts with.
  [[nodiscard]] model::State state(std::optional<double> time, const std::optional<Numbers>& position,
                                   const std::optional<Numbers>& velocity, const std::optional<Numbers>& rho) const;

  [[nodiscard]] std::unique_ptr<instant::Workspace> borrow() const;
  void give_back(std::unique_ptr<instant::Workspace> workspace) const noexcept;
  [[nodiscard]] std::unique_ptr<Slot> borrow_slot() const;
  void give_back(std::unique_ptr<Slot> slot) const noexcept;

 private:
  model::Model model_;
  model::Overrides overrides_;
  mutable std::mutex mutex_;
  mutable std::vector<std::unique_ptr<instant::Workspace>> workspaces_;
  mutable std::vector<std::unique_ptr<Slot>> slots_;
};
using ModelPointer = std::shared_ptr<const Model>;

/// What Python holds. Calculations keep the pointer inside, which knows nothing of Python: they may end on any thread, even
/// after the interpreter.
struct Handle {
  ModelPointer pointer;
};

/// A workspace for as long as this object lives.
class Borrowed {
 public:
  explicit Borrowed(const Model& model) : model_(model), workspace_(model.borrow()) {}
  ~Borrowed() { model_.give_back(std::move(workspace_)); }
  Borrowed(const Borrowed&) = delete;
  Borrowed& operator=(const Borrowed&) = delete;
  [[nodiscard]] instant::Workspace& get() const { return *workspace_; }

 private:
  const Model& model_;
  std::unique_ptr<instant::Workspace> workspace_;
};

/// Raises what Ctrl-C left behind, if anything.
inline void check_signals() {
  if (PyErr_CheckSignals() != 0) {
    throw nb::python_error();
  }
}

/// The result of a long calculation, made aside while this thread looks out for Ctrl-C. A calculation that is given up goes on
/// by itself and is forgotten: it must own everything it touches.
template <class Work>
auto patiently(Work work) {
  using Result = decltype(work());
  struct Shared {
    std::mutex mutex;
    std::condition_variable changed;
    bool done = false;
    std::optional<Result> result;
    std::exception_ptr error;
  };
  const auto shared = std::make_shared<Shared>();
  std::thread([shared, work = std::move(work)]() mutable {
    std::optional<Result> result;
    std::exception_ptr error;
    try {
      result.emplace(work());
    } catch (...) {
      error = std::current_exception();
    }
    const std::scoped_lock lock(shared->mutex);
    shared->result = std::move(result);
    shared->error = error;
    shared->done = true;
    shared->changed.notify_all();
  }).detach();
  while (true) {
    {
      const nb::gil_scoped_release release;
      std::unique_lock lock(shared->mutex);
      if (shared->changed.wait_for(lock, std::chrono::milliseconds(50), [&] { return shared->done; })) {
        break;
      }
    }
    check_signals();
  }
  if (shared->error) {
    std::rethrow_exception(shared->error);
  }
  return std::move(*shared->result);
}

void bind_model(nb::module_& module);
void bind_instant(nb::module_& module);
void bind_analyses(nb::module_& module);
void bind_run(nb::module_& module);
void bind_stepper(nb::module_& module);
void bind_sweep(nb::module_& module);
void bind_gauss(nb::module_& module);
void bind_speed(nb::module_& module);

}  // namespace zwang::python
