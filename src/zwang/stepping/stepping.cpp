/// The course, its companion with half the step, and how both are put aside.
#include "zwang/stepping/stepping.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <type_traits>

#include "zwang/base/vectors.hpp"
#include "zwang/error.hpp"
#include "zwang/stepping/course.hpp"
#include "zwang/stepping/tolerances.hpp"

namespace zwang::stepping {

using motion::Motion;
using motion::Status;

struct Stepping::Impl {
  Impl(const model::Model& of, double until)
      : model(of), course(of, until, of.simulation.step), companion(of, until, of.simulation.step / 2) {
    companion.locates = true;
  }

  const model::Model& model;
  Course course;
  Course companion;

  // The estimate: the whole way, or windows.
  bool whole = true;
  std::uint64_t window = 0;  ///< steps of a window
  std::uint64_t apart = 0;   ///< steps from window to window
  std::uint64_t left = 0;    ///< steps that are left of the window now open
  bool lost = false;         ///< the companion has ended otherwise
  double sum = 0;            ///< of what the windows closed so far came apart
  std::uint64_t closed = 0;

  double initial = 0;

  // The piece that is being gathered.
  double piece_start = 0;
  std::uint64_t piece_steps = 0;
  std::vector<double> piece_position, piece_velocity;
  motion::Piece gathered;
};

Stepping::Stepping() = default;
Stepping::~Stepping() = default;
Stepping::Stepping(Stepping&&) noexcept = default;
Stepping& Stepping::operator=(Stepping&&) noexcept = default;

bool is_stepped(const model::Model& model) { return model.simulation.method == model::Method::stepping; }

namespace {

constexpr std::uint64_t mark = 0x5a57414e47535450;  ///< "ZWANGSTP": the first bytes of a checkpoint
constexpr std::uint32_t layout = 2;

double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
  double most = 0;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) most = std::max(most, std::abs(a[i] - b[i]));
  return most;
}

Stepping make(const model::Model& model, const motion::Options& options) {
  Stepping stepping;
  const double until = std::isnan(options.until) ? model.simulation.until : options.until;
  stepping.impl = std::make_unique<Stepping::Impl>(model, until);
  Stepping::Impl& impl = *stepping.impl;

  // By the model alone, so that it is the same on every machine and after every pause.
  const double steps =
      std::max(1.0, std::ceil((model.simulation.until - model.simulation.start) / model.simulation.step - same_time));
  const double size = static_cast<double>(model.variables) + model.rows();
  impl.whole = steps * size <= cheap_work;
  impl.window = std::max<std::uint64_t>(
      1, static_cast<std::uint64_t>(std::ceil(steps * window_part / static_cast<double>(windows))));
  impl.apart = std::max<std::uint64_t>(impl.window, static_cast<std::uint64_t>(steps / static_cast<double>(windows)));
  stepping.stride = std::max<std::uint64_t>(
      1, static_cast<std::uint64_t>(std::ceil(steps * 4 * model.variables / most_piece_numbers)));
  return stepping;
}

/// How far the two are apart tells the error of first order: twice as much.
void look_at_companion(Stepping& stepping) {
  Stepping::Impl& impl = *stepping.impl;
  const Course& course = impl.course;
  Course& companion = impl.companion;
  const auto follow_on = [&] {
    while (companion.now.status == Status::going &&
           companion.now.state.time < course.now.state.time - same_time * companion.step) {
      companion.go();
    }
    const bool together = std::abs(companion.now.state.time - course.now.state.time) <= same_time * companion.step;
    if (!together && course.now.status != Status::stopped) impl.lost = true;
  };
  const auto apart = [&] { return 2 * largest_difference(companion.now.state.position, course.now.state.position); };
  if (impl.whole) {
    follow_on();
    stepping.error = apart();
  } else {
    if (impl.left > 0) {
      follow_on();
      if (--impl.left == 0 || course.now.status != Status::going) {
        impl.left = 0;
        impl.sum += apart() / static_cast<double>(impl.window);
        ++impl.closed;
      }
    }
    const bool opens = (course.now.steps % impl.apart) == 0;
    if (opens && course.now.status == Status::going) {
      companion.join(course);
      impl.left = impl.window;
    }
    // As if every step added what those of the windows do.
    if (impl.closed > 0)
      stepping.error =
          std::max(impl.sum / static_cast<double>(impl.closed) * static_cast<double>(course.now.steps), course.late());
  }
  // An estimate as large as the way itself tells nothing of where the way has led.
  const double still = nothing_moved * largest(course.now.state.position);
  const bool useless = stepping.error > course.now.travelled && stepping.error > still;
  if (impl.lost || useless) stepping.error = std::numeric_limits<double>::infinity();
}

