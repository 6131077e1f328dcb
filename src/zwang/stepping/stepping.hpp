/// A motion in steps of one length, for what no list of events can follow (docs/mathematics, section 26).
///
/// It is carried on as a motion by its events is: `begin`, `advance` step after step, `save` and `restore` to the same bits. `motion` holds the
/// present, the piece that led here and the account; there are no events. Beside it a second course goes with half the step, over the whole way
/// where that is cheap, else over windows: how far the two come apart is the estimate of the error.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "zwang/motion/advance.hpp"
#include "zwang/motion/track.hpp"

namespace zwang::stepping {

struct Stepping {
  motion::Motion motion;     ///< its present; it has no inside of its own
  double penetration = 0;    ///< the deepest so far, as a length
  double error = 0;          ///< of the positions now, estimated
  std::uint64_t stride = 1;  ///< so many steps make one piece of a file

  struct Impl;
  std::unique_ptr<Impl> impl;

  Stepping();
  ~Stepping();
  Stepping(Stepping&&) noexcept;
  Stepping& operator=(Stepping&&) noexcept;
};

/// Is this model to be run in steps?
[[nodiscard]] bool is_stepped(const model::Model& model);

/// Brings the start onto its conditions. The model must outlive the motion.
[[nodiscard]] Stepping begin(const model::Model& model, const motion::Options& options = {});
/// One step further. False when the motion has ended; then nothing changed.
bool advance(Stepping& stepping);
/// The piece from the end of the last one that was kept to now, if one is due: every `stride` steps, and at the end.
[[nodiscard]] const motion::Piece* piece_to_keep(Stepping& stepping);

[[nodiscard]] motion::Account account_of(const model::Model& model, const Stepping& stepping);

[[nodiscard]] std::string save(const Stepping& stepping);
[[nodiscard]] Stepping restore(const model::Model& model, const motion::Options& options, std::string_view saved);
/// Penetration and error out of a checkpoint of a motion in steps; nothing happens to other accounts.
void read_account(std::string_view saved, motion::Account& account);

/// As motion::follow, with the method of the model.
bool follow(const model::Model& model, const motion::Options& options, motion::Track& track,
            const motion::GoOn& go_on = {});

}  // namespace zwang::stepping
