/// The scene's JSON and its blob, read back.
#include "zwang/report/outlines.hpp"

#include <cstring>
#include <optional>
#include <utility>

#include "zwang/base/number.hpp"

namespace zwang::report {

namespace {

/// A value of JSON; the text is our own, so that only its meaning matters and not its mistakes.
struct Json {
  enum class Kind : std::uint8_t { nothing, number, text, list, object } kind = Kind::nothing;
  double number = 0;
  std::string text;
  std::vector<Json> items;
  std::vector<std::string> keys;  ///< of an object; its values are the items

  [[nodiscard]] const Json* find(std::string_view key) const {
    for (std::size_t k = 0; k < keys.size(); ++k) {
      if (keys[k] == key) {
        return &items[k];
      }
    }
    return nullptr;
  }
  [[nodiscard]] std::vector<double> numbers() const {
    std::vector<double> out;
    for (const Json& item : items) {
      out.push_back(item.number);
    }
    return out;
  }
};

class JsonReader {
 public:
  explicit JsonReader(std::string_view text) : text_(text) {}

  Json value() {
    Json out;
    blanks();
    const char c = here();
    if (c == '{') {
      out.kind = Json::Kind::object;
      for (++at_; blanks(), here() != '}' && here() != '\0';) {
        out.keys.push_back(string());
        blanks();
        ++at_;  // the colon
        out.items.push_back(value());
        blanks();
        at_ += here() == ',' ? 1 : 0;
      }
      ++at_;
    } else if (c == '[') {
      out.kind = Json::Kind::list;
      for (++at_; blanks(), here() != ']' && here() != '\0';) {
        out.items.push_back(value());
        blanks();
        at_ += here() == ',' ? 1 : 0;
      }
      ++at_;
    } else if (c == '"') {
      out.kind = Json::Kind::text;
      out.text = string();
    } else {
      const std::size_t begin = at_;
      while (at_ < text_.size() && std::string_view(",]} \n").find(here()) == std::string_view::npos) {
        ++at_;
      }
      const std::string_view word = text_.substr(begin, at_ - begin);
      out.kind = Json::Kind::number;
      out.number = word == "true" ? 1.0 : read_number(word).value_or(0.0);
    }
    return out;
  }

