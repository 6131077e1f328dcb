/// From the text of a model file to a Draft: TOML, put into the order of the file and checked against the table of keys.
#include "zwang/model/read.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <new>
#include <vector>

#include "zwang/base/nearest.hpp"
#include "zwang/base/number.hpp"
#include "zwang/model/draft.hpp"
#include "zwang/model/keys.hpp"

// The TOML library asserts, or in a build without assertions assumes, what malformed text such as "[)" violates, and
// checks it again a few lines further on with a proper error: only the latter is wanted, in every build.
#undef NDEBUG
#define TOML_ASSERT(expr) static_cast<void>(0)
#include <toml++/toml.h>

namespace zwang::model {

Draft::Draft(std::unique_ptr<Content> content) : content_(std::move(content)) {}
Draft::~Draft() = default;
Draft::Draft(Draft&&) noexcept = default;
Draft& Draft::operator=(Draft&&) noexcept = default;

const Value* Value::find(std::string_view key) const {
  for (const Field& field : fields) {
    if (field.key == key) return &field.value;
  }
  return nullptr;
}

namespace {

Position position(const toml::source_region& region) { return {region.begin.line, region.begin.column}; }

/// The TOML tree with its tables in the order of the file.
Value convert(const toml::node& node, const ParserText& text) {
  Value out;
  out.place = text.original(position(node.source()));
  switch (node.type()) {
    case toml::node_type::integer:
      out.kind = ValueKind::number;
      out.number = static_cast<double>(node.as_integer()->get());
      break;
    case toml::node_type::floating_point:
      out.kind = ValueKind::number;
      out.number = node.as_floating_point()->get();
      break;
    case toml::node_type::string:
      out.kind = ValueKind::text;
      out.text = node.as_string()->get();
      break;
    case toml::node_type::boolean:
      out.kind = ValueKind::boolean;
      out.number = node.as_boolean()->get() ? 1 : 0;
      break;
    case toml::node_type::array:
      out.kind = ValueKind::array;
      for (const toml::node& item : *node.as_array()) out.items.push_back(convert(item, text));
      break;
    case toml::node_type::table:
      out.kind = ValueKind::table;
      for (const auto& [key, value] : *node.as_table()) {
        out.fields.push_back({std::string(key.str()), text.original(position(key.source())), convert(value, text)});
      }
      std::stable_sort(out.fields.begin(), out.fields.end(),
                       [](const Field& a, const Field& b) { return a.place < b.place; });
      break;
    default: out.kind = ValueKind::date; break;
  }
  return out;
}

/// What stands there, in words.
std::string describe(const Value& value) {
  switch (value.kind) {
    case ValueKind::number: return "a number";
    case ValueKind::text: return "a text";
    case ValueKind::boolean: return value.number != 0 ? "the truth value true" : "the truth value false";
    case ValueKind::date: return "a date or time of day";
    case ValueKind::array: return fmt::format("an array of {}", value.items.size());
    case ValueKind::table: return "a table";
  }
  return {};
}

/// "view.points" of the key `points` in [view].
std::string path_of(const Key& key) {
  return key.table.empty() ? std::string(key.key) : fmt::format("{}.{}", key.table, key.key);
}

bool is_identifier(std::string_view text) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  return !text.empty() && letter(text[0]) &&
         std::all_of(text.begin(), text.end(), [&](char c) { return letter(c) || digit(c); });
}

/// "[points.a]" from "points.*" and "a".
std::string heading(std::string_view path, std::string_view name) {
  for (const Table& table : tables()) {
    if (table.path != path) continue;
    std::string text(table.heading);
    const std::size_t at = text.find("NAME");
    if (at != std::string::npos) text.replace(at, 4, name);
    return text;
  }
  return std::string(path);
}

/// Holds the tree against the table of keys.
class Checker {
 public:
  explicit Checker(const Source& source) : source_(source) {}

