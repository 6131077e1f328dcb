/// A crowd: many points that fly freely and meet, each followed by itself.
///
/// A motion that is one piece for all its bodies brings all of them to every event. Here every member has a flight of its own, a polynomial from its
/// last event on, and the next event of each is known: a wall, another member, the face of a cell. What happens to two of them is settled between
/// these two, in closed form; where more than one condition touches, or conditions stay closed, the members concerned are taken up as a motion of
/// their own (`motion::take_up`), an island, until they part. What is told, events, states, energies, is what one motion of all would tell.
///
///   Crowd crowd(model, {});
///   while (crowd.advance()) tell(crowd.events());
///
/// A prediction depends on the two flights alone that it is made from, never on when it was made. Reference: docs/mathematics, section 27.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "zwang/model/model.hpp"
#include "zwang/motion/advance.hpp"
#include "zwang/trajectory.hpp"

namespace zwang::crowds {

/// From `start` on, until its next flight or leg begins, a member is at position + velocity s + acceleration s^2 / 2.
struct Flight {
  std::uint32_t member = 0;
  double start = 0;
  std::array<double, 3> position{};
  std::array<double, 3> velocity{};
};

/// What members that hang together do from the start of the piece on, each until its next flight or leg begins. The variables of the piece are
/// those of the members, one after the other; its rows are numbered as events number them.
struct Leg {
  std::vector<std::uint32_t> members;
  motion::Piece piece;
};

/// One of the two, in the order in which they began.
struct Begun {
  bool leg = false;
  std::uint32_t number = 0;  ///< among the flights or legs
};

/// How far hands go ahead; the bits do not depend on it.
struct AheadOptions {
  double turns_per_member = 0;  ///< in one stretch, at most; 0: as many as pay
  bool careful = true;          ///< does whoever is near one that waits wait, too? Otherwise more is taken back
};

/// What was dealt with ahead of its turn, in parts of space at the same time: stretches of time, turns in them, those that had to wait, and how often what was done was taken back.
struct Ahead {
  std::uint64_t stretches = 0, turns = 0, waited = 0, taken_back = 0;
};

/// What keeps a model, whose pairs are left as they are, from being followed as a crowd; empty: nothing does.
[[nodiscard]] std::string hindrance(const model::Model& model);

/// A family of conditions between very many pairs of members that is no family of least distances: each is a row, looked at one by one.
struct WrittenOut {
  std::string name;
  std::uint64_t rows = 0;
  std::string why;
};
[[nodiscard]] std::vector<WrittenOut> written_out(const model::Model& model);

/// Is a model, whose pairs are left as they are, better followed as a crowd than as one motion?
[[nodiscard]] bool is_crowd(const model::Model& model);

class Crowd {
 public:
  /// Deals with the start. The model must outlive the crowd, and nothing may hinder it.
  explicit Crowd(const model::Model& model, const motion::Options& options = {});
  ~Crowd();
  Crowd(Crowd&&) noexcept;
  Crowd& operator=(Crowd&&) noexcept;

  /// With so many threads, where parts of space can be dealt with at the same time; 1 if it is not said. What comes out are the same bits.
  void use_threads(unsigned count, const AheadOptions& options = {});
  [[nodiscard]] const Ahead& ahead() const;

  /// On to the next instant at which something happens, or to the end. False when the motion has ended; then nothing changed.
  bool advance();

  [[nodiscard]] motion::Status status() const;
  [[nodiscard]] double time() const;
  // What the last `advance`, or the start, has brought.
  [[nodiscard]] const std::vector<motion::Event>& events() const;
  [[nodiscard]] const std::vector<Flight>& flights() const;
  [[nodiscard]] const std::vector<Leg>& legs() const;
  [[nodiscard]] const std::vector<Begun>& begun() const;
  /// The pairs that have had a part in anything so far, in the order in which they first did: in events and legs they are the rows behind those of the
  /// model.
  [[nodiscard]] const std::vector<model::Pair>& met() const;

  /// How far it is, with the state of all members now.
  [[nodiscard]] motion::Account account() const;
  [[nodiscard]] std::uint64_t event_count() const;
  [[nodiscard]] std::uint64_t steps() const;

  /// Everything that `advance` depends on, as bytes: `restore` gives a crowd that goes on to the same bits. With a later `until` a finished one goes on.
  [[nodiscard]] std::string save() const;
  [[nodiscard]] static Crowd restore(const model::Model& model, const motion::Options& options, std::string_view saved);

 private:
  Crowd() = default;
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace zwang::crowds
