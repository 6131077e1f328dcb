/// What stands in summands.hpp.
#include "zwang/model/compile/summands.hpp"

#include <algorithm>

namespace zwang::model {

namespace {

/// A part of an expression in which a sum over members stands so that the whole is linear in it.
bool has_sum(const Syntax& s) {
  switch (s.kind) {
    case SyntaxKind::sum_over: return true;
    case SyntaxKind::negate: return has_sum(s.children[0]);
    case SyntaxKind::sum: return std::any_of(s.children.begin(), s.children.end(), has_sum);
    case SyntaxKind::product: {
      int found = 0;
      for (std::size_t k = 0; k < s.children.size(); ++k) {
        if (!has_sum(s.children[k])) continue;
        if (s.inverse[k]) return false;
        ++found;
      }
      return found == 1;
    }
    default: return false;
  }
}

/// The factors in front of a sum, one more.
Syntax times(Syntax factors, const Syntax& factor, bool inverse) {
  factors.children.push_back(factor);
  factors.inverse.push_back(inverse);
  return factors;
}

void split(const Syntax& s, const Syntax& factors, const std::vector<expressions::RangeSyntax>& ranges,
           std::vector<Summand>& out) {
  if (!has_sum(s)) {
    out.push_back({factors.children.empty() ? s : times(factors, s, false), ranges});
    return;
  }
  switch (s.kind) {
    case SyntaxKind::negate: {
      Syntax minus;
      minus.number = -1;
      minus.offset = s.offset;
      minus.length = 1;
      split(s.children[0], times(factors, minus, false), ranges, out);
      return;
    }
    case SyntaxKind::sum: {
      // What has no sum stays together, so that it can be simplified as one.
      Syntax rest = s;
      rest.children.clear();
      rest.inverse.clear();
      for (std::size_t k = 0; k < s.children.size(); ++k) {
        if (!has_sum(s.children[k])) {
          rest.children.push_back(s.children[k]);
          rest.inverse.push_back(s.inverse[k]);
          continue;
        }
        Syntax sign;
        sign.number = -1;
        sign.offset = s.children[k].offset;
        sign.length = 1;
        split(s.children[k], s.inverse[k] ? times(factors, sign, false) : factors, ranges, out);
      }
      if (!rest.children.empty()) split(rest, factors, ranges, out);
      return;
    }
    case SyntaxKind::product: {
      Syntax more = factors;
      const Syntax* inner = nullptr;
      for (std::size_t k = 0; k < s.children.size(); ++k) {
        if (inner == nullptr && !s.inverse[k] && has_sum(s.children[k])) {
          inner = &s.children[k];
        } else {
          more = times(std::move(more), s.children[k], s.inverse[k]);
        }
      }
      split(*inner, more, ranges, out);
      return;
    }
    default: {
      std::vector<expressions::RangeSyntax> more = ranges;
      more.push_back({s.name, s.offset, s.children[0], s.children[1]});
      split(s.children[2], factors, more, out);
    }
  }
}

}  // namespace

std::vector<Summand> summands(const Syntax& whole) {
  Syntax factors;
  factors.kind = SyntaxKind::product;
  factors.offset = whole.offset;
  factors.length = whole.length;
  std::vector<Summand> out;
  split(whole, factors, {}, out);
  return out;
}

}  // namespace zwang::model