/// What the motion shows of the course.
void show(Stepping& stepping) {
  Stepping::Impl& impl = *stepping.impl;
  const Course::Present& now = impl.course.now;
  Motion& motion = stepping.motion;
  motion.status = now.status;
  motion.why = now.why;
  motion.culprits = now.culprits;
  motion.state.time = now.state.time;
  motion.state.position = now.state.position;
  motion.state.velocity = now.state.velocity;
  motion.held.clear();
  motion.multipliers.clear();
  for (const std::uint32_t row : impl.course.near()) {
    const bool equation = model::is_equation(impl.model.row_kind[row]) && now.absent[row] == 0;
    if (now.last_step <= 0 || (now.impulse[row] == 0 && !equation)) continue;
    motion.held.push_back(row);
    motion.multipliers.push_back(now.impulse[row] / now.last_step);
  }
  motion.energy.initial = impl.initial;
  motion.energy.work = now.work;
  motion.energy.lost = now.lost;
  motion.energy.gross_work = now.gross_work;
  motion.position_drift = now.position_drift;
  motion.velocity_drift = now.velocity_drift;
  motion.position_correction = now.position_correction;
  motion.velocity_correction = now.velocity_correction;
  motion.steps = now.steps;
  stepping.penetration = now.penetration;
}

/// A cubic with the places and velocities of both ends; over several steps the chord.
void put_piece(motion::Piece& piece, double start, double end, const std::vector<double>& from,
               const std::vector<double>& from_velocity, const std::vector<double>& to,
               const std::vector<double>& to_velocity, bool chord) {
  const std::size_t n = from.size();
  const double h = end - start;
  piece.start = start;
  piece.length = h;
  piece.n = static_cast<std::uint32_t>(n);
  piece.orders = chord ? 2 : 4;
  piece.position.resize(piece.orders * n);
  for (std::size_t i = 0; i < n; ++i) {
    const double mean = (to[i] - from[i]) / h;
    piece.position[i] = from[i];
    piece.position[n + i] = chord ? mean : from_velocity[i];
    if (chord) continue;
    piece.position[2 * n + i] = (3 * mean - 2 * from_velocity[i] - to_velocity[i]) / h;
    piece.position[3 * n + i] = (from_velocity[i] + to_velocity[i] - 2 * mean) / (h * h);
  }
}

/// The energies are found when they are asked for, not at every step.
void find_energy(const Stepping& stepping, motion::EnergyBalance& energy) {
  Course& course = stepping.impl->course;
  energy.final = course.energy();
  const double kinetic = course.kinetic();
  energy.largest_kinetic = std::max(energy.largest_kinetic, kinetic);
  energy.largest = std::max({energy.largest, std::abs(energy.initial), std::abs(energy.final)}) +
                   std::abs(energy.work) + energy.lost;
}

}  // namespace

Stepping begin(const model::Model& model, const motion::Options& options) {
  Stepping stepping = make(model, options);
  Stepping::Impl& impl = *stepping.impl;
  if (!(impl.course.until >= impl.course.now.state.time)) {
    throw Error({model.file, 0, 0}, "the motion would end before it begins: until lies before start");
  }
  impl.initial = impl.course.energy();
  impl.course.begin();
  impl.companion.join(impl.course);
  impl.left = impl.whole ? 0 : impl.window;
  show(stepping);
  Motion& motion = stepping.motion;
  motion.piece.start = motion.state.time;
  motion.piece.n = model.variables;
  motion.piece.orders = 1;
  motion.piece.position = motion.state.position;
  impl.piece_start = motion.state.time;
  impl.piece_position = motion.state.position;
  impl.piece_velocity = motion.state.velocity;
  return stepping;
}

bool advance(Stepping& stepping) {
  Stepping::Impl& impl = *stepping.impl;
  Course& course = impl.course;
  if (course.now.status == Status::finished && course.until > course.now.state.time) {
    // A later end.
    course.now.status = Status::going;
    if (impl.companion.now.status == Status::finished) impl.companion.now.status = Status::going;
  }
  if (!course.go()) return false;
  course.verify_account(impl.initial);
  look_at_companion(stepping);
  show(stepping);
  Motion& motion = stepping.motion;
  motion.piece.length = 0;
  if (motion.state.time > course.time_before()) {
    put_piece(motion.piece, course.time_before(), motion.state.time, course.before(), course.velocity_before(),
              motion.state.position, course.arriving(), false);
    motion.piece.rows = motion.held;
    motion.piece.multiplier_orders = 1;
    motion.piece.multiplier = motion.multipliers;
    ++impl.piece_steps;
  }
  return true;
}

