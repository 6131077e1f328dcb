/// Notes of a compilation, and whether another one would write the same.
#include "zwang/model/compile/journal.hpp"

#include <algorithm>
#include <cmath>

namespace zwang::model {

namespace {

/// Does a tape do the same to the same numbers?
bool same_tape(const expressions::Tape& a, const expressions::Tape& b) {
  return a.inputs == b.inputs && a.constants == b.constants && a.outputs == b.outputs &&
         std::equal(a.instructions.begin(), a.instructions.end(), b.instructions.begin(), b.instructions.end(),
                    [](const expressions::Instruction& x, const expressions::Instruction& y) {
                      return x.op == y.op && x.a == y.a && x.b == y.b && x.c == y.c;
                    });
}

/// Does a number of this size stand in the expressions so far?
bool stands_in(const expressions::Graph& graph, double number) {
  for (std::uint32_t id = 0; id < graph.size(); ++id) {
    const expressions::Node node = graph.node(expressions::Expr{id});
    if (node.kind == expressions::NodeKind::number && std::abs(node.number) == std::abs(number)) return true;
  }
  return false;
}

bool has_constant(const expressions::Tape& tape, double number) {
  return std::any_of(tape.constants.begin(), tape.constants.end(),
                     [&](double one) { return std::abs(one) == std::abs(number); });
}

}  // namespace

void Journal::note(Shapes& shapes, const std::vector<double>& numbers, std::size_t loose, std::uint32_t parameter) {
  candidate_ = none;
  taken_ = nullptr;
  parameter_ = parameter;
  for (std::size_t k = 0; k < numbers.size(); ++k) {
    if (k == loose && use_ == Use::write) {
      // A number that was there before, but for the same parameter, would have another place among the others.
      const bool known = std::any_of(write_->loose.begin(), write_->loose.end(),
                                     [&](const Pages::Loose& one) { return one.parameter == parameter; });
      if (known || !stands_in(shapes.graph(), numbers[k])) candidate_ = write_->words.size();
    }
    if (k == loose && use_ == Use::read) {
      const auto found = std::lower_bound(read_->loose.begin(), read_->loose.end(), next_word_,
                                          [](const Pages::Loose& one, std::size_t word) { return one.word < word; });
      if (found != read_->loose.end() && found->word == next_word_) {
        taken_ = &*found;
        taken_number_ = numbers[k];
        ++next_word_;
        continue;
      }
    }
    note(numbers[k]);
  }
}

bool Journal::loosen(std::uint32_t group, std::uint32_t constant, double factor) {
  if (use_ != Use::write || candidate_ == none) return false;
  write_->loose.push_back({candidate_, parameter_, group, constant, factor});
  return true;
}

void Journal::count_lane(std::uint32_t group) {
  const auto found = std::find_if(lanes_.begin(), lanes_.end(), [&](const auto& one) { return one.first == group; });
  if (found != lanes_.end()) {
    ++found->second;
  } else {
    lanes_.emplace_back(group, 1);
  }
}

void Journal::put_loose(Shapes& shapes) {
  if (taken_ == nullptr) return;
  const double number = taken_->factor * taken_number_;
  const std::uint32_t group = taken_->group;
  expressions::Tape& tape = shapes.row_tape(group);
  // As it was when the journal was written: not zero, of the same sign, and no number that stands anywhere else.
  for (const Put& before : put_) {
    const bool same = std::bit_cast<std::uint64_t>(before.number) == std::bit_cast<std::uint64_t>(number);
    if (before.group == group && !same) throw Departs{};
    if (before.parameter != taken_->parameter && std::abs(before.number) == std::abs(number)) throw Departs{};
  }
  const double written = tape.constants[taken_->constant];
  const bool same = std::bit_cast<std::uint64_t>(written) == std::bit_cast<std::uint64_t>(number);
  const bool free = std::isfinite(number) && number != 0 && std::signbit(number) == std::signbit(written) &&
                    !std::binary_search(read_->numbers.begin(), read_->numbers.end(), std::abs(number));
  if (!same && !free) throw Departs{};
  tape.constants[taken_->constant] = number;
  put_.push_back({group, taken_->parameter, number});
}

void Journal::note(std::string_view text) {
  if (use_ == Use::none) return;
  note(std::uint64_t{text.size()});
  for (const char c : text) note(std::uint64_t{static_cast<unsigned char>(c)});
}

void Journal::note(const Slots& slots) {
  const auto list = [&](const auto& values) {
    note(std::uint64_t{values.size()});
    for (const std::uint32_t value : values) note(std::uint64_t{value});
  };
  list(slots.key);
  list(slots.positions);
  list(slots.velocities);
  for (const double value : slots.constants) note(value);
}

void Journal::note(const Probe& probe) {
  note(probe.time);
  for (const double value : probe.positions) note(value);
  for (const double value : probe.velocities) note(value);
}

void Journal::open(Shapes& shapes) {
  size_ = shapes.graph().size();
  if (use_ == Use::read) shapes.take_over(read_->groups);
}

void Journal::keep_groups(Shapes& shapes) {
  if (use_ == Use::read) {
    // Groups that differed in such a number and no longer do would be one.
    for (const Put& put : put_) {
      for (std::uint32_t other = 0; other < shapes.row_groups(); ++other) {
        if (other != put.group && same_tape(shapes.row_tape(put.group), shapes.row_tape(other))) throw Departs{};
      }
    }
  }
  if (use_ != Use::write) return;
  write_->groups = shapes.groups();
  // A group that others share has the number of all of them.
  std::erase_if(write_->loose, [&](const Pages::Loose& one) {
    const auto found =
        std::find_if(lanes_.begin(), lanes_.end(), [&](const auto& lane) { return lane.first == one.group; });
    return found == lanes_.end() || found->second != shapes.row_lanes(one.group);
  });
  tighten();
}

void Journal::tighten() {
  // Where it met another number later that number, too, would have another place.
  const std::vector<Pages::Loose> all = write_->loose;
  const Shapes::Groups& groups = write_->groups;
  std::erase_if(write_->loose, [&](const Pages::Loose& one) {
    const double number = std::bit_cast<double>(write_->words[one.word]);
    const auto own = [&](const auto& is) {
      return std::any_of(all.begin(), all.end(),
                         [&](const Pages::Loose& other) { return other.parameter == one.parameter && is(other); });
    };
    for (std::size_t word = 0; word < write_->words.size(); ++word) {
      const bool same = write_->words[word] == std::bit_cast<std::uint64_t>(number) ||
                        write_->words[word] == std::bit_cast<std::uint64_t>(-number);
      if (same && !own([&](const Pages::Loose& other) { return other.word == word; })) return true;
    }
    for (std::uint32_t g = 0; g < groups.rows.size(); ++g) {
      const model::RowGroup& group = groups.rows[g];
      const bool here = has_constant(group.tape, number) || has_constant(group.bend, number) ||
                        has_constant(group.switching, number) || has_constant(group.slopes, number);
      if (here && !own([&](const Pages::Loose& other) { return other.group == g; })) return true;
    }
    return std::any_of(groups.terms.begin(), groups.terms.end(), [&](const model::TermGroup& group) {
      return has_constant(group.tape, number) || has_constant(group.switching, number) ||
             has_constant(group.slopes, number);
    });
  });
}

void Journal::begin(Shapes& shapes) {
  if (shapes.graph().size() != size_) unfit_ = true;
  static_cast<void>(shapes.asked_about_state());
}

void Journal::close(Shapes& shapes) {
  const bool same = shapes.graph().size() == size_;
  if (use_ == Use::write) {
    write_->fit = same && !unfit_;
    std::vector<double>& numbers = write_->numbers;
    const expressions::Graph& graph = shapes.graph();
    for (std::uint32_t id = 0; id < graph.size(); ++id) {
      const expressions::Node node = graph.node(expressions::Expr{id});
      if (node.kind == expressions::NodeKind::number) numbers.push_back(std::abs(node.number));
    }
    std::sort(numbers.begin(), numbers.end());
  }
  if (use_ == Use::read && !(same && next_word_ == read_->words.size() && next_made_ == read_->made.size())) {
    throw Departs{};
  }
}

}  // namespace zwang::model
