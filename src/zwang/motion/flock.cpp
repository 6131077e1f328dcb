/// The next steps of several motions, begun together.
#include "zwang/motion/flock.hpp"

#include "zwang/expressions/functions/series.hpp"
#include "zwang/motion/advance_impl.hpp"

namespace zwang::motion {

bool Flock::pays(const Motion& motion) { return motion.impl->flow == nullptr && Together::pays(motion.impl->series); }

std::size_t Flock::size() { return expressions::many; }

void Flock::look_ahead(std::span<Motion* const> motions) {
  members_.clear();
  for (Motion* motion : motions) {
    Motion::Impl& impl = *motion->impl;
    if (motion->status != Status::going || impl.flow != nullptr || impl.passage.at_it || impl.passage.followed)
      continue;
    // As `advance` begins.
    impl.series.take_roots_as_they_are();
    members_.push_back({&impl.series, &motion->state, motion});
  }
  together_.extend(members_);
}

}  // namespace zwang::motion
