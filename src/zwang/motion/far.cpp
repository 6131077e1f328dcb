/// Open conditions that are plainly far, step by step.
#include "zwang/motion/far.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "zwang/instant/corners.hpp"
#include "zwang/instant/evaluation.hpp"
#include "zwang/motion/advance_impl.hpp"
#include "zwang/motion/tolerances.hpp"

namespace zwang::motion {

namespace {

/// How far a row may change while its variables make these ways; `length` that of the gradient, 0 if the gradient is constant.
template <class Way>
double change(const model::Model& model, const model::Rows& rows, double length, std::uint32_t row, const Way& way) {
  double sum = 0;
  for (std::uint32_t e = model.row_start[row]; e < model.row_start[row + 1]; ++e) {
    const double p = way(model.row_column[e]);
    sum += length > 0 ? p * p : std::abs(rows.entry[e]) * p;
  }
  return length > 0 ? length * std::sqrt(sum) : sum;
}

double length_of_gradient(const model::Model& model, const model::Rows& rows, std::uint32_t row) {
  double sum = 0;
  for (std::uint32_t e = model.row_start[row]; e < model.row_start[row + 1]; ++e) sum += rows.entry[e] * rows.entry[e];
  return std::sqrt(sum);
}

/// p_i of a step of length s, for all variables.
void ways(const Series& series, std::size_t n, double s, std::vector<double>& out) {
  const std::span<const double> q = series.position();
  out.assign(n, 0.0);
  for (unsigned k = series.order(); k >= 1; --k) {
    const double* c = q.data() + std::size_t{k} * n;
    for (std::size_t i = 0; i < n; ++i) out[i] = (out[i] + std::abs(c[i])) * s;
  }
}

bool may_be_left_out(const Motion::Impl& impl) {
  return impl.watched_rows.size() + impl.far.rows.size() >= least_open_rows && impl.switches.sides.empty() &&
         !impl.model.flow && !instant::has_alternatives(impl.model);
}

/// Is every far row still further than its variables can have come, and will come on these ways?
template <class Way>
bool all_clear(const Motion::Impl& impl, const Way& way) {
  const Far& far = impl.far;
  const model::Rows& rows = impl.workspace.rows();
  for (std::size_t k = 0; k < far.rows.size(); ++k) {
    const double most =
        change(impl.model, rows, far.length[k], far.rows[k], [&](std::uint32_t i) { return far.way[i] + way(i); });
    if (!(most < far.slack[k])) return false;
  }
  return true;
}

/// From now on every row is evaluated at instants.
void forget_far(Motion::Impl& impl) {
  impl.far.rows.clear();
  impl.far.slack.clear();
  impl.far.length.clear();
  impl.workspace.leave_out({});
}

double whole_pace(const Far& far) { return std::accumulate(far.pace.begin(), far.pace.end(), 0.0); }

/// Rows of `watched`, all evaluated at the present state, that are far: taken out of it, and remembered.
void find_far(Motion& motion, std::vector<std::uint32_t>& watched) {
  Motion::Impl& impl = *motion.impl;
  Far& far = impl.far;
  const model::Model& model = impl.model;
  const model::Rows& rows = impl.workspace.rows();
  std::fill(far.way.begin(), far.way.end(), 0.0);
  far.pace_then = whole_pace(far);
  std::erase_if(watched, [&](std::uint32_t row) {
    const Series::Slope slope = impl.series.slope_of(row);
    if (slope == Series::Slope::varies || impl.leading[row] > 0 || impl.standing[row] != Standing::open) return false;
    const double rounding = rows.value_error[row] + touch_in_motion * rows.value_scale[row];
    const double slack = usable_part * -rows.value[row];
    const double length = slope == Series::Slope::constant ? 0.0 : length_of_gradient(model, rows, row);
    const double most =
        change(model, rows, length, row, [&](std::uint32_t i) { return looked_at_again * far.pace[i]; });
    if (!(slack > most) || !(slack > plain_flight * rounding)) return false;
    far.rows.push_back(row);
    far.slack.push_back(slack);
    far.length.push_back(length);
    return true;
  });
  leave_unevaluated(motion);
}

}  // namespace

void leave_unevaluated(Motion& motion) {
  Motion::Impl& impl = *motion.impl;
  impl.workspace.leave_out(impl.far.rows.empty() ? instant::RowSet()
                                                 : instant::RowSet(impl.model.rows(), impl.far.rows));
}

void leave_out_far(Motion& motion, std::vector<std::uint32_t>& watched) {
  Motion::Impl& impl = *motion.impl;
  Far& far = impl.far;
  if (far.pace.empty()) return;
  // Those known to be far stay so as long as nothing can have come near them, and those that are watched as long as steps are no shorter.
  if (!far.rows.empty() && all_clear(impl, [&](std::uint32_t i) { return far.pace[i]; })) {
    const std::size_t open = watched.size() - far.rows.size();
    if (open < few_open_rows || whole_pace(far) > much_slower * far.pace_then) {
      std::erase_if(watched,
                    [&](std::uint32_t row) { return std::binary_search(far.rows.begin(), far.rows.end(), row); });
      return;
    }
  }
  const bool stale = !far.rows.empty();
  forget_far(impl);
  if (watched.size() < least_open_rows || !may_be_left_out(impl)) return;
  instant::Evaluation& work = impl.workspace.evaluation();
  if (stale) model::evaluate_rows(impl.model, motion.state, work.scratch, work.rows);
  find_far(motion, watched);
}

double reach_of_far(Motion& motion, double h) {
  Motion::Impl& impl = *motion.impl;
  Far& far = impl.far;
  if (far.rows.empty()) return h;
  const std::size_t n = impl.model.variables;
  std::vector<double> step;
  const auto clear = [&] { return all_clear(impl, [&](std::uint32_t i) { return step[i]; }); };
  ways(impl.series, n, h, step);
  if (clear()) return h;
  far.wanted = step;
  double shorter = h;
  for (int round = 0; round < most_halvings; ++round) {
    shorter *= 0.5;
    ways(impl.series, n, shorter, step);
    if (clear()) break;
  }
  far.got = std::move(step);
  return shorter;
}

void expect_more(Motion& motion) {
  Far& far = motion.impl->far;
  // What was wanted is to be expected again, but not all at once: a flight may go a long way, and end soon.
  for (std::size_t i = 0; i < far.pace.size(); ++i) {
    far.pace[i] = std::max(far.pace[i], std::min(far.wanted[i], quicker * std::max(far.pace[i], far.got[i])));
  }
}

void go_past_far(Motion& motion, double s) {
  Motion::Impl& impl = *motion.impl;
  Far& far = impl.far;
  if (far.pace.empty() && !may_be_left_out(impl)) return;
  const std::size_t n = impl.model.variables;
  std::vector<double> step;
  ways(impl.series, n, s, step);
  far.way.resize(n, 0.0);
  if (far.pace.empty()) far.pace = step;
  for (std::size_t i = 0; i < n; ++i) {
    far.way[i] += step[i];
    far.pace[i] = std::max(steps_expected * step[i], slower * far.pace[i]);
  }
}

void move_past_far(Motion& motion, const std::vector<double>& from) {
  Motion::Impl& impl = *motion.impl;
  Far& far = impl.far;
  if (far.rows.empty()) return;
  for (std::size_t i = 0; i < from.size(); ++i) far.way[i] += std::abs(motion.state.position[i] - from[i]);
  if (!all_clear(impl, [](std::uint32_t) { return 0.0; })) forget_far(impl);
}

void look_around(Motion& motion) {
  Motion::Impl& impl = *motion.impl;
  std::vector<std::uint32_t> watched = impl.watched_rows;
  watched.insert(watched.end(), impl.far.rows.begin(), impl.far.rows.end());
  std::sort(watched.begin(), watched.end());
  instant::Evaluation& work = impl.workspace.evaluation();
  model::evaluate_rows(impl.model, motion.state, work.scratch, work.rows);
  for (const std::uint32_t row : impl.far.rows) {
    impl.size[row] = size_in_doubt(motion, work.rows, row);
    impl.leading[row] = 0;
  }
  forget_far(impl);
  find_far(motion, watched);
  if (watched == impl.watched_rows) return;
  impl.watched_rows = std::move(watched);
  impl.series.choose(impl.held_rows, impl.watched_rows);
}

void watch_everything(Motion& motion) {
  Motion::Impl& impl = *motion.impl;
  impl.far.pace.assign(impl.model.variables, std::numeric_limits<double>::infinity());
  look_around(motion);
}

}  // namespace zwang::motion
