/// Every expression of a model as a syntax tree whose offsets lead back to the file.
#include "zwang/model/formulas.hpp"

#include <cassert>

#include "zwang/base/number.hpp"

namespace zwang::model {

namespace {

constexpr unsigned offset_bits = 21;
static_assert((std::size_t{1} << offset_bits) > expressions::longest_expression);

void shift(Syntax& syntax, std::size_t base) {
  syntax.offset += base;
  for (Syntax& child : syntax.children) shift(child, base);
}

/// Characters of the first `bytes` bytes.
std::uint32_t characters(std::string_view text, std::size_t bytes) {
  std::uint32_t count = 0;
  for (const char c : text.substr(0, bytes)) {
    if ((static_cast<unsigned char>(c) & 0xC0U) != 0x80U) ++count;
  }
  return count;
}

}  // namespace

std::size_t Formulas::add(Phrase phrase) {
  // There are always some.
  constexpr std::size_t few = 32;
  if (phrases_.empty()) phrases_.reserve(few);
  phrases_.push_back(std::move(phrase));
  return (phrases_.size() - 1) << offset_bits;
}

Place Formulas::place(std::size_t offset) const {
  const Phrase& phrase = phrases_.at(offset >> offset_bits);
  const std::size_t byte = offset & ((std::size_t{1} << offset_bits) - 1);
  if (phrase.value == nullptr) return {phrase.label, 1, characters(phrase.text, byte) + 1};
  return source_.place(source_.inside(phrase.value->place, byte));
}

Error Formulas::error(std::size_t offset, const std::string& message) const {
  const Phrase& phrase = phrases_.at(offset >> offset_bits);
  const Place where = place(offset);
  if (phrase.value == nullptr) return {where, message, phrase.text};
  return source_.error({where.line, where.column}, message);
}

std::string Formulas::text(const Syntax& part) const {
  const Phrase& phrase = phrases_.at(part.offset >> offset_bits);
  const std::size_t byte = part.offset & ((std::size_t{1} << offset_bits) - 1);
  if (phrase.value == nullptr) return phrase.text.substr(byte, part.length);
  switch (phrase.value->kind) {
    case ValueKind::number: return exact(phrase.value->number);
    case ValueKind::text: return byte < phrase.value->text.size() ? phrase.value->text.substr(byte, part.length) : "";
    default: break;
  }

  // The components stand in texts of their own.
  std::string out = "[";
  for (const Syntax& child : part.children) out += (out.size() > 1 ? ", " : "") + text(child);
  return out + "]";
}

std::size_t Formulas::end() const { return phrases_.size() << offset_bits; }

std::string_view Formulas::outside_text(const Syntax& part) const {
  const Phrase& phrase = phrases_.at(part.offset >> offset_bits);
  return phrase.value == nullptr ? std::string_view(phrase.text) : std::string_view();
}

std::string Formulas::digits(const Syntax& number) const {
  const Phrase& phrase = phrases_.at(number.offset >> offset_bits);
  if (phrase.value != nullptr && phrase.value->kind == ValueKind::number) {
    return std::string(source_.number_at(phrase.value->place));
  }
  return text(number);
}

Syntax Formulas::expression(const Value& value) {
  const std::size_t base = add({&value, {}, {}});
  Syntax out;
  switch (value.kind) {
    case ValueKind::number:
      out.number = value.number;
      out.offset = base;
      return out;
    case ValueKind::array:
      out.kind = SyntaxKind::vector;
      out.offset = base;
      for (const Value& item : value.items) out.children.push_back(expression(item));
      return out;
    case ValueKind::text: break;
    default: assert(false && "the reader lets only numbers, texts and arrays pass");
  }
  try {
    out = expressions::parse_expression(value.text);
  } catch (const expressions::SyntaxError& mistake) {
    throw error(base + mistake.offset, mistake.what());
  }
  shift(out, base);
  return out;
}

expressions::ConditionSyntax Formulas::condition(const Value& value) {
  const std::size_t base = add({&value, {}, {}});
  try {
    expressions::ConditionSyntax out = expressions::parse_condition(value.text);
    shift(out.left, base);
    shift(out.right, base);
    out.relation_offset += base;
    return out;
  } catch (const expressions::SyntaxError& mistake) {
    throw error(base + mistake.offset, mistake.what());
  }
}

expressions::AlternativeSyntax Formulas::alternatives(const Value& value) {
  return alternatives_of(add({&value, {}, {}}), value.text);
}

expressions::AlternativeSyntax Formulas::outside_condition(std::string label, std::string text) {
  const std::string copy = text;
  return alternatives_of(add({nullptr, std::move(label), std::move(text)}), copy);
}

expressions::AlternativeSyntax Formulas::alternatives_of(std::size_t base, const std::string& text) const {
  try {
    expressions::AlternativeSyntax out = expressions::parse_alternatives(text);
    for (expressions::ConditionSyntax& one : out) {
      shift(one.left, base);
      shift(one.right, base);
      one.relation_offset += base;
    }
    return out;
  } catch (const expressions::SyntaxError& mistake) {
    throw error(base + mistake.offset, mistake.what());
  }
}

Syntax Formulas::truth(const Value& value) {
  const std::size_t base = add({&value, {}, {}});
  try {
    Syntax out = expressions::parse_truth(value.text);
    shift(out, base);
    return out;
  } catch (const expressions::SyntaxError& mistake) {
    throw error(base + mistake.offset, mistake.what());
  }
}

std::vector<expressions::RangeSyntax> Formulas::ranges(const Value& value) {
  return ranges_of(add({&value, {}, {}}), value.text);
}

std::vector<expressions::RangeSyntax> Formulas::outside_ranges(std::string label, std::string text) {
  const std::string copy = text;
  return ranges_of(add({nullptr, std::move(label), std::move(text)}), copy);
}

std::vector<expressions::RangeSyntax> Formulas::ranges_of(std::size_t base, const std::string& text) const {
  try {
    std::vector<expressions::RangeSyntax> out = expressions::parse_ranges(text);
    for (expressions::RangeSyntax& range : out) {
      range.offset += base;
      shift(range.low, base);
      shift(range.high, base);
    }
    return out;
  } catch (const expressions::SyntaxError& mistake) {
    throw error(base + mistake.offset, mistake.what());
  }
}

Syntax Formulas::reference(const Value& value) {
  const std::size_t base = add({&value, {}, {}});
  try {
    Syntax out = expressions::parse_reference(value.text);
    shift(out, base);
    return out;
  } catch (const expressions::SyntaxError& mistake) {
    throw error(base + mistake.offset, mistake.what());
  }
}

Syntax Formulas::outside(std::string label, std::string text) {
  const std::size_t base = add({nullptr, std::move(label), std::move(text)});
  try {
    Syntax out = expressions::parse_expression(phrases_.back().text);
    shift(out, base);
    return out;
  } catch (const expressions::SyntaxError& mistake) {
    throw error(base + mistake.offset, mistake.what());
  }
}

}  // namespace zwang::model
