/// The data of a page put together: header, tracks, events, plots and shapes within the bytes allowed.
#include "zwang/report/page.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <deque>
#include <filesystem>
#include <limits>
#include <map>

#include "zwang/base/number.hpp"
#include "zwang/elementary/elementary.hpp"
#include "zwang/error.hpp"
#include "zwang/motion/let_go.hpp"
#include "zwang/motion/track.hpp"
#include "zwang/report/channels.hpp"
#include "zwang/report/ending.hpp"
#include "zwang/report/equations_mathml.hpp"
#include "zwang/report/pack.hpp"
#include "zwang/report/page_draft.hpp"
#include "zwang/report/scene.hpp"
#include "zwang/report/table.hpp"
#include "zwang/report/tolerances.hpp"
#include "zwang/report/tracks.hpp"
#include "zwang/report/writer.hpp"
#include "zwang/version.hpp"

namespace zwang::report {

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

/// From the engine's own polynomials down; after these, stretches of equal length.
constexpr TrackLevel levels[] = {
    {0, 0, 0, false, 0},       {1e-6, 1e-4, 9, false, 0},    {1e-5, 1e-3, 8, false, 0},    {1e-4, 5e-3, 6, false, 0},
    {1e-3, 3e-2, 5, false, 0}, {1e-3, infinite, 4, true, 0}, {1e-2, infinite, 3, true, 0},
};

std::string scalar_or_list(const std::vector<double>& values) {
  if (values.size() == 1) {
    return exact(values[0]);
  }
  std::string out = "[";
  for (const double value : values) {
    out += (out.size() > 1 ? ", " : "") + exact(value);
  }
  return out + "]";
}

bool same_values(const std::vector<double>& a, const std::vector<double>& b) { return a == b; }

/// Runs can be laid over one another only if they move the same things.
void check_runs(std::span<const PageRun> runs) {
  if (runs.empty()) {
    throw Error({"page", 0, 0}, "a page shows at least one run");
  }
  const model::Model& first = *runs[0].model;
  for (const PageRun& run : runs.subspan(1)) {
    const model::Model& other = *run.model;
    bool same = first.variables == other.variables && first.bodies.size() == other.bodies.size() &&
                first.view.components.size() == other.view.components.size();
    for (std::size_t k = 0; same && k < first.bodies.size(); ++k) {
      const model::Body& a = first.bodies[k];
      const model::Body& b = other.bodies[k];
      same = a.name == b.name && a.kind == b.kind && a.dimension == b.dimension && a.counts == b.counts;
    }
    if (!same) {
      throw Error(
          {run.view.name, 0, 0},
          fmt::format("runs laid over one another must have the same points and coordinates; this one differs from "
                      "{} ({} against {} coordinates)",
                      runs[0].view.name, other.variables, first.variables));
    }
  }
}

/// The rows of all runs under one numbering, by their names.
struct RowNumbers {
  struct Row {
    std::string name;
    std::string kind;
    std::string text;
  };
  std::vector<Row> rows;
  std::vector<std::vector<std::uint32_t>> of_run;
};

RowNumbers number_rows(std::span<const PageRun> runs) {
  RowNumbers out;
  std::map<std::string, std::uint32_t> known;
  for (const PageRun& run : runs) {
    const model::Model& model = *run.model;
    std::vector<std::uint32_t> map(model.rows());
    for (std::uint32_t row = 0; row < model.rows(); ++row) {
      std::string name = model::row_name(model, row);
      const auto [at, fresh] = known.try_emplace(name, static_cast<std::uint32_t>(out.rows.size()));
      map[row] = at->second;
      if (!fresh) {
        continue;
      }
      // A crowd's text stands at its first member.
      const model::Condition& condition = model.conditions[model.row_condition[row]];
      const bool told = model.rows() > 2000 && row != condition.first_row;
      out.rows.push_back(
          {std::move(name), std::string(model::words(model.row_kind[row])), told ? std::string() : condition.text});
    }
    out.of_run.push_back(std::move(map));
  }
  return out;
}

/// The sizes with which errors of the tracks are compared: that of the picture for what is seen in it, its own for others.
TrackScale track_scale(const model::Model& model, const std::vector<SceneBody>& bodies, const SceneBox& box,
                       const std::vector<double>& low, const std::vector<double>& high,
                       const std::vector<double>& speed) {
  TrackScale out;
  const std::size_t n = model.variables;
  out.position.assign(low.size(), 0.0);
  out.velocity.assign(n, 0.0);
  for (std::size_t i = 0; i < low.size(); ++i) {
    const double range = high[i] - low[i];
    const double size = std::fmax(std::abs(low[i]), std::abs(high[i]));
    out.position[i] = range > same_part * size ? range : size > 0 ? size : 1.0;
  }
  double fastest = 0;
  for (const SceneBody& body : bodies) {
    for (const std::uint32_t track : body.track) {
      out.position[track] = box.size();
      if (track < n) {
        fastest = std::fmax(fastest, speed[track]);
      }
    }
  }
  for (std::size_t i = 0; i < n; ++i) {
    out.velocity[i] = speed[i] > 0 ? speed[i] : infinite;
  }
  for (const SceneBody& body : bodies) {
    for (const std::uint32_t track : body.track) {
      if (track < n) {
        out.velocity[track] = fastest > 0 ? fastest : infinite;
      }
    }
  }
  return out;
}

/// "1.3e-5", never smaller than it was.
double rounded_up(double value) {
  if (!(value > 0) || !std::isfinite(value)) {
    return value;
  }
  const double unit = elementary::pow(10.0, std::floor(elementary::log10(value)) - 1);
  return std::ceil(value / unit) * unit;
}

/// What happened, in sentences.
std::vector<std::string> sentences(const model::Model& model, const motion::RunView& run) {
  const motion::Account& account = *run.account;
  const Ending end = ending(model, account);
  std::vector<std::string> out;
  switch (end.kind) {
    case EndingKind::finished: out.push_back(fmt::format("The run finished at t = {}.", end.time)); break;
    case EndingKind::stopped:
      out.push_back(
          fmt::format("The run stopped at t = {}: {} came true.", end.time, end.why.empty() ? "its stop" : end.why));
      break;
    case EndingKind::interrupted:
      out.push_back(fmt::format("The run was interrupted at t = {} and can go on.", end.time));
      break;
    case EndingKind::failed:
      out.push_back(
          fmt::format("{} at t = {}{}{}.", capital(end.word), end.time, end.why.empty() ? "" : ": ", end.why));
  }
  if (account.in_steps()) {
    out.push_back(
        fmt::format("In {} of {} (method stepping), without a list of events; {} s of computing. Deepest penetration "
                    "{}, estimated error "
                    "of the positions {}.",
                    counted(account.steps, "step"), exact(model.simulation.step), readable(account.seconds, 3),
                    readable(account.penetration, 2), std::isinf(account.error) ? "lost" : readable(account.error, 2)));
  } else {
    out.push_back(fmt::format("{}, {}, {} s of computing.", counted(account.steps, "step"),
                              counted(run.events, "event"), readable(account.seconds, 3)));
  }
  if (!model.flow && run.pieces > 0) {
    const motion::EnergyBalance& energy = account.energy;
    out.push_back(
        fmt::format("Energy: {} at the start, {} by work, {} lost in shocks, {} at the end; the balance closes to {}.",
                    readable(energy.initial), readable(energy.work), readable(energy.lost), readable(energy.final),
                    readable(std::abs(energy.defect()), 2)));
  }
  if (model.rows() > 0 && run.pieces > 0) {
    out.push_back(
        fmt::format("No binding condition was violated by more than {} in position and {} in velocity, relative to "
                    "the size of the state.",
                    readable(account.position_drift, 2), readable(account.velocity_drift, 2)));
  }
  return out;
}

/// Everything that does not depend on the room there is.
struct Material {
  std::span<const PageRun> runs;
  const PageOptions* options = nullptr;
  std::vector<SceneBody> bodies;
  std::vector<Survey> surveys;
  std::vector<EventSizes> events;
  SceneBox box;
  RowNumbers rows;
  std::string equations;
};

class Maker {
 public:
  /// `first_level`: per run the finest level worth trying; coarser afterwards if that did not fit.
  Maker(const Material& material, std::uint64_t bytes, std::vector<std::size_t>& first_level)
      : m_(material), bytes_(bytes), first_level_(first_level) {}

