/// Samples of a sweep, from any thread or process of Python.
#include <nanobind/stl/string.h>

#include "python/bindings/shared.hpp"
#include "zwang/sweeps/sample.hpp"

namespace zwang::python {

namespace {

using Clock = std::chrono::steady_clock;

sweeps::Recipe recipe_of(std::string_view text, std::string_view file, const nb::sequence& set,
                         const nb::sequence& settings, const nb::sequence& over, std::uint64_t count,
                         std::uint64_t seed, const nb::sequence& records) {
  sweeps::Recipe recipe;
  recipe.text = text;
  recipe.file = file;
  for (const nb::handle one : set) {
    recipe.overrides.parameters.emplace_back(nb::cast<std::string>(one[0]), nb::cast<std::string>(one[1]));
  }
  recipe.overrides.start = nb::cast<std::string>(settings[0]);
  recipe.overrides.until = nb::cast<std::string>(settings[1]);
  recipe.overrides.tolerance = nb::cast<std::string>(settings[2]);
  for (const nb::handle one : over) {
    // A text, or a text and the table that it stands for.
    if (nb::isinstance<nb::str>(one)) {
      recipe.over.push_back(sweeps::spec_of(nb::cast<std::string>(one)));
    } else {
      recipe.over.push_back({nb::cast<std::string>(one[0]), nb::cast<std::string>(one[1])});
    }
  }
  recipe.count = count;
  recipe.seed = seed;
  recipe.records = items<std::string>(records);
  return recipe;
}

/// Samples first, first + 1, ...: parameters, status, time, steps, events, defect, records, reasons of failures.
nb::tuple follow(const sweeps::Sweep& sweep, std::uint64_t first, std::uint64_t count) {
  const std::uint64_t total = sweep.design().total;
  if (first > total || count > total - first) throw nb::index_error("there are no such samples");
  const std::size_t width = sweep.design().width();
  const std::size_t columns = sweep.records().list.size();
  const NewArray parameters({count, width});
  const NewArray account({count, 4});
  const NewArray records({count, columns});
  auto last = Clock::now();
  const auto go_on = [&] {
    const auto now = Clock::now();
    if (now - last < std::chrono::milliseconds(50)) return true;
    last = now;
    const nb::gil_scoped_acquire acquire;
    check_signals();
    return true;
  };
  std::vector<std::string_view> status;
  std::vector<std::pair<std::uint64_t, std::string>> why;
  const auto take = [&](const sweeps::Row& row) {
    const std::uint64_t k = row.sample - first;
    std::copy(row.parameters.begin(), row.parameters.end(), parameters.data + k * width);
    std::copy(row.records.begin(), row.records.end(), records.data + k * columns);
    const double numbers[] = {row.time, static_cast<double>(row.steps), static_cast<double>(row.events), row.defect};
    std::copy(std::begin(numbers), std::end(numbers), account.data + k * 4);
    status.push_back(row.status);
    if (!row.why.empty()) why.emplace_back(row.sample, row.why);
  };
  {
    const nb::gil_scoped_release release;
    sweep.follow(first, count, take, go_on);
  }
  nb::list statuses;
  for (const std::string_view one : status) statuses.append(nb::str(one.data(), one.size()));
  nb::dict reasons;
  for (const auto& [sample, text] : why) reasons[nb::int_(sample)] = nb::str(text.data(), text.size());
  return nb::make_tuple(parameters.array(), statuses, account.array(), records.array(), reasons);
}

}  // namespace

void bind_sweep(nb::module_& module) {
  nb::class_<sweeps::Sweep>(module, "Sweep", "A design over the parameters of a model, and what is recorded.")
      .def(
          "__init__",
          [](sweeps::Sweep* self, std::string_view text, std::string_view file, const nb::sequence& set,
             const nb::sequence& settings, const nb::sequence& over, std::uint64_t count, std::uint64_t seed,
             const nb::sequence& records) {
            const sweeps::Recipe recipe = recipe_of(text, file, set, settings, over, count, seed, records);
            const nb::gil_scoped_release release;
            new (self) sweeps::Sweep(recipe);
          },
          nb::arg("text"), nb::arg("file"), nb::arg("set"), nb::arg("settings"), nb::arg("over"), nb::arg("count"),
          nb::arg("seed"), nb::arg("records"),
          nb::sig("def __init__(self, text: str, file: str, set: collections.abc.Sequence[tuple[str, str]], "
                  "settings: collections.abc.Sequence[str], over: collections.abc.Sequence[str | tuple[str, str]], "
                  "count: int, seed: int, records: collections.abc.Sequence[str]) -> None"))
      .def_prop_ro("total", [](const sweeps::Sweep& self) { return self.design().total; })
      .def_prop_ro("parameters", [](const sweeps::Sweep& self) { return self.design().names(); })
      .def_prop_ro("columns", [](const sweeps::Sweep& self) { return self.columns(); })
      .def_prop_ro("shape",
                   [](const sweeps::Sweep& self) {
                     // Of values alone, one name each: how many there are of each.
                     std::vector<std::uint64_t> sizes;
                     for (const sweeps::Axis& axis : self.design().axes) {
                       if (axis.is_drawn() || axis.names.size() != 1) return std::vector<std::uint64_t>{};
                       sizes.push_back(axis.size);
                     }
                     return sizes;
                   })
      .def("follow", &follow, nb::arg("first"), nb::arg("count"),
           nb::sig("def follow(self, first: int, count: int) -> tuple[numpy.typing.NDArray[numpy.float64], list[str], "
                   "numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64], dict[int, str]]"));
}

}  // namespace zwang::python
