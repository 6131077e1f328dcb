/// The first thing that happens on a series: what closes, lets go, touches or parts, and where the motion is asked to stop.
#pragma once

#include <cstdint>
#include <vector>

#include "zwang/motion/advance_impl.hpp"

namespace zwang::motion {

/// The first thing that happens on the series, found on its polynomials.
struct Happening {
  double at = never;     ///< of the first crossing
  double cut = never;    ///< end the piece here without an instant: something begins that the next series sees whole
  double graze = never;  ///< of the first graze
  double stop = never;
  struct Crossing {
    std::uint32_t row;
    double at;
    bool release;
  };
  std::vector<Crossing> crossings, grazes, pendings;  ///< pendings: what is as good as zero at the end of the step
  double parts = never;    ///< of the first place at which a row that others carry is left by them: does it let go?
  double blurred = never;  ///< of the first place at which an open row does something that its band all but hides
  bool blurred_passes = false;   ///< and rises above zero there by more than rounding of its terms
  bool blurred_touches = false;  ///< and goes off again without having risen above it
  std::uint32_t blurred_row = no_row;
};

/// Looks over the first h of the series, in its unit of time. `buffer` is scratch.
[[nodiscard]] Happening first_happening(const Motion& motion, double h, std::vector<double>& buffer);

/// An open row that does something within the band in which it counts as zero, or at a place that the band blurs, is looked at from nearer if
/// its terms are far smaller there than where they were measured: a small target that is flown at from afar. Where to begin anew, and
/// the size of the terms there; never if that would not help.
[[nodiscard]] double nearer_place(const Motion& motion, const Happening& found, double& size);

/// Equations that depend on others at a singular position: do these keep them up to s, and do they depend on them there, too?
[[nodiscard]] bool keeps_what_is_implied(const Motion& motion, double s);

/// A step that ends at a singular position: what is as good as zero there closes there, and not before.
void close_at_position(double end, Happening& found);

}  // namespace zwang::motion
