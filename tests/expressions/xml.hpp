/// A strict reader of XML elements for tests: tags must match, attributes be quoted, entities known; no external help.
#pragma once

#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace xml {

/// An element, or a text (then `name` is empty).
struct Element {
  std::string name;
  std::map<std::string, std::string> attributes;
  std::vector<Element> children;
  std::string text;

  /// All text below, in order.
  [[nodiscard]] std::string words() const {
    std::string out = text;
    for (const Element& child : children) out += child.words();
    return out;
  }
  /// Elements of that name, this one included, in the order of the document.
  void find(std::string_view wanted, std::vector<const Element*>& found) const {
    if (name == wanted) found.push_back(this);
    for (const Element& child : children) child.find(wanted, found);
  }
  [[nodiscard]] std::vector<const Element*> all(std::string_view wanted) const {
    std::vector<const Element*> found;
    find(wanted, found);
    return found;
  }
};

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  /// Any number of elements and texts, wrapped in one element without meaning.
  Element fragment() {
    Element root;
    root.name = "fragment";
    content(root);
    if (at_ != text_.size()) fail("an end tag without begin");
    return root;
  }

  /// A document: an optional declaration and doctype, then one element.
  Element document() {
    if (next_is("<?xml")) at_ = text_.find("?>") + 2;
    blanks();
    if (next_is("<!DOCTYPE")) at_ = text_.find('>', at_) + 1;
    blanks();
    Element root = element();
    blanks();
    if (at_ != text_.size()) fail("something behind the root");
    return root;
  }

 private:
  [[noreturn]] void fail(const std::string& why) const {
    throw std::runtime_error(why + " at byte " + std::to_string(at_) + ": ..." +
                             std::string(text_.substr(at_ < 60 ? 0 : at_ - 60, 120)));
  }
  [[nodiscard]] bool next_is(std::string_view word) const { return text_.substr(at_, word.size()) == word; }
  [[nodiscard]] char here() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  void blanks() {
    while (here() == ' ' || here() == '\n' || here() == '\t') ++at_;
  }
  std::string name() {
    const std::size_t begin = at_;
    while (std::string_view(" \n\t/>=<\"'").find(here()) == std::string_view::npos && here() != '\0') ++at_;
    if (begin == at_) fail("a name is missing");
    return std::string(text_.substr(begin, at_ - begin));
  }

  std::string entity() {
    const std::size_t end = text_.find(';', at_);
    if (end == std::string_view::npos || end > at_ + 12) fail("a bare &");
    const std::string_view word = text_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    if (word == "amp") return "&";
    if (word == "lt") return "<";
    if (word == "gt") return ">";
    if (word == "quot") return "\"";
    if (word == "apos") return "'";
    if (word.empty() || word[0] != '#') fail("an entity that XML does not know: " + std::string(word));
    const bool hexadecimal = word.size() > 1 && word[1] == 'x';
    const unsigned long code =
        std::stoul(std::string(word.substr(hexadecimal ? 2 : 1)), nullptr, hexadecimal ? 16 : 10);
    if (code < 0x80) return std::string(1, static_cast<char>(code));
    if (code < 0x800) return {static_cast<char>(0xC0 | (code >> 6U)), static_cast<char>(0x80 | (code & 0x3FU))};
    return {static_cast<char>(0xE0 | (code >> 12U)), static_cast<char>(0x80 | ((code >> 6U) & 0x3FU)),
            static_cast<char>(0x80 | (code & 0x3FU))};
  }

  void content(Element& parent) {
    while (at_ < text_.size() && !next_is("</")) {
      if (next_is("<!--")) {
        at_ = text_.find("-->", at_);
        if (at_ == std::string_view::npos) fail("a comment is not closed");
        at_ += 3;
      } else if (here() == '<') {
        parent.children.push_back(element());
      } else {
        Element piece;
        while (at_ < text_.size() && here() != '<') {
          if (here() == '&') {
            piece.text += entity();
          } else {
            const auto byte = static_cast<unsigned char>(here());
            if (byte < 0x20 && byte != '\n' && byte != '\t' && byte != '\r') fail("a control character");
            piece.text += text_[at_++];
          }
        }
        parent.children.push_back(piece);
      }
    }
  }

  Element element() {
    if (here() != '<') fail("an element is expected");
    ++at_;
    Element out;
    out.name = name();
    for (blanks(); here() != '>' && here() != '/'; blanks()) {
      const std::string key = name();
      if (here() != '=') fail("an attribute without value");
      ++at_;
      const char quote = here();
      if (quote != '"' && quote != '\'') fail("an attribute without quotes");
      std::string value;
      for (++at_; here() != quote;) {
        if (here() == '\0' || here() == '<') fail("an attribute is not closed");
        if (here() == '&') {
          value += entity();
        } else {
          value += text_[at_++];
        }
      }
      ++at_;
      if (!out.attributes.emplace(key, value).second) fail("an attribute twice");
    }
    if (next_is("/>")) {
      at_ += 2;
      return out;
    }
    if (here() != '>') fail("a tag is not closed");
    ++at_;
    content(out);
    if (!next_is("</")) fail("the end of " + out.name + " is missing");
    at_ += 2;
    if (const std::string end = name(); end != out.name) fail(out.name + " is closed by " + end);
    blanks();
    if (here() != '>') fail("an end tag is not closed");
    ++at_;
    return out;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

inline Element fragment(std::string_view text) { return Reader(text).fragment(); }
inline Element document(std::string_view text) { return Reader(text).document(); }

}  // namespace xml
