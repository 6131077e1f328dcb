/// The events of a crowd, one after the other.
#include "zwang/crowds/crowd.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "zwang/crowds/crowd_impl.hpp"

namespace zwang::crowds {

using motion::Event;
using motion::EventKind;
using motion::Status;

namespace {

constexpr double never = std::numeric_limits<double>::infinity();

Vector minus(const Vector& a, const Vector& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }

double sum_of_sizes(const Vector& a) { return std::abs(a[0]) + std::abs(a[1]) + std::abs(a[2]); }

}  // namespace

// ---- where the members are

void Crowd::Impl::place(std::uint32_t i, double t, Vector& x, Vector& v) const {
  const Mover& mover = movers[i];
  if (mover.island != none) {
    const Island& island = islands[mover.island];
    place_on(island.piece, mover.column, t, x, v);
    return;
  }
  const Vector& a = members.acceleration[i];
  const double s = t - mover.start;
  for (std::size_t c = 0; c < 3; ++c) {
    x[c] = mover.x[c] + s * (mover.v[c] + 0.5 * s * a[c]);
    v[c] = mover.v[c] + s * a[c];
  }
}

void Crowd::Impl::place_on(const motion::Piece& piece, std::uint32_t column, double t, Vector& x, Vector& v) const {
  x = v = {};
  const double s = (t - piece.start) / piece.unit;
  for (std::uint32_t c = 0; c < members.dimension; ++c) {
    double position = 0;
    double rate = 0;
    for (std::uint32_t k = piece.orders; k-- > 0;) {
      rate = rate * s + position;
      position = position * s + piece.position[std::size_t{k} * piece.n + column + c];
    }
    x[c] = position;
    v[c] = rate / piece.unit;
  }
}

// ---- what comes next

void Crowd::Impl::predict_wall(std::uint32_t i) {
  Mover& mover = movers[i];
  const std::span<const Wall> walls = members.walls_of(i);
  const Vector& a = members.acceleration[i];
  for (std::uint32_t w = 0; w < walls.size(); ++w) {
    const Wall& wall = walls[w];
    const double s =
        time_to_zero(-(dot(wall.normal, mover.x) + wall.offset), -dot(wall.normal, mover.v), -dot(wall.normal, a));
    const double t = mover.start + s;
    if (t < mover.hit) {
      mover.hit = t;
      mover.what = What::wall;
      mover.with = w;
      mover.doubt = false;
    }
  }
}

void Crowd::Impl::predict_crossing(std::uint32_t i) {
  Mover& mover = movers[i];
  const Cell& cell = grid.cell(i);
  mover.cross = never;
  if (mover.island != none) {
    const Island& island = islands[mover.island];
    const motion::Piece& piece = island.piece;
    for (std::uint32_t c = 0; c < members.dimension; ++c) {
      for (const bool upwards : {false, true}) {
        const double face = grid.low(cell[c] + (upwards ? 1 : 0));
        std::array<double, 64> p{};
        for (std::uint32_t k = 0; k < piece.orders; ++k) {
          const double q = piece.position[std::size_t{k} * piece.n + mover.column + c];
          p[k] = upwards ? q : -q;
        }
        p[0] += upwards ? -face : face;
        const double now = std::max(0.0, time - piece.start) / piece.unit;
        const motion::Excursion out = motion::first_excursion({p.data(), piece.orders}, piece.length / piece.unit,
                                                              beyond_face * grid.width(), now);
        // What is only near the face stays where it is counted: cells are wider than they need to be.
        if (out.kind != motion::Excursion::Kind::crossing) continue;
        const double t = piece.start + std::max(now, out.at) * piece.unit;
        if (t < mover.cross) {
          mover.cross = t;
          mover.face = static_cast<std::uint8_t>(2 * c + (upwards ? 1 : 0));
        }
      }
    }
    return;
  }
  // From now on: what rises and falls comes through a face twice.
  const Vector& a = members.acceleration[i];
  Vector x;
  Vector v;
  const double now = std::max(time, mover.start);
  place(i, now, x, v);
  for (std::uint32_t c = 0; c < members.dimension; ++c) {
    const double below = time_to_zero(x[c] - grid.low(cell[c]), v[c], a[c]);
    const double above = time_to_zero(grid.low(cell[c] + 1) - x[c], -v[c], -a[c]);
    const double s = std::min(below, above);
    if (now + s < mover.cross) {
      mover.cross = now + s;
      mover.face = static_cast<std::uint8_t>(2 * c + (above < below ? 1 : 0));
    }
  }
}

std::uint32_t Crowd::Impl::polynomial(std::uint32_t i, double from, std::array<std::array<double, 32>, 3>& out) const {
  const Mover& mover = movers[i];
  if (mover.island == none) {
    Vector x;
    Vector v;
    place(i, from, x, v);
    for (std::uint32_t c = 0; c < members.dimension; ++c) {
      out[c][0] = x[c];
      out[c][1] = v[c];
      out[c][2] = 0.5 * members.acceleration[i][c];
    }
    return 3;
  }
  // About another time: Horner's scheme, again and again.
  const motion::Piece& piece = islands[mover.island].piece;
  const double s = (from - piece.start) / piece.unit;
  std::uint32_t orders = 1;
  for (std::uint32_t c = 0; c < members.dimension; ++c) {
    std::array<double, 32>& p = out[c];
    for (std::uint32_t k = 0; k < piece.orders; ++k) {
      p[k] = piece.position[std::size_t{k} * piece.n + mover.column + c];
      if (p[k] != 0) orders = std::max(orders, k + 1);
    }
  }
  for (std::uint32_t c = 0; c < members.dimension; ++c) {
    std::array<double, 32>& p = out[c];
    for (std::uint32_t j = 0; j + 1 < orders; ++j) {
      for (std::uint32_t k = orders - 1; k-- > j;) p[k] += s * p[k + 1];
    }
    double scale = 1;
    for (std::uint32_t k = 0; k < orders; ++k) {
      p[k] /= scale;
      scale *= piece.unit;
    }
  }
  return orders;
}

double Crowd::Impl::time_of_pair(std::uint32_t i, std::uint32_t j, const Rule& rule, bool& doubt) const {
  const Mover& one = movers[i];
  const Mover& other = movers[j];
  doubt = false;
  if (one.island == none && other.island == none && members.acceleration[i] == members.acceleration[j]) {
    // Straight lines, seen from each other.
    const double from = std::max(one.start, other.start);
    Vector x;
    Vector v;
    Vector y;
    Vector w;
    place(i, from, x, v);
    place(j, from, y, w);
    const Vector r = minus(x, y);
    const Vector u = minus(v, w);
    const double closing = dot(r, u);
    if (!(closing < 0)) return never;
    const double square = dot(u, u);
    const double gap = dot(r, r) - rule.least * rule.least;
    const double size = rule.least * (sum_of_sizes(x) + sum_of_sizes(y) + rule.least);
    if (gap <= touch * size) {
      // They touch: do they approach, or is it rounding that says so?
      if (-closing <= told_from_zero * std::sqrt(square) * rule.least) return never;
      return from;
    }
    const double under_root = closing * closing - square * gap;
    const double band = told_from_zero * closing * closing;
    if (under_root < -band) return never;
    if (under_root <= band) {
      doubt = true;
      return from - closing / square;
    }
    return from + gap / (std::sqrt(under_root) - closing);
  }
  const auto end_of = [&](const Mover& mover) {
    return mover.island == none ? until : std::min(until, islands[mover.island].piece.end());
  };
  const auto start_of = [&](const Mover& mover) {
    return mover.island == none ? mover.start : islands[mover.island].piece.start;
  };
  const double from = std::max(start_of(one), start_of(other));
  const double h = std::min(end_of(one), end_of(other)) - from;
  if (!(h > 0)) return never;
  std::array<std::array<double, 32>, 3> p;
  std::array<std::array<double, 32>, 3> q;
  const std::uint32_t m = polynomial(i, from, p);
  const std::uint32_t n = polynomial(j, from, q);
  const std::uint32_t orders = std::max(m, n);
  std::array<double, 64> square{};
  for (std::uint32_t c = 0; c < members.dimension; ++c) {
    for (std::uint32_t k = m; k < orders; ++k) p[c][k] = 0;
    for (std::uint32_t k = 0; k < n; ++k) p[c][k] -= q[c][k];
    for (std::uint32_t k = 0; k < orders; ++k) {
      for (std::uint32_t l = 0; l < orders; ++l) square[k + l] -= p[c][k] * p[c][l];
    }
  }
  square[0] += rule.least * rule.least;
  const double size = rule.least * (2 * std::abs(p[0][0]) + rule.least);
  if (square[0] >= -touch * size) {
    // They touch and were settled so, or they have just met.
    const double closing = square[1];
    double speed = 0;
    for (std::uint32_t c = 0; c < members.dimension; ++c) speed += orders > 1 ? std::abs(p[c][1]) : 0;
    if (closing > told_from_zero * 2 * speed * rule.least) return from;
    square[0] = std::min(square[0], -2 * touch * size);
  }
  const motion::Excursion found = motion::first_excursion({square.data(), 2 * orders - 1}, h, 0.0);
  switch (found.kind) {
    case motion::Excursion::Kind::none: return never;
    case motion::Excursion::Kind::crossing: return from + found.at;
    case motion::Excursion::Kind::graze:
    case motion::Excursion::Kind::pending: doubt = true; return from + found.at;
  }
  return never;
}

bool Crowd::Impl::inside_one_island(std::uint32_t i, std::uint32_t j, const Rule& rule) const {
  if (movers[i].island == none || movers[i].island != movers[j].island) return false;
  const std::vector<std::uint64_t>& rows = islands[movers[i].island].part->row;
  return std::binary_search(rows.begin(), rows.end(), row_of(model, members, rule, i, j));
}

void Crowd::Impl::predict_pair(std::uint32_t i, std::uint32_t j) {
  for (const Rule& rule : members.rules_of(i, j)) {
    if (inside_one_island(i, j, rule)) continue;
    bool doubt = false;
    const double t = time_of_pair(i, j, rule, doubt);
    if (t == never) continue;
    Mover& one = movers[i];
    if (t < one.hit) {
      one.hit = t;
      one.what = What::pair;
      one.with = j;
      one.with_generation = movers[j].generation;
      one.rule = static_cast<std::uint32_t>(&rule - members.rules_of(i, j).data());
      one.doubt = doubt;
    }
    Mover& other = movers[j];
    if (t < other.hit) {
      other.hit = t;
      other.what = What::pair;
      other.with = i;
      other.with_generation = one.generation;
      // The rules of the two are the same seen from either side, in the same order.
      other.rule = static_cast<std::uint32_t>(&rule - members.rules_of(i, j).data());
      other.doubt = doubt;
      enqueue(j);
    }
  }
}

void Crowd::Impl::predict(std::uint32_t i) {
  Mover& mover = movers[i];
  mover.hit = never;
  mover.what = What::nothing;
  if (mover.island == none) predict_wall(i);
  grid.visit(i, [&](std::uint32_t j) { predict_pair(i, j); });
  predict_crossing(i);
  enqueue(i);
}

void Crowd::Impl::enqueue(std::uint32_t i) { queue.put(i, std::min(movers[i].hit, movers[i].cross)); }

void Crowd::Impl::fly(std::uint32_t i, double t, const Vector& x, const Vector& v) {
  Mover& mover = movers[i];
  mover.start = t;
  mover.x = x;
  mover.v = v;
  mover.island = none;
  ++mover.generation;
  ++steps;
  begun.push_back({false, static_cast<std::uint32_t>(flights.size())});
  flights.push_back({i, t, x, v});
}

void Crowd::Impl::cross(std::uint32_t i) {
  Mover& mover = movers[i];
  time = std::max(time, mover.cross);
  Cell cell = grid.cell(i);
  const std::uint32_t direction = mover.face / 2U;
  const bool upwards = mover.face % 2U == 1;
  cell[direction] += upwards ? 1 : -1;
  if (std::abs(cell[direction]) > most_cells || ++crossings > crossings_per_member * members.count) {
    widen();
    return;
  }
  grid.move(i, cell);
  grid.visit_ahead(i, direction, upwards, [&](std::uint32_t j) { predict_pair(i, j); });
  predict_crossing(i);
  enqueue(i);
}

// ---- instants

bool Crowd::Impl::touches_more(std::uint32_t i, double t, const Vector& x, std::uint32_t but_member,
                               std::uint32_t but_wall) const {
  const std::span<const Wall> walls = members.walls_of(i);
  for (std::uint32_t w = 0; w < walls.size(); ++w) {
    if (w != but_wall && is_at_wall(walls[w], x)) return true;
  }
  bool more = false;
  grid.visit(i, [&](std::uint32_t j) {
    if (j == but_member || more) return;
    Vector y;
    Vector w;
    place(j, t, y, w);
    for (const Rule& rule : members.rules_of(i, j)) more = more || is_touching(x, y, rule.least);
  });
  return more;
}

bool Crowd::Impl::is_at_wall(const Wall& wall, const Vector& x) const {
  return dot(wall.normal, x) + wall.offset >=
         -touch * (std::abs(wall.offset) + wall.length * (sum_of_sizes(x) + members.least));
}

bool Crowd::Impl::is_touching(const Vector& x, const Vector& y, double least) const {
  const Vector r = minus(x, y);
  return dot(r, r) - least * least <= 2 * touch * least * (sum_of_sizes(x) + sum_of_sizes(y) + least);
}

std::uint32_t Crowd::Impl::told(std::uint64_t row) {
  if (row < model.rows()) return static_cast<std::uint32_t>(row);
  const auto [found, is_new] =
      number_of_met.try_emplace(row, model.rows() + static_cast<std::uint32_t>(number_of_met.size()));
  if (is_new) {
    const model::PairFamily& family = model::family_of(model, row);
    const auto [first, second] = model::members_of_pair(family, row);
    met.push_back({static_cast<std::uint32_t>(&family - model.pairs.data()), first, second});
  }
  return found->second;
}

void Crowd::Impl::tell(Event event) {
  crossings = 0;
  // What happens at one instant is told in one entry per kind.
  for (Event& before : events) {
    if (before.kind != event.kind || before.kind == EventKind::singular || !before.note.empty() || !event.note.empty())
      continue;
    before.rows.insert(before.rows.end(), event.rows.begin(), event.rows.end());
    std::sort(before.rows.begin(), before.rows.end());
    before.impulses.insert(before.impulses.end(), event.impulses.begin(), event.impulses.end());
    std::sort(before.impulses.begin(), before.impulses.end());
    // The later state of a variable counts.
    std::vector<std::pair<std::uint32_t, std::array<double, 2>>> states;
    for (const Event* one : {&event, &before}) {
      for (std::size_t k = 0; k < one->variables.size(); ++k) {
        const bool known = one == &before && std::find(event.variables.begin(), event.variables.end(),
                                                       one->variables[k]) != event.variables.end();
        if (!known) states.push_back({one->variables[k], {one->position[k], one->velocity[k]}});
      }
    }
    std::sort(states.begin(), states.end());
    before.variables.clear();
    before.position.clear();
    before.velocity.clear();
    for (const auto& [variable, state] : states) {
      before.variables.push_back(variable);
      before.position.push_back(state[0]);
      before.velocity.push_back(state[1]);
    }
    before.lost += event.lost;
    return;
  }
  ++event_count;
  events.push_back(std::move(event));
}

void Crowd::Impl::note_state(Event& event, std::uint32_t i, const Vector& x, const Vector& v) const {
  for (std::uint32_t c = 0; c < members.dimension; ++c) {
    event.variables.push_back(members.variable[i] + c);
    event.position.push_back(x[c]);
    event.velocity.push_back(v[c]);
  }
}

void Crowd::Impl::count_shock(std::uint32_t i, double t, const Vector& x) {
  Mover& mover = movers[i];
  const Vector way = minus(x, mover.x);
  const bool close = dot(way, way) < close_shocks * members.least * close_shocks * members.least;
  mover.close_shocks = close ? mover.close_shocks + 1 : 0;
  mover.at_once = t == mover.start ? mover.at_once + 1 : 0;
}

bool Crowd::Impl::strike_wall(std::uint32_t i, double t) {
  const Wall& wall = members.walls_of(i)[movers[i].with];
  Vector x;
  Vector v;
  place(i, t, x, v);
  const double speed = dot(wall.normal, v);
  const double pressed = dot(wall.normal, members.acceleration[i]);
  if (!(speed > 0) || touches_more(i, t, x, none, movers[i].with)) return false;
  // What hops ever lower is followed as a motion that sees the limit of its hops.
  const double after = wall.restitution * speed;
  if (wall.restitution < 1 && pressed > 0 && after * after < 2 * pressed * near_length * wall.length) return false;
  count_shock(i, t, x);
  if (movers[i].close_shocks > most_close_shocks) return false;
  const double mass = members.mass[i];
  const double impulse = (1 + wall.restitution) * speed * mass / (wall.length * wall.length);
  for (std::size_t c = 0; c < 3; ++c) v[c] -= impulse * wall.normal[c] / mass;
  Event event;
  event.time = t;
  event.kind = EventKind::impact;
  event.rows = {wall.row};
  event.impulses = {{wall.row, impulse}};
  event.lost = 0.5 * mass * (1 - wall.restitution * wall.restitution) * speed * speed / (wall.length * wall.length);
  lost += event.lost;
  note_state(event, i, x, v);
  tell(std::move(event));
  fly(i, t, x, v);
  predict(i);
  return true;
}

bool Crowd::Impl::strike_pair(std::uint32_t i, std::uint32_t j, double t) {
  if (movers[i].island != none || movers[j].island != none || movers[i].doubt) return false;
  const Rule& rule = members.rules_of(i, j)[movers[i].rule];
  Vector x;
  Vector v;
  Vector y;
  Vector w;
  place(i, t, x, v);
  place(j, t, y, w);
  const Vector r = minus(x, y);
  const double distance = std::sqrt(dot(r, r));
  const Vector n = {r[0] / distance, r[1] / distance, r[2] / distance};
  const double speed = -dot(n, minus(v, w));
  if (!(speed > 0) || touches_more(i, t, x, j, none) || touches_more(j, t, y, i, none)) return false;
  count_shock(i, t, x);
  count_shock(j, t, y);
  if (std::min(movers[i].close_shocks, movers[j].close_shocks) > most_close_shocks && rule.restitution < 1)
    return false;
  const double reduced = members.mass[i] * members.mass[j] / (members.mass[i] + members.mass[j]);
  const double impulse = (1 + rule.restitution) * reduced * speed;
  for (std::size_t c = 0; c < 3; ++c) {
    v[c] += impulse * n[c] / members.mass[i];
    w[c] -= impulse * n[c] / members.mass[j];
  }
  const std::uint32_t row = told(row_of(model, members, rule, i, j));
  Event event;
  event.time = t;
  event.kind = EventKind::impact;
  event.rows = {row};
  event.impulses = {{row, impulse}};
  event.lost = 0.5 * reduced * (1 - rule.restitution * rule.restitution) * speed * speed;
  lost += event.lost;
  if (i < j) {
    note_state(event, i, x, v);
    note_state(event, j, y, w);
  } else {
    note_state(event, j, y, w);
    note_state(event, i, x, v);
  }
  tell(std::move(event));
  fly(i, t, x, v);
  fly(j, t, y, w);
  predict(i);
  predict(j);
  return true;
}

void Crowd::Impl::happen(std::uint32_t i) {
  const Mover& mover = movers[i];
  const double t = std::max(mover.hit, time);
  time = t;
  if (mover.what == What::pair && movers[mover.with].generation != mover.with_generation) {
    predict(i);
    return;
  }
  if (mover.at_once > most_instants_at_once) {
    end(Status::gave_up, "events follow each other without time passing, at " + name_of(i));
    return;
  }
  if (mover.what == What::wall) {
    if (!strike_wall(i, t)) settle({i}, t);
  } else {
    const std::uint32_t j = mover.with;
    if (!strike_pair(i, j, t)) settle({std::min(i, j), std::max(i, j)}, t);
  }
}

std::string Crowd::Impl::name_of(std::uint32_t i) const {
  return model::member_name(model.bodies[members.place[i].body], members.place[i].member);
}

void Crowd::Impl::end(Status with, std::string sentence) {
  status = with;
  why = std::move(sentence);
}

void Crowd::Impl::finish() {
  time = until;
  status = Status::finished;
  // Every condition, at the end.
  for (std::uint32_t i = 0; i < members.count && status == Status::finished; ++i) {
    Vector x;
    Vector v;
    place(i, until, x, v);
    for (const Wall& wall : members.walls_of(i)) {
      const double size = std::abs(wall.offset) + wall.length * (sum_of_sizes(x) + members.least);
      const double by = dot(wall.normal, x) + wall.offset;
      if (by > broken_at_end * size)
        end(Status::gave_up, fmt::format("{} is broken at the end by {:.3g}", model::row_name(model, wall.row), by));
    }
    grid.visit(i, [&](std::uint32_t j) {
      if (j < i || status != Status::finished) return;
      Vector y;
      Vector w;
      place(j, until, y, w);
      const Vector r = minus(x, y);
      const double distance = std::sqrt(dot(r, r));
      for (const Rule& rule : members.rules_of(i, j)) {
        if (rule.least - distance <= broken_at_end * (sum_of_sizes(x) + sum_of_sizes(y) + rule.least)) continue;
        end(Status::gave_up,
            fmt::format("{} is broken at the end by {:.3g}", model::row_name(model, row_of(model, members, rule, i, j)),
                        rule.least - distance));
      }
    });
  }
}

// ---- the crowd

Crowd::Crowd(const model::Model& model, const motion::Options& options)
    : impl_(std::make_unique<Impl>(model, options)) {
  impl_->begin();
}
Crowd::~Crowd() = default;
Crowd::Crowd(Crowd&&) noexcept = default;
Crowd& Crowd::operator=(Crowd&&) noexcept = default;

bool Crowd::advance() {
  Impl& impl = *impl_;
  if (impl.status != Status::going) return false;
  impl.events.clear();
  impl.flights.clear();
  impl.legs.clear();
  impl.begun.clear();
  while (impl.status == Status::going) {
    const double due = impl.queue.empty() ? never : impl.queue.time(impl.queue.first());
    // What lies within the resolution of the first event happens with it.
    if (!impl.events.empty() && due > impl.events[0].time + motion::resolution(impl.events[0].time)) break;
    if (!(due <= impl.until)) {
      if (impl.events.empty()) impl.finish();
      break;
    }
    const std::uint32_t first = impl.queue.first();
    if (first >= impl.members.count) {
      impl.island_due(first - impl.members.count, due);
      continue;
    }
    if (impl.movers[first].cross < impl.movers[first].hit) {
      impl.cross(first);
    } else {
      impl.happen(first);
    }
  }
  for (Event& event : impl.events) event.time = impl.events[0].time;
  std::stable_sort(impl.events.begin(), impl.events.end(),
                   [](const Event& a, const Event& b) { return a.kind < b.kind; });
  return true;
}

Status Crowd::status() const { return impl_->status; }
double Crowd::time() const { return impl_->time; }
const std::vector<Event>& Crowd::events() const { return impl_->events; }
const std::vector<Flight>& Crowd::flights() const { return impl_->flights; }
const std::vector<Leg>& Crowd::legs() const { return impl_->legs; }
const std::vector<Begun>& Crowd::begun() const { return impl_->begun; }
const std::vector<model::Pair>& Crowd::met() const { return impl_->met; }
std::uint64_t Crowd::event_count() const { return impl_->event_count; }
std::uint64_t Crowd::steps() const { return impl_->steps; }
motion::Account Crowd::account() const { return impl_->account(); }

}  // namespace zwang::crowds
