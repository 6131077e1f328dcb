/// The native part of the Python package zwang: thin wrappers, one file per room.
#include "python/bindings/shared.hpp"
#include "zwang/error.hpp"
#include "zwang/report/json.hpp"
#include "zwang/version.hpp"

namespace zwang::python {

namespace {

/// A model's mistake becomes zwang.Error, with its place and the text that the command prints.
void translate(const std::exception_ptr& pointer, void* /*payload*/) {
  try {
    std::rethrow_exception(pointer);
  } catch (const Error& error) {
    const nb::object type = nb::module_::import_("zwang.errors").attr("Error");
    const Place& place = error.place();
    const nb::object line = place.line > 0 ? nb::cast(place.line) : nb::none();
    const nb::object column = place.line > 0 ? nb::cast(place.column) : nb::none();
    const nb::object instance = type(error.message(), place.file, line, column, render(error));
    PyErr_SetObject(type.ptr(), instance.ptr());
  }
}

}  // namespace

NewArray::NewArray(std::initializer_list<std::size_t> sizes) : shape_(sizes) {
  std::size_t count = 1;
  for (const std::size_t size : sizes) {
    count *= size;
  }
  data = new double[std::max<std::size_t>(count, 1)];
  owner_ = nb::capsule(data, [](void* pointer) noexcept { delete[] static_cast<double*>(pointer); });
}

Array NewArray::array() const { return {data, shape_.size(), shape_.data(), owner_}; }

Array array_of(std::span<const double> values) {
  const NewArray made({values.size()});
  std::copy(values.begin(), values.end(), made.data);
  return made.array();
}

}  // namespace zwang::python

NB_MODULE(_zwang, module) {
  namespace python = zwang::python;
  module.doc() = "The native part of zwang; the package zwang is what is meant to be used.";
  nanobind::register_exception_translator(python::translate);
  module.def("version", [] { return std::string(zwang::version); });
  python::bind_model(module);
  python::bind_instant(module);
  python::bind_analyses(module);
  python::bind_run(module);
  python::bind_stepper(module);
  python::bind_sweep(module);
  python::bind_gauss(module);
  python::bind_speed(module);
}
