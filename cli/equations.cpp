/// `zwang equations MODEL`: the differential equations of motion, as text, LaTeX, C++ or Python.
#include "zwang/report/equations.hpp"

#include "commands.hpp"
#include "terminal.hpp"
#include "zwang/error.hpp"

namespace zwang::cli {

int equations(const Request& request) {
  using expressions::Notation;
  const Source source = read_source(request.model);
  const model::Draft draft = model::read(source.text, source.name);
  const model::Model model = model::compile(draft, overrides(request));
  const bool program = request.format == "cpp" || request.format == "python";
  if (model.flow && program) {
    throw Error({source.name, 0, 0}, "programs are written for systems with masses; a [flow] has text and latex");
  }
  const Notation notation = request.format == "latex"    ? Notation::latex
                            : request.format == "cpp"    ? Notation::cpp
                            : request.format == "python" ? Notation::python
                                                         : Notation::text;
  print(report::equations_of(notation, draft, model, request.all, request.json));
  return answered;
}

}  // namespace zwang::cli