const motion::Piece* piece_to_keep(Stepping& stepping) {
  Stepping::Impl& impl = *stepping.impl;
  const Motion& motion = stepping.motion;
  const bool due = impl.piece_steps >= stepping.stride || (impl.piece_steps > 0 && motion.status != Status::going);
  if (!due) return nullptr;
  const motion::Piece* kept = &motion.piece;
  if (impl.piece_steps > 1) {
    impl.gathered = {};
    put_piece(impl.gathered, impl.piece_start, motion.state.time, impl.piece_position, impl.piece_velocity,
              motion.state.position, motion.state.velocity, true);
    impl.gathered.rows = motion.held;
    impl.gathered.multiplier_orders = 1;
    impl.gathered.multiplier = motion.multipliers;
    kept = &impl.gathered;
  }
  impl.piece_start = motion.state.time;
  impl.piece_position = motion.state.position;
  impl.piece_velocity = motion.state.velocity;
  impl.piece_steps = 0;
  return kept->length > 0 ? kept : nullptr;
}

motion::Account account_of(const model::Model& model, const Stepping& stepping) {
  motion::Account account = motion::account_of(model, stepping.motion);
  find_energy(stepping, account.energy);
  account.penetration = stepping.penetration;
  account.error = stepping.error;
  return account;
}

namespace {

/// Plain bytes in, plain bytes out.
class BytesOut {
 public:
  template <class T>
  requires std::is_trivially_copyable_v<T>
  void operator()(const T& value) {
    const std::size_t place = bytes.size();
    bytes.resize(place + sizeof value);
    std::memcpy(bytes.data() + place, &value, sizeof value);
  }
  template <class T>
  void operator()(const std::vector<T>& list) {
    (*this)(static_cast<std::uint64_t>(list.size()));
    for (const T& value : list) (*this)(value);
  }
  void operator()(const std::string& text) {
    (*this)(static_cast<std::uint64_t>(text.size()));
    bytes += text;
  }
  std::string bytes;
};

class BytesIn {
 public:
  explicit BytesIn(std::string_view from) : bytes_(from) {}
  template <class T>
  requires std::is_trivially_copyable_v<T>
  void operator()(T& value) {
    need(sizeof value);
    std::memcpy(&value, bytes_.data(), sizeof value);
    bytes_.remove_prefix(sizeof value);
  }
  template <class T>
  void operator()(std::vector<T>& list) {
    std::uint64_t size = 0;
    (*this)(size);
    if (size > bytes_.size()) need(bytes_.size() + 1);
    list.resize(size);
    for (T& value : list) (*this)(value);
  }
  void operator()(std::string& text) {
    std::uint64_t size = 0;
    (*this)(size);
    need(size);
    text.assign(bytes_.substr(0, size));
    bytes_.remove_prefix(size);
  }
  [[nodiscard]] bool empty() const { return bytes_.empty(); }

 private:
  void need(std::size_t count) const {
    if (bytes_.size() < count) throw Fault({"checkpoint", 0, 0}, "the checkpoint is cut short");
  }
  std::string_view bytes_;
};

/// Fowler, Noll and Vo's sum of 64 bits.
std::uint64_t sum_of_bytes(std::string_view bytes) {
  std::uint64_t sum = 0xcbf29ce484222325;
  for (const char byte : bytes) sum = (sum ^ static_cast<unsigned char>(byte)) * 0x100000001b3;
  return sum;
}

/// One list of what is kept of a course, for both directions.
template <class Archive, class Present>
void keep_present(Archive& archive, Present& now) {
  archive(now.status);
  archive(now.why);
  archive(now.culprits);
  archive(now.state.time);
  archive(now.state.position);
  archive(now.state.velocity);
  archive(now.state.modes);
  archive(now.steps);
  archive(now.held);
  archive(now.impulse);
  archive(now.touches);
  archive(now.released);
  archive(now.absent);
  archive(now.far);
  archive(now.rate);
  archive(now.value);
  archive(now.late);
  archive(now.travelled);
  archive(now.look_again);
  archive(now.pace);
  archive(now.last_step);
  archive(now.work);
  archive(now.lost);
  archive(now.gross_work);
  archive(now.largest_kinetic);
  archive(now.penetration);
  archive(now.position_drift);
  archive(now.velocity_drift);
  archive(now.position_correction);
  archive(now.velocity_correction);
}

template <class Archive, class Stepping_>
void keep_stepping(Archive& archive, Stepping_& stepping) {
  archive(stepping.penetration);
  archive(stepping.error);
  auto& impl = *stepping.impl;
  archive(impl.initial);
  archive(impl.left);
  archive(impl.lost);
  archive(impl.sum);
  archive(impl.closed);
  archive(impl.piece_start);
  archive(impl.piece_steps);
  archive(impl.piece_position);
  archive(impl.piece_velocity);
  keep_present(archive, impl.course.now);
  keep_present(archive, impl.companion.now);
}

/// The lists of a course fit the model.
void require_fit(const model::Model& model, const Course::Present& now) {
  const bool fits =
      now.state.position.size() == model.variables && now.state.velocity.size() == model.variables &&
      now.state.modes.size() <= model.modes && now.held.size() == model.rows() && now.impulse.size() == model.rows() &&
      now.touches.size() == model.rows() && now.far.size() == model.rows() && now.rate.size() == model.rows() &&
      now.late.size() == model.variables && now.value.size() == model.rows() && now.absent.size() == model.rows() &&
      now.released.size() == model.releases.size() && now.status <= Status::interrupted &&
      std::all_of(now.culprits.begin(), now.culprits.end(), [&](std::uint32_t row) { return row < model.rows(); });
  if (!fits) throw Fault({"checkpoint", 0, 0}, "the checkpoint is damaged: it does not fit the model");
}

}  // namespace