 private:
  [[nodiscard]] char here() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  void blanks() {
    while (here() == ' ' || here() == '\n') {
      ++at_;
    }
  }
  std::string string() {
    std::string out;
    for (++at_; here() != '"' && here() != '\0'; ++at_) {
      at_ += here() == '\\' ? 1 : 0;
      out += here();
    }
    ++at_;
    return out;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

/// The numbers of a block of f32 or u32.
template <class Number>
std::vector<Number> block(const Json& named, const Blob& blob) {
  const Json* at = named.find("at");
  const Json* count = named.find("count");
  if (at == nullptr || count == nullptr) {
    return {};
  }
  std::vector<Number> out(static_cast<std::size_t>(count->number));
  const auto begin = static_cast<std::size_t>(at->number);
  if (begin + out.size() * sizeof(Number) > blob.bytes().size()) {
    return {};
  }
  std::memcpy(out.data(), blob.bytes().data() + begin, out.size() * sizeof(Number));
  return out;
}

/// What moves is drawn where it is at the end: the last of the numbers that follow one another in its keys.
std::vector<double> last_of(const Json& shape, const Blob& blob, std::size_t width) {
  const Json* keys = shape.find("keys");
  const Json* value = keys != nullptr ? keys->find("value") : nullptr;
  if (value == nullptr) return {};
  const std::vector<float> all = block<float>(*value, blob);
  if (all.size() < width) return {};
  return {all.end() - static_cast<std::ptrdiff_t>(width), all.end()};
}

std::optional<OutlineAnchor> anchor(const Json& json, const Blob& blob) {
  OutlineAnchor out;
  if (const std::vector<double> place = last_of(json, blob, 3); !place.empty()) {
    std::copy(place.begin(), place.end(), out.at.begin());
    return out;
  }
  if (const Json* body = json.find("body")) {
    out.body = static_cast<std::int64_t>(body->number);
    if (const Json* mark = json.find("mark")) {
      for (std::size_t i = 0; i < 3 && i < mark->items.size(); ++i) {
        out.at[i] = mark->items[i].number;
      }
    }
    return out;
  }
  if (const Json* at = json.find("at")) {
    for (std::size_t i = 0; i < 3 && i < at->items.size(); ++i) {
      out.at[i] = at->items[i].number;
    }
    return out;
  }
  return std::nullopt;
}

void append(std::vector<double>& numbers, const Json& shape, std::initializer_list<const char*> keys) {
  for (const char* key : keys) {
    const Json* value = shape.find(key);
    if (value == nullptr) {
      numbers.clear();
      return;
    }
    if (value->kind == Json::Kind::list) {
      const std::vector<double> list = value->numbers();
      numbers.insert(numbers.end(), list.begin(), list.end());
    } else {
      numbers.push_back(value->number);
    }
  }
}

bool fill_line(const Json& shape, const Blob& blob, OutlineShape& out) {
  std::vector<const Json*> ends;
  if (const Json* through = shape.find("through")) {
    for (const Json& one : through->items) {
      ends.push_back(&one);
    }
  } else if (shape.find("from") != nullptr && shape.find("to") != nullptr) {
    ends = {shape.find("from"), shape.find("to")};
  }
  for (const Json* end : ends) {
    const std::optional<OutlineAnchor> where = anchor(*end, blob);
    if (!where) {
      return false;
    }
    out.through.push_back(*where);
  }
  const Json* closed = shape.find("closed");
  out.closed = closed != nullptr && closed->number != 0;
  const Json* length = shape.find("length");
  out.length = length != nullptr ? length->number : 0;
  return out.through.size() > 1;
}

bool fill_mesh(const Json& shape, const Blob& blob, unsigned dimension, OutlineShape& out) {
  // In the plane a mesh is a set of segments.
  if (const Json* frames = shape.find("frames"); frames != nullptr && !frames->items.empty()) {
    return fill_mesh(frames->items.back(), blob, dimension, out);
  }
  const Json* vertices = shape.find("vertices");
  const Json* lines = shape.find("lines");
  if (dimension != 2 || vertices == nullptr || lines == nullptr) {
    return false;
  }
  const std::vector<float> places = block<float>(*vertices, blob);
  const std::vector<std::uint32_t> ends = block<std::uint32_t>(*lines, blob);
  const auto place = [&](std::uint32_t k) { return Vector{places[2 * k], places[2 * k + 1], 0}; };
  for (std::size_t k = 0; k + 1 < ends.size(); k += 2) {
    if (2 * std::size_t{std::max(ends[k], ends[k + 1])} + 1 < places.size()) {
      out.strokes.push_back({place(ends[k]), place(ends[k + 1])});
    }
  }
  return !out.strokes.empty();
}

bool fill_curve(const Json& shape, const Blob& blob, unsigned dimension, OutlineShape& out) {
  const Json* points = shape.find("points");
  if (points == nullptr) {
    return false;
  }
  const std::vector<float> places = block<float>(*points, blob);
  out.strokes.emplace_back();
  for (std::size_t k = 0; k + dimension <= places.size(); k += dimension) {
    out.strokes[0].push_back({places[k], places[k + 1], dimension == 3 ? places[k + 2] : 0.0F});
  }
  return out.strokes[0].size() > 1;
}

bool fill_solid(const Json& shape, const Blob& blob, OutlineShape& out) {
  const Json* vertices = shape.find("vertices");
  const Json* edges = shape.find("edges");
  const std::optional<OutlineAnchor> where = anchor(shape, blob);
  if (vertices == nullptr || edges == nullptr || !where) {
    return false;
  }
  out.through = {*where};
  if (const Json* radius = shape.find("radius")) {
    out.radius = radius->number;
  }
  const std::vector<float> places = block<float>(*vertices, blob);
  const std::vector<std::uint32_t> ends = block<std::uint32_t>(*edges, blob);
  const auto place = [&](std::uint32_t k) {
    return Vector{places[3 * std::size_t{k}], places[3 * std::size_t{k} + 1], places[3 * std::size_t{k} + 2]};
  };
  for (std::size_t k = 0; k + 1 < ends.size(); k += 2) {
    // Edges that follow one another are one stroke.
    if (k > 0 && ends[k] == ends[k - 1]) {
      out.strokes.back().push_back(place(ends[k + 1]));
    } else {
      out.strokes.push_back({place(ends[k]), place(ends[k + 1])});
    }
  }
  return true;
}

}  // namespace

std::vector<OutlineShape> outlines(const Scene& scene, const Blob& blob, unsigned dimension) {
  std::vector<OutlineShape> out;
  const Json all = JsonReader(shape_list(scene.shapes)).value();
  for (const Json& shape : all.items) {
    const Json* kind = shape.find("kind");
    if (kind == nullptr || shape.find("since") != nullptr) {
      continue;
    }
    OutlineShape one;
    if (const Json* relation = shape.find("relation")) {
      one.relation = relation->text;
    }
    if (const Json* side = shape.find("side")) {
      one.side = static_cast<int>(side->number);
    }
    bool whole = false;
    if (kind->text == "line" || kind->text == "rope" || kind->text == "polyline") {
      whole = fill_line(shape, blob, one);
    } else if (kind->text == "plane") {
      one.kind = OutlineKind::plane;
      append(one.numbers, shape, {"normal", "offset"});
      whole = one.numbers.size() == 4;
    } else if (kind->text == "sphere") {
      one.kind = OutlineKind::sphere;
      append(one.numbers, shape, {"centre", "radius"});
      whole = one.numbers.size() == 4;
    } else if (kind->text == "cylinder") {
      one.kind = OutlineKind::cylinder;
      append(one.numbers, shape, {"point", "axis", "radius"});
      whole = one.numbers.size() == 7;
    } else if (kind->text == "cone") {
      one.kind = OutlineKind::cone;
      append(one.numbers, shape, {"apex", "axis", "angle"});
      whole = one.numbers.size() == 7;
    } else if (kind->text == "solid") {
      one.kind = OutlineKind::solid;
      whole = fill_solid(shape, blob, one);
    } else if (kind->text == "spring") {
      one.kind = OutlineKind::spring;
      whole = fill_line(shape, blob, one);
    } else if (kind->text == "mesh") {
      one.kind = OutlineKind::curve;
      whole = fill_mesh(shape, blob, dimension, one);
    } else if (kind->text == "curve") {
      one.kind = OutlineKind::curve;
      whole = fill_curve(shape, blob, dimension, one);
    }
    // Those of which the numbers move have keys in their place.
    const std::size_t width = one.kind == OutlineKind::plane || one.kind == OutlineKind::sphere    ? 4
                              : one.kind == OutlineKind::cylinder || one.kind == OutlineKind::cone ? 7
                                                                                                   : 0;
    if (!whole && width > 0) {
      one.numbers = last_of(shape, blob, width);
      whole = one.numbers.size() == width;
    }
    if (whole) {
      out.push_back(std::move(one));
    }
  }
  return out;
}

}  // namespace zwang::report