  PageDraft make() {
    const model::Model& model = *m_.runs[0].model;
    json_.open();
    json_.put("zwang", version);
    json_.put("format", std::uint64_t{1});
    put_model(model);
    put_bodies(model);
    put_rows();
    json_.put("equations", m_.equations);

    // Shapes first, since colours need the multipliers of what is drawn; the runs share what is left.
    const Scene drawn = put_shapes();
    put_comparison();
    const std::uint64_t taken = draft_.blob.size() + (json_.text().size() + m_.equations.size()) / 6;
    const std::uint64_t left = std::max<std::uint64_t>(bytes_ > taken ? bytes_ - taken : 0, 1U << 14U) / m_.runs.size();
    json_.open_list("runs");
    for (std::size_t k = 0; k < m_.runs.size(); ++k) {
      put_run(k, drawn.drawn, left);
    }
    json_.close_list();
    json_.put("notes", notes_);
    json_.close();
    draft_.header = json_.text();
    draft_.notes = notes_;
    return std::move(draft_);
  }

 private:
  void put_model(const model::Model& model) {
    const std::string file = std::filesystem::path(model.file).filename().string();
    json_.put("title", !m_.options->title.empty() ? m_.options->title : !model.title.empty() ? model.title : file);
    json_.put("file", file);
    json_.put("model", model.text);
    json_.open("parameters");
    for (const model::Parameter& parameter : model.parameters) {
      json_.put_json(parameter.name, scalar_or_list(parameter.value));
    }
    json_.close();
    json_.put("dimension", std::uint64_t{picture_dimension(model)});
    json_.put("coordinates", std::uint64_t{model.variables});
    std::vector<std::string> names;
    for (std::uint32_t i = 0; i < model.variables; ++i) {
      names.push_back(model::variable_name(model, i));
    }
    for (const model::Observable& component : model.view.components) {
      names.push_back(component.name);
    }
    json_.put("variables", names);

    // Phase portraits where there are few coordinates.
    if (picture_dimension(model) == 0 || model.variables <= 4) {
      std::string phase;
      for (std::uint32_t i = 0; i < std::min(model.variables, 12U); ++i) {
        phase += fmt::format(R"({}[{}, "{}", "{}'"])", phase.empty() ? "" : ", ", i, names[i], names[i]);
      }
      json_.put_json("phase", "[" + phase + "]");
    }
  }

  void put_bodies(const model::Model& model) {
    json_.open_list("bodies");
    for (const SceneBody& body : m_.bodies) {
      Writer one;
      one.open().put("name", body.name);
      if (!body.view) {
        one.put("mass", body.mass);
      }
      if (body.size >= 0) {
        one.put("size", body.size);
      }
      std::string track;
      for (const std::uint32_t i : body.track) {
        track += (track.empty() ? "" : ", ") + std::to_string(i);
      }
      one.put_json("track", "[" + track + "]");
      if (!body.turn.empty()) {
        one.put_json("turn", fmt::format("[{}]", fmt::join(body.turn, ", ")));
      }
      one.put("view", body.view).close();
      json_.put_json(one.take());
    }
    json_.close_list();
    json_.put("up", upwards(model));
  }

  void put_rows() {
    json_.open_list("rows");
    for (const RowNumbers::Row& row : m_.rows.rows) {
      json_.open().put("name", row.name).put("kind", row.kind);
      if (!row.text.empty()) {
        json_.put("text", row.text);
      }
      json_.close();
    }
    json_.close_list();
  }

  void put_box(const SceneBox& box) {
    json_.open_list("box");
    json_.put(box.low).put(box.high);
    json_.close_list();
  }

  /// Does a run have other parameters than the first, or another span of time?
  [[nodiscard]] bool differs_from_first(std::size_t k) const {
    const model::Model& first = *m_.runs[0].model;
    const model::Model& other = *m_.runs[k].model;
    for (std::size_t p = 0; p < std::min(first.parameters.size(), other.parameters.size()); ++p) {
      if (!same_values(first.parameters[p].value, other.parameters[p].value)) {
        return true;
      }
    }
    return false;
  }

  /// The shapes of all runs: what is the same for all once, what differs with the runs it belongs to.
  Scene put_shapes() {
    constexpr std::size_t most = 20000;
    const auto scene_of = [&](std::size_t k, std::uint64_t bytes) {
      const Survey& survey = m_.surveys[k];
      return scene(*m_.runs[k].model, m_.bodies, m_.box, survey.start, survey.end, bytes, draft_.blob);
    };
    std::vector<std::size_t> own;  // runs with a scene of their own
    for (std::size_t k = 1; k < m_.runs.size(); ++k) {
      if (differs_from_first(k)) {
        own.push_back(k);
      }
    }
    Scene first = scene_of(0, bytes_ / 5 / (own.size() + 1));
    if (first.shapes.empty() || first.shapes.size() * (own.size() + 1) > most) {
      if (!first.shapes.empty() && !own.empty()) {
        notes_.push_back(fmt::format("Strings, walls and surfaces are drawn with the parameters of the first run, {}.",
                                     m_.runs[0].label));
      }
      own.clear();
    }

    // Per place in the list the texts that occur there, and for which runs.
    std::vector<const Scene*> of_run(m_.runs.size(), &first);
    std::deque<Scene> others;
    std::size_t places = first.shapes.size();
    for (const std::size_t k : own) {
      others.push_back(scene_of(k, bytes_ / 5 / (own.size() + 1)));
      of_run[k] = &others.back();
      places = std::max(places, others.back().shapes.size());
      for (std::size_t i = 0; i < 3; ++i) {
        first.box.low[i] = std::min(first.box.low[i], others.back().box.low[i]);
        first.box.high[i] = std::max(first.box.high[i], others.back().box.high[i]);
      }
    }
    std::vector<std::string> shapes;
    for (std::size_t place = 0; place < places; ++place) {
      std::vector<std::pair<std::string_view, std::vector<std::size_t>>> texts;
      for (std::size_t k = 0; k < m_.runs.size(); ++k) {
        const std::string_view text = place < of_run[k]->shapes.size() ? of_run[k]->shapes[place] : std::string_view();
        const auto same =
            std::find_if(texts.begin(), texts.end(), [&](const auto& entry) { return entry.first == text; });
        (same != texts.end() ? *same : texts.emplace_back(text, 0)).second.push_back(k);
      }
      for (const auto& [text, runs] : texts) {
        if (!text.empty()) {
          shapes.push_back(texts.size() == 1
                               ? std::string(text)
                               : fmt::format(R"({{"runs": [{}], {})", fmt::join(runs, ", "), text.substr(1)));
        }
      }
    }
    json_.put_json("shapes", shape_list(shapes));
    notes_.insert(notes_.end(), first.notes.begin(), first.notes.end());
    put_box(first.box);
    return first;
  }

  void put_comparison() {
    const PageDistance& distance = m_.options->distance;
    if (distance.time.empty()) {
      return;
    }
    json_.open("comparison").put("title", distance.title).open("distance");
    json_.put_json("time", draft_.blob.f64(distance.time));
    json_.put_json("value", draft_.blob.f64(distance.value));
    json_.close().close();
  }

  /// A sentence about one of several runs says which.
  void note(std::size_t run, const std::string& sentence) {
    notes_.push_back(m_.runs.size() > 1 ? m_.runs[run].label + ": " + sentence : sentence);
  }

  void put_run(std::size_t k, const std::vector<bool>& drawn, std::uint64_t bytes) {
    const PageRun& run = m_.runs[k];
    const motion::Account& account = *run.view.account;
    const Survey& survey = m_.surveys[k];
    json_.open();
    json_.put("label", run.label);
    if (k > 0 || m_.runs.size() > 1) {
      put_differing_parameters(*run.model);
    }
    json_.put("status", motion::words(account.status));
    if (!account.why.empty()) {
      json_.put("why", account.why);
    }
    json_.put("law", model::is_variational(*run.model) ? "variational" : "straightest");
    json_.put("start", survey.start);
    json_.put("end", survey.end);
    json_.put("steps", account.steps);
    if (const std::vector<motion::SpringGone> gone = motion::springs_gone(*run.model, run.view); !gone.empty()) {
      json_.open("gone");
      for (const motion::SpringGone& one : gone) json_.put(run.model->springs[one.spring].name, one.time);
      json_.close();
    }

    const std::size_t before = draft_.blob.size();
    put_events(k, bytes / 7);
    put_channels(k, drawn, bytes / (m_.options->brief ? 64 : 8));
    const std::uint64_t taken = draft_.blob.size() - before;
    put_tracks(k, bytes > taken ? bytes - taken : bytes / 2);
    put_summary(k);
    json_.close();
  }

  void put_differing_parameters(const model::Model& model) {
    json_.open("parameters");
    for (std::size_t p = 0; p < model.parameters.size(); ++p) {
      const bool differs = std::any_of(m_.runs.begin(), m_.runs.end(), [&](const PageRun& other) {
        return p < other.model->parameters.size() &&
               !same_values(other.model->parameters[p].value, model.parameters[p].value);
      });
      if (differs) {
        json_.put_json(model.parameters[p].name, scalar_or_list(model.parameters[p].value));
      }
    }
    json_.close();
  }

  void put_tracks(std::size_t k, std::uint64_t bytes) {
    const PageRun& run = m_.runs[k];
    const Survey& survey = m_.surveys[k];
    const TrackScale scale = track_scale(*run.model, m_.bodies, m_.box, survey.low, survey.high, survey.speed);
    Tracks tracks;
    TrackLevel used;
    bool written = false;
    for (std::size_t& at = first_level_[k]; at < std::size(levels); ++at) {
      if (levels[at].position == 0 && survey.coefficients * 8 > static_cast<double>(bytes)) {
        continue;
      }
      if (write_tracks(*run.model, run.view, survey, scale, levels[at], bytes, draft_.blob, tracks)) {
        used = levels[at];
        written = true;
        break;
      }
      // One step coarser saves half at most.
      at += at > 0 && tracks.reached < 0.2 && at + 3 < std::size(levels) ? 1 : 0;
    }
    if (!written) {
      // What there is room for, whatever the error; at the least one straight stretch.
      used = {1, infinite, 3, true, 0};
      const std::uint64_t each = 4 * survey.tracks();
      used.stretches = bytes / (each * (used.degree + 1) + 16);
      if (used.stretches < 64) {
        used.degree = 1;
        used.stretches = std::max<std::uint64_t>(bytes / (each * 2 + 16), 1);
      }
      write_tracks(*run.model, run.view, survey, scale, used, std::numeric_limits<std::uint32_t>::max(), draft_.blob,
                   tracks);
    }
    json_.open("pieces");
    json_.put_json("start", draft_.blob.f64(tracks.start));
    json_.put("end", tracks.end);
    json_.put_json("orders", draft_.blob.u8(tracks.orders));
    json_.put_json("coefficients", tracks.coefficients);
    const double accuracy = rounded_up(1.3 * tracks.position_error);
    json_.put("accuracy", accuracy);
    json_.close();
    if (used.position == 0) {
      return;
    }
    std::string text = fmt::format(
        "The {} pieces of the run were fitted again by {} polynomial{} for this page: {} are right to {} of {}",
        survey.pieces, tracks.start.size(), tracks.start.size() == 1 ? "" : "s",
        m_.bodies.empty() ? "coordinates" : "positions", readable(accuracy, 2),
        m_.bodies.empty() ? "their ranges" : "the picture's size");
    if (std::isfinite(used.velocity)) {
      text += fmt::format(", velocities to {} of the largest", readable(rounded_up(1.3 * tracks.velocity_error), 2));
    } else {
      text += "; polynomials go across shocks, so that velocities near them are smoothed";
    }
    note(k, text + ". The run file has the exact ones.");
  }

  void put_events(std::size_t k, std::uint64_t bytes) {
    const PageRun& run = m_.runs[k];
    EventLists lists = event_lists(*run.model, run.view, m_.surveys[k].end, m_.events[k], bytes);
    for (std::vector<std::uint32_t>* rows : {&lists.row, &lists.impulse_row}) {
      for (std::uint32_t& row : *rows) {
        row = m_.rows.of_run[k][row];
      }
    }
    Blob& blob = draft_.blob;
    json_.open("events");
    json_.put_json("time", blob.f64(lists.time));
    json_.put_json("kind", blob.u8(lists.kind));
    std::vector<std::string> kinds;
    for (int kind = 0; kind <= static_cast<int>(motion::EventKind::accumulation); ++kind) {
      kinds.emplace_back(motion::words(static_cast<motion::EventKind>(kind)));
    }
    json_.put("kinds", kinds);
    json_.put_json("row_start", blob.u32(lists.row_start));
    json_.put_json("row", blob.u32(lists.row));
    json_.put_json("impulse_start", blob.u32(lists.impulse_start));
    json_.put_json("impulse_row", blob.u32(lists.impulse_row));
    json_.put_json("impulse", blob.numbers(lists.impulse, lists.type));
    json_.put_json("change_start", blob.u32(lists.change_start));
    json_.put_json("change_variable", blob.u32(lists.change_variable));
    json_.put_json("before", blob.numbers(lists.before, lists.type));
    json_.put_json("after", blob.numbers(lists.after, lists.type));
    json_.put_json("lost", blob.numbers(lists.lost, lists.type));
    json_.open("notes");
    for (const auto& [number, text] : lists.notes) {
      json_.put(std::to_string(number), text);
    }
    json_.close();
    json_.put("left_out", lists.left_out);
    json_.close();
    if (lists.left_out > 0) {
      note(k, fmt::format("Of {} events the {} strongest are listed; the run file has all of them.", run.view.events,
                          lists.time.size()));
    }
    if (lists.cut_changes > 0) {
      note(k, "Of the velocities that a shock changes only the 24 largest changes are listed.");
    }
  }

  void put_channels(std::size_t k, const std::vector<bool>& drawn, std::uint64_t bytes) {
    const PageRun& run = m_.runs[k];
    std::vector<bool> mine(run.model->rows(), false);
    for (std::size_t row = 0; row < std::min(mine.size(), drawn.size()); ++row) {
      mine[row] = drawn[row];
    }
    const Channels plots = channels(*run.model, run.view, m_.surveys[k], mine, std::max<std::uint64_t>(bytes / 2, 4096),
                                    m_.options->brief);
    const std::uint64_t numbers = plots.series.size() * plots.time.size();
    const NumberType type = numbers * 8 <= bytes   ? NumberType::f64
                            : numbers * 4 <= bytes ? NumberType::f32
                                                   : NumberType::u16;
    json_.open("channels");
    json_.put_json("time", draft_.blob.f64(plots.time));
    json_.open_list("series");
    for (const Channel& series : plots.series) {
      json_.open().put("group", series.group).put("name", series.name);
      if (series.row >= 0) {
        json_.put("row", std::uint64_t{m_.rows.of_run[k][static_cast<std::size_t>(series.row)]});
      }
      json_.put_json("value", draft_.blob.numbers(series.value, type));
      json_.close();
    }
    json_.close_list();
    json_.close();
    if (plots.left_out > 0) {
      note(
          k,
          fmt::format(
              "There was room for {} plots of energies, outputs, multipliers and conditions; {} are left out, those of "
              "conditions that bind least among them.",
              plots.series.size(), plots.left_out));
    }
    if (!plots.jumps) {
      note(
          k,
          "Plots of multipliers and energies are drawn on an even grid: there are too many events to show every jump.");
    }
  }

  void put_summary(std::size_t k) {
    const PageRun& run = m_.runs[k];
    const motion::Account& account = *run.view.account;
    json_.open("summary");
    if (!run.model->flow) {
      json_.open("energy");
      json_.put("initial", account.energy.initial).put("work", account.energy.work).put("lost", account.energy.lost);
      json_.put("final", account.energy.final).put("defect", account.energy.defect()).close();
    }
    json_.open("drift").put("position", account.position_drift).put("velocity", account.velocity_drift).close();
    json_.open("correction");
    json_.put("position", account.position_correction).put("velocity", account.velocity_correction).close();
    json_.put("steps", account.steps).put("seconds", account.seconds);
    json_.put("sentences", sentences(*run.model, run.view));
    json_.close();
  }

  const Material& m_;
  std::uint64_t bytes_;
  std::vector<std::size_t>& first_level_;
  Writer json_;
  PageDraft draft_;
  std::vector<std::string> notes_;
};

}  // namespace

struct PageDrafts::Inside {
  Material material;
  std::uint64_t pieces = 0;
  std::vector<std::size_t> first_level;
};

PageDrafts::PageDrafts(std::span<const PageRun> runs, const PageOptions& options)
    : inside_(std::make_unique<Inside>()) {
  check_runs(runs);
  Material& material = inside_->material;
  material.runs = runs;
  material.options = &options;
  material.bodies = scene_bodies(*runs[0].model);
  std::vector<double> low;
  std::vector<double> high;
  for (const PageRun& run : runs) {
    material.surveys.push_back(survey(*run.model, run.view));
    const Survey& one = material.surveys.back();
    material.events.push_back(event_sizes(*run.model, run.view, one.end));
    inside_->pieces += one.pieces;
    if (low.empty()) {
      low = one.low;
      high = one.high;
    }
    for (std::size_t i = 0; i < low.size(); ++i) {
      low[i] = std::fmin(low[i], one.low[i]);
      high[i] = std::fmax(high[i], one.high[i]);
    }
  }
  material.box = body_box(material.bodies, low, high);
  material.rows = number_rows(runs);
  if (!options.brief) material.equations = equations_mathml(*runs[0].model);
  inside_->first_level.assign(runs.size(), 0);
}
PageDrafts::~PageDrafts() = default;

std::uint64_t PageDrafts::pieces() const { return inside_->pieces; }

PageDraft PageDrafts::make(std::uint64_t bytes) { return Maker(inside_->material, bytes, inside_->first_level).make(); }

std::string page_data(std::span<const PageRun> runs, const PageOptions& options) {
  const PageDraft draft = PageDrafts(runs, options).make(options.bytes);
  return bundle(draft.header, draft.blob);
}

}  // namespace zwang::report
