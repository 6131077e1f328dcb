/// Parts of space dealt with at the same time, ahead of the turn of what happens in them: the same events and the same bits as one after the other.
///
/// For a stretch of time space is divided across one direction, and each hand deals with what is due in its part, turn by turn. A turn looks at the cells around its members and
/// changes nothing beyond them. One that would look at cells of another part waits, and so do later turns near one that waits: nobody knows yet what it will change.
/// When all hands are through, those that waited are dealt with one after the other, and what was done is told between them, in the order of turns.
///
/// A turn that waits may have others follow near it which nobody could know of. So each, when it comes, looks at the cells around it for somebody who was dealt with ahead and has a
/// later turn. If there is one, or something happens that more than two have a part in, everything that is not told yet is taken back and done anew in its turn: flights begin again as
/// they were, cells are left again, and what is expected of those concerned is predicted anew from their flights. So what is told is what would have been told without all
/// this, whatever the stretches and the parts. Reference: docs/mathematics, section 27.6.
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "zwang/crowds/crew.hpp"
#include "zwang/crowds/crowd_impl.hpp"

namespace zwang::crowds {

namespace {

constexpr double not_due = std::numeric_limits<double>::infinity();

/// Calls visit(cell) for the cells around one, itself among them.
template <class Visit>
void visit_around(const Cell& cell, std::uint32_t dimension, const Visit& visit) {
  const std::int32_t deep = dimension > 2 ? 1 : 0;
  const std::int32_t wide = dimension > 1 ? 1 : 0;
  for (std::int32_t k = -deep; k <= deep; ++k) {
    for (std::int32_t j = -wide; j <= wide; ++j) {
      for (std::int32_t i = -1; i <= 1; ++i) visit(Cell{cell[0] + i, cell[1] + j, cell[2] + k});
    }
  }
}

/// The cell on the other side of a face.
Cell beyond(const Cell& cell, std::uint8_t face) {
  Cell out = cell;
  out[face / 2U] += face % 2U == 1 ? 1 : -1;
  return out;
}

}  // namespace

bool Crowd::Impl::is_plain() const {
  return !lossy && members.links.empty() && !members.has_obstacles() && free_islands.size() == islands.size() &&
         members.count >= least_members_ahead && grid.cells_in_box() > 0;
}

std::uint32_t Crowd::Impl::hand_of(const Cell& cell) const {
  const auto behind = std::upper_bound(first_column.begin() + 1, first_column.end() - 1, cell[axis]);
  return static_cast<std::uint32_t>(behind - first_column.begin()) - 1;
}

// ---- a stretch

bool Crowd::Impl::share_out() {
  shared_out = true;
  const std::array<std::uint32_t, 3>& size = grid.size_of_box();
  axis = 0;
  for (std::uint32_t c = 1; c < members.dimension; ++c) {
    if (size[c] > size[axis]) axis = c;
  }
  const std::uint32_t parts = std::min<std::uint32_t>(std::min(threads, most_hands), size[axis] / least_columns);
  if (parts < 2) return false;

  // About as many members in each part.
  const std::int32_t low = grid.low_of_box()[axis];
  std::vector<std::uint32_t> in_column(size[axis], 0);
  const auto column_of = [&](std::uint32_t i) {
    return static_cast<std::size_t>(
        std::clamp<std::int64_t>(std::int64_t{grid.cell(i)[axis]} - low, 0, std::int64_t{size[axis]} - 1));
  };
  for (std::uint32_t i = 0; i < members.count; ++i) ++in_column[column_of(i)];
  first_column.assign(1, low);
  std::uint64_t before = 0;
  for (std::uint32_t k = 0; k < size[axis]; ++k) {
    if (before * parts >= std::uint64_t{members.count} * first_column.size() && first_column.size() < parts)
      first_column.push_back(low + static_cast<std::int32_t>(k));
    before += in_column[k];
  }
  if (first_column.size() < parts) return false;
  first_column.push_back(low + static_cast<std::int32_t>(size[axis]));

  std::vector<std::uint8_t> owner(members.count);
  for (std::uint32_t i = 0; i < members.count; ++i) owner[i] = static_cast<std::uint8_t>(hand_of(grid.cell(i)));
  queue.share(std::move(owner), parts, number_in_queue(static_cast<std::uint32_t>(islands.size())));
  for (std::uint32_t i = 0; i < members.count; ++i) enqueue(i);
  hands.resize(parts);
  for (std::uint32_t h = 0; h < parts; ++h) {
    Hand& hand = hands[h];
    hand.ahead_of_time = true;
    hand.number = h;
    for (std::uint32_t c = 0; c < 3; ++c) {
      const bool flat = c >= members.dimension;
      hand.low[c] = grid.low_of_box()[c] + (flat ? 0 : 1);
      hand.high[c] = grid.low_of_box()[c] + static_cast<std::int32_t>(size[c]) - (flat ? 1 : 2);
    }
    if (h > 0) hand.low[axis] = first_column[h] + columns_left_alone;
    if (h + 1 < parts) hand.high[axis] = first_column[h + 1] - 1 - columns_left_alone;
  }
  waiting.assign(grid.cells_in_box(), 0);
  changed_at.assign(grid.cells_in_box(), -not_due);
  stretch = 0;
  if (crew == nullptr) crew = std::make_shared<Crew>(parts - 1);
  return true;
}

void Crowd::Impl::open_stretch() {
  if (!shared_out && !share_out()) {
    threads = 1;
    return;
  }
  const double now = queue.next().first_time();
  const double asked = ahead_options.turns_per_member;
  const double most = (asked > 0 ? asked : stretch_of_members) * members.count;
  if (span == 0) {
    // At first so short that few are due.
    double speed = 0;
    for (const Mover& mover : movers) speed = std::max(speed, dot(mover.v, mover.v));
    span = speed > 0 ? first_stretch * grid.width() / std::sqrt(speed) : until - now;
    wanted = most;
  }
  ++stretch;
  work_ends = std::min(now + span, until);
  worked_until = work_ends;
  const auto parts = static_cast<std::uint32_t>(hands.size());
  crew->all(parts, [&](std::uint32_t h) { work_ahead(hands[h]); });

  std::uint64_t turns = 0;
  std::uint64_t waits = 0;
  for (Hand& hand : hands) {
    for (const std::uint32_t i : hand.aside) enqueue(i);
    turns += hand.done.size() + hand.silent;
    waits += hand.aside.size();
    crossings += hand.crossed.size();
    has_done = has_done || !hand.done.empty() || !hand.crossed.empty();
  }
  one_hand.forget_around();
  // The next one as long as wanted; where most have to wait, or hands are stopped again and again, it is not worth while for some time.
  const double stopped = work_ends < worked_until ? (work_ends - now) / (worked_until - now) : 1;
  if (stopped == 1)
    span *= std::clamp(wanted / static_cast<double>(std::max<std::uint64_t>(turns + waits, 1)), 0.25, 4.0);
  worked_until = work_ends;
  for (const Hand& hand : hands) worked_until = std::max(worked_until, hand.time);
  wanted = std::min(most, wanted * stretch_grows);
  if (turns < 2 * waits) pause = members.count / 8;
  ++counts.stretches;
  counts.turns += turns;
  counts.waited += waits;
}

void Crowd::Impl::work_ahead(Hand& hand) {
  hand.done.clear();
  hand.told = 0;
  hand.crossed.clear();
  hand.touched.clear();
  hand.aside.clear();
  hand.silent = 0;
  hand.time = time;
  hand.last = reached;
  hand.left_front = std::numeric_limits<std::int32_t>::min();
  hand.right_front = std::numeric_limits<std::int32_t>::max();
  hand.forget_around();
  Queue& own_queue = queue.of(hand.number);
  while (!own_queue.empty() && own_queue.first_time() <= work_ends.load(std::memory_order_relaxed)) {
    const std::uint32_t i = own_queue.first();
    expect_next(own_queue);
    const Verdict verdict = movers[i].cross < movers[i].hit ? cross_ahead(hand, i) : happen_ahead(hand, i);
    if (verdict == Verdict::done) continue;
    const double due = own_queue.first_time();
    put_aside(hand, i);
    if (verdict == Verdict::waits) continue;
    // Whatever happens there, nobody goes on beyond it.
    double ends = work_ends.load(std::memory_order_relaxed);
    while (due < ends && !work_ends.compare_exchange_weak(ends, due, std::memory_order_relaxed)) {
    }
    return;
  }
}

// ---- who may be dealt with

bool Crowd::Impl::is_clear(const Hand& hand, const Cell& cell) const {
  for (std::uint32_t c = 0; c < 3; ++c) {
    if (cell[c] < hand.low[c] || cell[c] > hand.high[c]) return false;
  }
  if (cell[axis] - 1 > hand.left_front && cell[axis] + 1 < hand.right_front) return true;
  bool clear = true;
  visit_around(cell, members.dimension,
               [&](const Cell& one) { clear = clear && waiting[grid.place_in_box(one)] != stretch; });
  return clear;
}

void Crowd::Impl::infect(Hand& hand, const Cell& cell) {
  if (!ahead_options.careful) return;
  const std::int32_t first = first_column[hand.number];
  const std::int32_t behind = first_column[hand.number + 1];
  visit_around(cell, members.dimension, [&](const Cell& one) {
    if (one[axis] < first || one[axis] >= behind) return;
    if (const std::uint32_t place = grid.place_in_box(one); place != Grid::none) waiting[place] = stretch;
  });
  if (cell[axis] - first < behind - cell[axis]) {
    hand.left_front = std::max(hand.left_front, cell[axis] + 1);
  } else {
    hand.right_front = std::min(hand.right_front, cell[axis] - 1);
  }
}

void Crowd::Impl::put_aside(Hand& hand, std::uint32_t i) {
  const Mover& mover = movers[i];
  const Cell& cell = grid.cell(i);
  infect(hand, cell);
  if (mover.cross < mover.hit) {
    infect(hand, beyond(cell, mover.face));
  } else if (mover.what == What::pair && queue.owner(mover.with) == hand.number) {
    infect(hand, grid.cell(mover.with));
  }
  queue.put(i, not_due);
  hand.aside.push_back(i);
}

// ---- a turn

Crowd::Impl::Verdict Crowd::Impl::cross_ahead(Hand& hand, std::uint32_t i) {
  Mover& mover = movers[i];
  const Cell from = grid.cell(i);
  const Cell to = beyond(from, mover.face);
  if (!is_clear(hand, from) || !is_clear(hand, to)) return Verdict::waits;
  if (!(mover.cross < hand.time)) hand.last = {mover.cross, i};
  hand.time = std::max(hand.time, mover.cross);
  hand.crossed.push_back({hand.last, i, from});
  hand.touched.push_back(i);
  changed_at[grid.place_in_box(from)] = hand.time;
  changed_at[grid.place_in_box(to)] = hand.time;
  grid.move(i, to);
  hand.forget_around();
  hand.ahead.clear();
  grid.visit_ahead(i, mover.face / 2U, mover.face % 2U == 1, [&](std::uint32_t j) {
    expect_flight(j);
    hand.ahead.push_back(j);
  });
  for (const std::uint32_t j : hand.ahead) predict_pair(hand, i, j);
  predict_crossing(i, hand.time);
  enqueue(i);
  ++hand.silent;
  return Verdict::done;
}

Crowd::Impl::Verdict Crowd::Impl::happen_ahead(Hand& hand, std::uint32_t i) {
  Mover& mover = movers[i];
  const bool pair = mover.what == What::pair;
  if (!pair && mover.what != What::wall) return Verdict::stops;
  const std::uint32_t j = mover.with;
  if ((pair && queue.owner(j) != hand.number) || !is_clear(hand, grid.cell(i))) return Verdict::waits;
  const double t = std::max(mover.hit, hand.time);
  const Turn turn = mover.hit < hand.time ? hand.last : Turn{t, i};
  if (pair && movers[j].generation != mover.with_generation) {
    hand.time = t;
    hand.last = turn;
    hand.touched.push_back(i);
    predict(hand, i, t);
    ++hand.silent;
    return Verdict::done;
  }
  if (pair && !is_clear(hand, grid.cell(j))) return Verdict::waits;
  if (mover.doubt || mover.at_once > most_instants_at_once) return Verdict::stops;
  const double instant = motion::resolution(t);
  Blow blow;
  blow.i = i;
  blow.time = t;
  if (pair) {
    blow.j = j;
    const Rule& rule = members.rules_of(i, j)[mover.rule];
    blow.row = row_of(model, members, rule, i, j);
    bring_to(blow);
    static_cast<void>(around_of(hand, i));
    static_cast<void>(around_of(hand, j));
    if (!(blow.speed > 0) || touches_wall(i, t, blow.x, blow.v, none, instant) ||
        touches_member(hand, i, t, blow.x, blow.v, j, instant) || touches_wall(j, t, blow.y, blow.w, none, instant) ||
        touches_member(hand, j, t, blow.y, blow.w, i, instant))
      return Verdict::stops;
    rebound(rule, blow);
  } else {
    const Plane& wall = members.walls_of(i)[mover.with];
    blow.row = members.wall_rows_of(i)[mover.with];
    bring_to(wall, blow);
    if (!(blow.speed > 0) || touches_wall(i, t, blow.x, blow.v, mover.with, instant) ||
        touches_member(hand, i, t, blow.x, blow.v, none, instant))
      return Verdict::stops;
    rebound(wall, blow);
  }
  hand.time = t;
  hand.last = turn;
  deal_with(hand, turn, blow);
  return Verdict::done;
}

void Crowd::Impl::deal_with(Hand& hand, const Turn& turn, const Blow& blow) {
  Done& one = hand.done.emplace_back();
  one.turn = turn;
  one.blow = blow;
  const auto begin = [&](std::uint32_t member, const Vector& x, const Vector& v, Before& before) {
    Mover& mover = movers[member];
    before = {mover.x, mover.v, mover.start, mover.close_shocks, mover.at_once};
    count_shock(member, blow.time, x);
    mover.x = x;
    mover.v = v;
    mover.start = blow.time;
    ++mover.generation;
    hand.touched.push_back(member);
    changed_at[grid.place_in_box(grid.cell(member))] = blow.time;
  };
  begin(blow.i, blow.x, blow.v, one.i);
  if (blow.j != Blow::nobody) begin(blow.j, blow.y, blow.w, one.j);
  predict(hand, blow.i, blow.time);
  if (blow.j != Blow::nobody) predict(hand, blow.j, blow.time);
}

// ---- in their turn

Hand* Crowd::Impl::next_done() {
  Hand* next = nullptr;
  for (Hand& hand : hands) {
    if (hand.told == hand.done.size()) continue;
    if (next == nullptr || hand.done[hand.told].turn < next->done[next->told].turn) next = &hand;
  }
  return next;
}

void Crowd::Impl::tell_done(Hand& hand) {
  // The numbers of pairs that are asked for soon.
  if (hand.told + 4 < hand.done.size()) number_of_met.expect(hand.done[hand.told + 4].blow.row);
  const Done& one = hand.done[hand.told++];
  const Blow& blow = one.blow;
  reached = one.turn;
  time = blow.time;
  one_instant = motion::resolution(time);
  tell(blow);
  note_flight(blow.i, time, blow.x, blow.v);
  if (blow.j != Blow::nobody) note_flight(blow.j, time, blow.y, blow.w);
}

bool Crowd::Impl::may_work_ahead() {
  if (pause > 0) {
    --pause;
    return false;
  }
  return is_plain();
}

bool Crowd::Impl::comes_too_late(std::uint32_t i) const {
  const Mover& mover = movers[i];
  const bool crosses = mover.cross < mover.hit;
  const double t = std::max(time, std::min(mover.cross, mover.hit));
  bool late = false;
  const auto look = [&](const Cell& cell) {
    visit_around(cell, members.dimension, [&](const Cell& one) {
      const std::uint32_t place = grid.place_in_box(one);
      late = late || (place != Grid::none && changed_at[place] >= t);
    });
  };
  look(grid.cell(i));
  if (crosses) {
    if (mover.face < static_cast<std::uint8_t>(Silent::edge)) look(beyond(grid.cell(i), mover.face));
  } else if (mover.what == What::pair) {
    look(grid.cell(mover.with));
  }
  return late;
}

void Crowd::Impl::take_back() {
  if (!has_done) return;
  has_done = false;
  for (Hand& hand : hands) {
    for (std::size_t k = hand.done.size(); k-- > hand.told;) {
      const Done& one = hand.done[k];
      const auto restore = [&](std::uint32_t member, const Before& before) {
        Mover& mover = movers[member];
        mover.x = before.x;
        mover.v = before.v;
        mover.start = before.start;
        mover.close_shocks = before.close_shocks;
        mover.at_once = before.at_once;
        ++mover.generation;
      };
      if (one.blow.j != Blow::nobody) restore(one.blow.j, one.j);
      restore(one.blow.i, one.i);
    }
    for (std::size_t k = hand.crossed.size(); k-- > 0 && reached < hand.crossed[k].turn;)
      grid.move(hand.crossed[k].member, hand.crossed[k].before);
    fresh.insert(fresh.end(), hand.touched.begin(), hand.touched.end());
    hand.done.clear();
    hand.told = 0;
    hand.crossed.clear();
    hand.touched.clear();
  }
  one_hand.forget_around();
  std::fill(changed_at.begin(), changed_at.end(), -not_due);
  std::sort(fresh.begin(), fresh.end());
  fresh.erase(std::unique(fresh.begin(), fresh.end()), fresh.end());
  predict_fresh();
  worked_until = std::max(worked_until, time);
}

}  // namespace zwang::crowds
