/// Names of parameters, points, coordinates and bodies: one space of names for all, no word of the language among them.
#include <fmt/format.h>

#include <algorithm>

#include "zwang/model/compile/steps.hpp"

namespace zwang::model {

void give_names(Compilation& work) {
  struct Named {
    const Field* field;
    std::string_view kind;
  };
  std::vector<Named> named;
  for (const std::string_view table : {"parameters", "points", "coordinates", "bodies"}) {
    const Value* value = work.find(table);
    if (value == nullptr) continue;
    const std::string_view kind = table == "bodies" ? "body" : table.substr(0, table.size() - 1);
    for (const Field& field : value->fields) named.push_back({&field, kind});
  }
  std::stable_sort(named.begin(), named.end(),
                   [](const Named& a, const Named& b) { return a.field->place < b.field->place; });

  // One name space; the words of the language are taken.
  for (const auto& [field, kind] : named) {
    if (const std::string_view what = reserved_meaning(field->key); !what.empty()) {
      throw work.source.error(field->place,
                              fmt::format("`{}` cannot be the name of a {}: it is {}", field->key, kind, what));
    }
    const bool parameter = kind == "parameter";
    NameMeaning meaning{parameter ? NameKind::parameter : NameKind::body, 0, work.source.place(field->place)};
    meaning.index =
        static_cast<std::uint32_t>(parameter ? work.vocabulary.parameters.size() : work.vocabulary.bodies.size());
    const auto [other, fresh] = work.vocabulary.names.try_emplace(field->key, meaning);
    if (!fresh) {
      const NameMeaning& first = other->second;
      const std::string_view what =
          first.kind == NameKind::parameter ? "parameter" : words(work.vocabulary.bodies[first.index].kind);
      throw work.source.error(
          field->place, fmt::format("`{}` is the name of a {} and of a {} (line {}, column {}); names must differ",
                                    field->key, kind, what, first.place.line, first.place.column));
    }
    if (parameter) {
      work.vocabulary.parameters.push_back({field->key, {}});
      work.parameter_values.push_back(&field->value);
    } else {
      Body body;
      body.name = field->key;
      body.kind = kind == "point" ? BodyKind::point : kind == "coordinate" ? BodyKind::coordinate : BodyKind::rigid;
      work.vocabulary.bodies.push_back(std::move(body));
      work.body_fields.push_back(field);
    }
  }

  work.vocabulary.rigids.resize(work.vocabulary.bodies.size());

  // Inside the table of a family i (and j) is the index and nothing else.
  for (std::size_t k = 0; k < work.body_fields.size(); ++k) {
    const Value* count = work.body_fields[k]->value.find("count");
    if (count == nullptr) continue;
    const bool two = count->kind == ValueKind::array && count->items.size() == 2;
    for (const std::string_view index : {"i", "j"}) {
      const auto found = work.vocabulary.names.find(index);
      if (found == work.vocabulary.names.end() || (index == "j" && !two)) continue;
      const Place& place = found->second.place;
      throw work.source.error({place.line, place.column},
                              fmt::format("`{}` cannot be a name here: it is the index of the family `{}` (line {})",
                                          index, work.vocabulary.bodies[k].name, work.body_fields[k]->place.line));
    }
  }
}

}  // namespace zwang::model
