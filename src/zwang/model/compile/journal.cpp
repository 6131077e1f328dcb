/// Notes of a compilation, and whether another one would write the same.
#include "zwang/model/compile/journal.hpp"

namespace zwang::model {

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

void Journal::keep_groups(const Shapes& shapes) {
  if (use_ == Use::write) write_->groups = shapes.groups();
}

void Journal::begin(Shapes& shapes) {
  if (shapes.graph().size() != size_) unfit_ = true;
  static_cast<void>(shapes.asked_about_state());
}

void Journal::close(Shapes& shapes) {
  const bool same = shapes.graph().size() == size_;
  if (use_ == Use::write) write_->fit = same && !unfit_;
  if (use_ == Use::read && !(same && next_word_ == read_->words.size() && next_made_ == read_->made.size())) {
    throw Departs{};
  }
}

}  // namespace zwang::model
