/// Recipes, chunks and lines of the table as bytes between processes on machines of one kind.
#include "zwang/sweeps/messages.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <stdexcept>

namespace zwang::sweeps {

namespace {

class Packer {
 public:
  void put(std::uint64_t value) { raw(&value, sizeof value); }
  void put(double value) { raw(&value, sizeof value); }
  void put(std::string_view text) {
    put(std::uint64_t{text.size()});
    bytes.append(text);
  }
  void put(const std::vector<double>& values) {
    put(std::uint64_t{values.size()});
    raw(values.data(), values.size() * sizeof(double));
  }
  std::string bytes;

 private:
  void raw(const void* from, std::size_t size) { bytes.append(static_cast<const char*>(from), size); }
};

class Unpacker {
 public:
  explicit Unpacker(std::string_view bytes) : rest_(bytes) {}
  [[nodiscard]] bool empty() const { return rest_.empty(); }
  std::uint64_t whole() {
    std::uint64_t value = 0;
    std::memcpy(&value, take(sizeof value), sizeof value);
    return value;
  }
  double number() {
    double value = 0;
    std::memcpy(&value, take(sizeof value), sizeof value);
    return value;
  }
  std::string text() {
    const std::uint64_t size = whole();
    return {take(size), size};
  }
  std::vector<double> numbers() {
    const std::uint64_t count = whole();
    if (count > rest_.size() / sizeof(double)) fail();
    std::vector<double> values(count);
    const char* from = take(count * sizeof(double));
    if (count > 0) std::memcpy(values.data(), from, count * sizeof(double));
    return values;
  }
  [[noreturn]] static void fail() { throw std::runtime_error("a message between processes of a sweep cannot be read"); }

 private:
  const char* take(std::size_t size) {
    if (size > rest_.size()) fail();
    const char* from = rest_.data();
    rest_.remove_prefix(size);
    return from;
  }
  std::string_view rest_;
};

}  // namespace

std::string to_bytes(const Recipe& recipe) {
  Packer out;
  out.put(std::string_view(recipe.file));
  out.put(std::string_view(recipe.text));
  out.put(std::uint64_t{recipe.overrides.parameters.size()});
  for (const auto& [name, value] : recipe.overrides.parameters) {
    out.put(std::string_view(name));
    out.put(std::string_view(value));
  }
  for (const std::string* one : {&recipe.overrides.start, &recipe.overrides.until, &recipe.overrides.tolerance}) {
    out.put(std::string_view(*one));
  }
  out.put(std::uint64_t{recipe.over.size()});
  for (const Spec& spec : recipe.over) {
    out.put(std::string_view(spec.text));
    out.put(std::string_view(spec.table));
  }
  out.put(recipe.count);
  out.put(recipe.seed);
  out.put(std::uint64_t{recipe.records.size()});
  for (const std::string& record : recipe.records) out.put(std::string_view(record));
  return std::move(out.bytes);
}

Recipe recipe_of(std::string_view bytes) {
  Unpacker in(bytes);
  Recipe recipe;
  recipe.file = in.text();
  recipe.text = in.text();
  for (std::uint64_t k = in.whole(); k-- > 0;) {
    std::string name = in.text();
    std::string value = in.text();
    recipe.overrides.parameters.emplace_back(std::move(name), std::move(value));
  }
  for (std::string* one : {&recipe.overrides.start, &recipe.overrides.until, &recipe.overrides.tolerance}) {
    *one = in.text();
  }
  for (std::uint64_t k = in.whole(); k-- > 0;) {
    Spec spec;
    spec.text = in.text();
    spec.table = in.text();
    recipe.over.push_back(std::move(spec));
  }
  recipe.count = in.whole();
  recipe.seed = in.whole();
  for (std::uint64_t k = in.whole(); k-- > 0;) recipe.records.push_back(in.text());
  return recipe;
}

std::string to_bytes(const Chunk& chunk) {
  Packer out;
  out.put(chunk.first);
  out.put(chunk.count);
  return std::move(out.bytes);
}

Chunk chunk_of(std::string_view bytes) {
  Unpacker in(bytes);
  Chunk chunk;
  chunk.first = in.whole();
  chunk.count = in.whole();
  return chunk;
}

std::string to_bytes(const std::vector<Row>& rows) {
  Packer out;
  for (const Row& row : rows) {
    out.put(row.sample);
    out.put(row.status);
    out.put(std::string_view(row.why));
    out.put(row.time);
    out.put(row.steps);
    out.put(row.events);
    out.put(row.defect);
    out.put(row.parameters);
    out.put(row.records);
  }
  return std::move(out.bytes);
}

std::vector<Row> rows_of(std::string_view bytes) {
  std::vector<Row> rows;
  for (Unpacker in(bytes); !in.empty();) {
    Row row;
    row.sample = in.whole();
    row.status = known_status(in.text());
    if (row.status.empty()) Unpacker::fail();
    row.why = in.text();
    row.time = in.number();
    row.steps = in.whole();
    row.events = in.whole();
    row.defect = in.number();
    row.parameters = in.numbers();
    row.records = in.numbers();
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace zwang::sweeps