  /// Every key of the table is known, of the right form, and none that is required is missing.
  void check_table(std::string_view path, std::string_view name, Position place, const Value& table) const {
    for (const Field& field : table.fields) {
      const Key* key = find(path, field.key);
      if (key == nullptr) unknown(path, name, field);
      check(*key, field.key, field.place, field.value);
    }
    for (const Key& key : keys()) {
      if (key.table != path || !key.required || table.find(key.key) != nullptr) continue;
      throw source_.error(place, fmt::format("{} has no `{}`: write {} = … with {}", heading(path, name), key.key,
                                             key.key, words(key.form)));
    }
  }

 private:
  static const Key* find(std::string_view path, std::string_view name) {
    for (const Key& key : keys()) {
      if (key.table == path && key.key == name) return &key;
    }
    return nullptr;
  }

  [[noreturn]] void unknown(std::string_view path, std::string_view name, const Field& field) const {
    if (const std::string_view sentence = refusal(field.key); !sentence.empty()) {
      throw source_.error(field.place, fmt::format("`{}`: {}", field.key, sentence));
    }
    std::vector<std::string_view> known;
    for (const Key& key : keys()) {
      if (key.table == path) known.push_back(key.key);
    }
    const std::string_view near = nearest(field.key, known.data(), known.size());
    const std::string where = path.empty() ? "at the top of the file" : fmt::format("in {}", heading(path, name));
    if (!near.empty()) {
      throw source_.error(field.place,
                          fmt::format("there is no key `{}` {}; did you mean `{}`?", field.key, where, near));
    }
    throw source_.error(field.place, fmt::format("there is no key `{}` {}; the keys there are {}", field.key, where,
                                                 joined(known, ", ")));
  }

  [[noreturn]] void wrong(const Key& key, std::string_view name, const Value& value) const {
    throw source_.error(value.place,
                        fmt::format("`{}` must be {}; here stands {}", name, words(key.form), describe(value)));
  }

  /// A number or a text, and the number is one.
  void check_number(const Key& key, std::string_view name, const Value& value) const {
    if (value.kind != ValueKind::number && value.kind != ValueKind::text) wrong(key, name, value);
    if (value.kind == ValueKind::number && !std::isfinite(value.number)) {
      throw source_.error(value.place, fmt::format("`{}` must be a finite number; here stands {}", name,
                                                   std::isnan(value.number) ? "nan" : "inf"));
    }
  }

  void check_numbers(const Key& key, std::string_view name, const Value& value, std::size_t least,
                     std::size_t most) const {
    if (value.items.size() < least || value.items.size() > most) wrong(key, name, value);
    for (const Value& item : value.items) check_number(key, name, item);
  }

  /// A number, numbers in brackets, or rows of so many numbers each.
  void check_rows(const Key& key, std::string_view name, const Value& value, std::size_t least,
                  std::size_t most) const {
    if (value.kind != ValueKind::array) {
      check_number(key, name, value);
      return;
    }
    if (value.items.empty()) wrong(key, name, value);
    if (value.items[0].kind != ValueKind::array) {
      check_numbers(key, name, value, 1, value.items.size());
      return;
    }
    for (const Value& row : value.items) {
      if (row.kind != ValueKind::array) wrong(key, name, row);
      check_numbers(key, name, row, least, most);
    }
  }

  void check_name(std::string_view table, const Field& field) const {
    if (is_identifier(field.key)) return;
    throw source_.error(field.place,
                        fmt::format("`{}` cannot be a name in [{}]: names are made of the letters a to z and A to Z, "
                                    "digits and _, and start with a letter or _",
                                    field.key, table));
  }

