/// The values of the parameters, each after those it is made of.
#include <fmt/format.h>

#include "zwang/base/nearest.hpp"
#include "zwang/model/compile/steps.hpp"

namespace zwang::model {

namespace {

/// Every name that occurs in an expression.
void collect_names(const Syntax& s, std::vector<const Syntax*>& out) {
  if (s.kind == SyntaxKind::name) out.push_back(&s);
  for (const Syntax& child : s.children) collect_names(child, out);
}

void evaluate_parameter(Compilation& work, std::size_t k, const Syntax& syntax) {
  const Traced value = work.compute(syntax, "a parameter");
  std::vector<double>& out = work.vocabulary.parameters[k].value;
  for (std::size_t c = 0; c < value.parts(); ++c) out.push_back(value.part[c].value);
}

}  // namespace

void compute_parameters(Compilation& work) {
  const std::size_t count = work.vocabulary.parameters.size();
  std::vector<Syntax> syntax(count);
  for (std::size_t k = 0; k < count; ++k) syntax[k] = work.formulas.expression(*work.parameter_values[k]);
  for (const auto& [name, text] : work.overrides.parameters) {
    if (is_step(work, name)) continue;
    const auto found = work.vocabulary.names.find(name);
    if (found == work.vocabulary.names.end() || found->second.kind != NameKind::parameter) {
      std::vector<std::string_view> known;
      for (const Parameter& parameter : work.vocabulary.parameters) known.push_back(parameter.name);
      const std::string_view near = nearest(name, known.data(), known.size());
      throw Error({fmt::format("--set {}", name), 1, 1},
                  near.empty() ? fmt::format("the model has no parameter `{}`", name)
                               : fmt::format("the model has no parameter `{}`; did you mean `{}`?", name, near));
    }
    syntax[found->second.index] = work.formulas.outside(fmt::format("--set {}", name), text);
  }

  // Each after those it is made of; whoever is met again on the way down closes a circle.
  enum class Mark : std::uint8_t { fresh, open, done };
  struct Step {
    std::size_t parameter;
    std::vector<const Syntax*> names;
    std::size_t next = 0;
  };
  std::vector<Mark> mark(count, Mark::fresh);
  for (std::size_t start = 0; start < count; ++start) {
    std::vector<Step> path;
    const auto enter = [&](std::size_t k) {
      mark[k] = Mark::open;
      path.push_back({k, {}, 0});
      collect_names(syntax[k], path.back().names);
    };
    if (mark[start] == Mark::fresh) enter(start);
    while (!path.empty()) {
      Step& step = path.back();
      if (step.next == step.names.size()) {
        evaluate_parameter(work, step.parameter, syntax[step.parameter]);
        mark[step.parameter] = Mark::done;
        path.pop_back();
        continue;
      }
      const Syntax& name = *step.names[step.next++];
      const auto found = work.vocabulary.names.find(std::string_view(name.name));
      if (found == work.vocabulary.names.end() || found->second.kind != NameKind::parameter) continue;
      const std::size_t other = found->second.index;
      if (mark[other] == Mark::open) {
        std::string circle = work.vocabulary.parameters[other].name;
        std::size_t k = path.size() - 1;
        while (path[k].parameter != other) --k;
        for (++k; k < path.size(); ++k) circle += " -> " + work.vocabulary.parameters[path[k].parameter].name;
        circle += " -> " + work.vocabulary.parameters[other].name;
        throw work.formulas.error(name, fmt::format("the parameters go round in a circle: {}", circle));
      }
      if (mark[other] == Mark::fresh) enter(other);
    }
  }
}

}  // namespace zwang::model