std::string save(const Stepping& stepping) {
  BytesOut out;
  out(mark);
  out(layout);
  keep_stepping(out, stepping);
  out(sum_of_bytes(out.bytes));
  return std::move(out.bytes);
}

Stepping restore(const model::Model& model, const motion::Options& options, std::string_view saved) {
  if (saved.size() < sizeof(std::uint64_t)) throw Fault({"checkpoint", 0, 0}, "the checkpoint is cut short");
  const std::string_view before = saved.substr(0, saved.size() - sizeof(std::uint64_t));
  std::uint64_t sum = 0;
  std::memcpy(&sum, saved.data() + before.size(), sizeof sum);
  if (sum != sum_of_bytes(before))
    throw Fault({"checkpoint", 0, 0}, "the checkpoint is damaged: its checksum does not fit");
  BytesIn in(before);
  std::uint64_t first = 0;
  std::uint32_t form = 0;
  in(first);
  in(form);
  if (first != mark) throw Fault({"checkpoint", 0, 0}, "the checkpoint is not one of a motion in steps");
  if (form != layout) throw Error({"checkpoint", 0, 0}, "the checkpoint was written by another version");
  Stepping stepping = make(model, options);
  keep_stepping(in, stepping);
  if (!in.empty()) throw Fault({"checkpoint", 0, 0}, "the checkpoint is damaged: it is too long");
  Stepping::Impl& impl = *stepping.impl;
  require_fit(model, impl.course.now);
  require_fit(model, impl.companion.now);
  impl.course.take_up();
  impl.companion.take_up();
  show(stepping);
  stepping.motion.piece.start = stepping.motion.state.time;
  stepping.motion.piece.n = model.variables;
  stepping.motion.piece.orders = 1;
  stepping.motion.piece.position = stepping.motion.state.position;
  return stepping;
}

void read_account(std::string_view saved, motion::Account& account) {
  std::uint64_t first = 0;
  const std::size_t head = sizeof mark + sizeof layout;
  if (saved.size() < head + 2 * sizeof(double)) return;
  std::memcpy(&first, saved.data(), sizeof first);
  if (first != mark) return;
  std::memcpy(&account.penetration, saved.data() + head, sizeof(double));
  std::memcpy(&account.error, saved.data() + head + sizeof(double), sizeof(double));
}

bool follow(const model::Model& model, const motion::Options& options, motion::Track& track,
            const motion::GoOn& go_on) {
  if (!is_stepped(model)) {
    Motion motion = motion::begin(model, options);
    return motion::follow(model, motion, track, go_on);
  }
  track.sampling = {model.simulation.start, model.simulation.until, model.simulation.samples};
  Stepping steps = stepping::begin(model, options);
  bool ended = true;
  while (advance(steps)) {
    if (const motion::Piece* piece = piece_to_keep(steps)) track.pieces.push_back(*piece);
    if (go_on && !go_on(steps.motion) && steps.motion.status == Status::going) {
      ended = false;
      break;
    }
  }
  track.account = account_of(model, steps);
  if (!ended) track.account.status = Status::interrupted;
  track.checkpoint = save(steps);
  return ended;
}

}  // namespace zwang::stepping