  void check(const Key& key, std::string_view name, Position place, const Value& value) const {
    switch (key.form) {
      case Form::text:
      case Form::condition:
      case Form::ranges:
      case Form::reference:
        if (value.kind != ValueKind::text) wrong(key, name, value);
        break;
      case Form::law:
        if (value.kind != ValueKind::text) wrong(key, name, value);
        if (value.text != "straightest" && value.text != "variational") {
          throw source_.error(value.place,
                              fmt::format("`law` must be {}; here stands \"{}\"", words(key.form), value.text));
        }
        break;
      case Form::number:
      case Form::expression: check_number(key, name, value); break;
      case Form::start:
        if (value.kind == ValueKind::array) {
          check_numbers(key, name, value, 1, value.items.size());
        } else {
          check_number(key, name, value);
        }
        break;
      case Form::starts:
        if (value.kind == ValueKind::array && !value.items.empty() && value.items[0].kind == ValueKind::array) {
          for (const Value& item : value.items) {
            if (item.kind != ValueKind::array) wrong(key, name, item);
            check_numbers(key, name, item, 2, 3);
          }
          break;
        }
        [[fallthrough]];
      case Form::numbers:
      case Form::expressions:
        if (value.kind == ValueKind::array) {
          check_numbers(key, name, value, 2, 3);
        } else if (value.kind != ValueKind::text) {
          wrong(key, name, value);
        }
        break;
      case Form::parameter:
        if (value.kind == ValueKind::array) {
          check_numbers(key, name, value, 2, 3);
        } else {
          check_number(key, name, value);
        }
        break;
      case Form::functions:
        if (value.kind != ValueKind::array) wrong(key, name, value);
        for (const Value& item : value.items) check_number(key, name, item);
        break;
      case Form::count:
        if (value.kind == ValueKind::array) {
          check_numbers(key, name, value, 1, 2);
        } else {
          check_number(key, name, value);
        }
        break;
      case Form::table:
        if (value.kind != ValueKind::table) wrong(key, name, value);
        check_table(path_of(key), name, place, value);
        break;
      case Form::truth:
        if (value.kind != ValueKind::boolean) wrong(key, name, value);
        break;
      case Form::partners:
      case Form::corners:
        if (value.kind != ValueKind::array || value.items.size() < 2) wrong(key, name, value);
        if (key.form == Form::partners && value.items.size() > 2) wrong(key, name, value);
        for (const Value& item : value.items) {
          if (item.kind == ValueKind::array) {
            check_numbers(key, name, item, 2, 3);
          } else if (item.kind != ValueKind::text) {
            wrong(key, name, item);
          }
        }
        break;
      case Form::orientation:
        if (value.kind == ValueKind::table) {
          check_table(path_of(key), name, place, value);
        } else {
          check_rows(key, name, value, 3, 4);
        }
        break;
      case Form::inertia: check_rows(key, name, value, 3, 3); break;
      case Form::spin: check_rows(key, name, value, 1, 3); break;
      case Form::list:
        if (value.kind != ValueKind::array) wrong(key, name, value);
        for (const Value& item : value.items) {
          if (item.kind != ValueKind::table) wrong(key, name, item);
          check_table(key.key, name, item.place, item);
        }
        break;
      case Form::named: check_named(key, name, value); break;
      case Form::condition_or_table:
        if (value.kind == ValueKind::table) {
          check_table("constraints.*", name, place, value);
        } else if (value.kind != ValueKind::text) {
          wrong(key, name, value);
        }
        break;
    }
  }

  /// A table in which the user gives the names: values of one form, or tables of one shape.
  void check_named(const Key& key, std::string_view name, const Value& value) const {
    if (value.kind != ValueKind::table) wrong(key, name, value);
    const std::string whole = path_of(key);
    const Key* inner = find(whole, "*");
    const std::string path = fmt::format("{}.*", whole);
    for (const Field& field : value.fields) {
      check_name(whole, field);
      if (inner != nullptr) {
        check(*inner, field.key, field.place, field.value);
        continue;
      }
      if (field.value.kind != ValueKind::table) {
        throw source_.error(field.value.place,
                            fmt::format("`{}` must be a table {} with keys of its own; here stands {}", field.key,
                                        heading(path, field.key), describe(field.value)));
      }
      check_table(path, field.key, field.place, field.value);
    }
  }

  const Source& source_;
};

/// The TOML library's complaint in the words of this program.
std::string own_words(std::string_view description) {
  const auto has = [&](std::string_view part) { return description.find(part) != std::string_view::npos; };
  const auto in_quotes = [&]() {
    const std::size_t from = description.find('\'');
    const std::size_t to = description.rfind('\'');
    return from == to ? std::string_view{} : description.substr(from + 1, to - from - 1);
  };
  if (has("cannot redefine existing")) {
    return fmt::format("`{}` stands here for the second time; a key or table may stand only once", in_quotes());
  }
  // What begins like a number, true or inf and goes on otherwise is mostly a condition or an expression without its quotes.
  const bool begun = has("parsing floating-point") || has("parsing boolean") || has("parsing integer") ||
                     has("parsing binary") || has("parsing hexadecimal") || has("parsing octal") ||
                     has("parsing inf") || has("parsing local date") || has("parsing local time");
  if (has("could not determine value type") || (begun && has("expected"))) {
    return "this is no value: numbers are written as 1.5, expressions and texts in quotes, vectors in brackets";
  }
  if (has("key-value pair") && has("expected a comment or whitespace")) {
    return "the line goes on behind its value: expressions and conditions stand in quotes";
  }
  if (has("maximum nested value depth")) return "arrays or tables are nested too deeply";
  // A number that can be read was not read for want of memory.
  if (has("could not be interpreted as a value") && read_number(in_quotes())) throw std::bad_alloc();
  if (has("not representable in 64 bits")) {
    const std::string_view number = in_quotes();
    const bool is_decimal = number.find_first_not_of("0123456789+-_") == std::string_view::npos;
    return fmt::format("the whole number {} has more than the 64 bits that TOML gives to whole numbers{}", number,
                       is_decimal ? fmt::format("; with a point, {}.0, it is one like any other", number) : "");
  }
  if (has("could not be interpreted as a value")) {
    return fmt::format("the number {} is too large or too small for a double", in_quotes());
  }
  if (has("unescaped control characters")) return "the text in quotes does not end in this line: a quote is missing";
  std::string_view rest = description;
  constexpr std::string_view opening = "Error while parsing ";
  if (rest.starts_with(opening)) rest.remove_prefix(opening.size());
  if (has("encountered end-of-file")) {
    const std::size_t colon = rest.find(':');
    return fmt::format("the file ends too early: the end of this {} is missing", rest.substr(0, colon));
  }
  if (has("expected value, saw")) return "a value is missing behind the sign =";
  if (has("expected ']'")) return "the closing bracket ] is missing";
  return fmt::format("this is not TOML: {}", rest);
}

}  // namespace

Draft read(std::string_view text, std::string file) {
  auto content = std::make_unique<Draft::Content>();
  content->source = Source(std::string(text), std::move(file));
  const Source& source = content->source;
  source.require_text();

  // TOML to a tree in the order of the file.
  const ParserText parsed = source.for_parser();
  try {
    content->root = convert(toml::parse(std::string_view(parsed.text)), parsed);
  } catch (const toml::parse_error& error) {
    throw source.error(parsed.original(position(error.source())), own_words(error.description()));
  }

  Checker(source).check_table("", "", {1, 1}, content->root);
  const Value* points = content->root.find("points");
  const Value* coordinates = content->root.find("coordinates");
  const Field* flow = nullptr;
  for (const Field& field : content->root.fields) flow = field.key == "flow" ? &field : flow;
  if (flow != nullptr && (coordinates == nullptr || coordinates->fields.empty())) {
    throw source.error(flow->place,
                       "[flow] needs the initial values of its variables: write a table [coordinates.NAME] with "
                       "`initial` for each");
  }
  const Value* bodies = content->root.find("bodies");
  const auto none = [](const Value* table) { return table == nullptr || table->fields.empty(); };
  if (none(points) && none(coordinates) && none(bodies)) {
    throw source.error(
        {1, 1},
        "the model has no points and no coordinates, and no bodies: write at least one table [points.NAME] with mass "
        "and position, [bodies.NAME], or [coordinates.NAME] with initial");
  }
  return Draft(std::move(content));
}

Model load(std::string_view text, std::string file, const Overrides& overrides, Pairs pairs) {
  return compile(read(text, std::move(file)), overrides, pairs);
}

}  // namespace zwang::model
