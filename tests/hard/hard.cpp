/// Runs, verdicts, and the process that they are reached in.
#include "hard/hard.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <limits>
#include <sstream>

#include "zwang/model/read.hpp"

namespace zwang::hard {

namespace {

constexpr int most_pieces = 200'000;     ///< of a run; the hardest right ones take a tenth
constexpr int pieces_looked_into = 400;  ///< the first ones, and then every hundredth
constexpr int looks = 3;                 ///< within a piece

double seconds() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

Sample look(const motion::Piece& piece, double time, std::size_t rows) {
  Sample out;
  out.time = time;
  model::State state;
  motion::evaluate(piece, time, state);
  out.q = state.position;
  out.v = state.velocity;
  std::vector<double> held;
  motion::evaluate_multipliers(piece, time, held);
  out.multipliers.assign(rows, std::numeric_limits<double>::quiet_NaN());
  for (std::size_t k = 0; k < piece.rows.size(); ++k) out.multipliers[piece.rows[k]] = held[k];
  return out;
}

Sample present(const motion::Motion& now, std::size_t rows) {
  Sample out;
  out.time = now.state.time;
  out.q = now.state.position;
  out.v = now.state.velocity;
  out.multipliers.assign(rows, std::numeric_limits<double>::quiet_NaN());
  for (std::size_t k = 0; k < now.held.size() && k < now.multipliers.size(); ++k)
    out.multipliers[now.held[k]] = now.multipliers[k];
  return out;
}

/// The first condition that a run breaks at one of its samples.
std::string broken(const Case& one, const Track& track) {
  const auto complaint = [&](const Sample& sample) -> std::string {
    for (std::size_t i = 0; i < sample.q.size(); ++i)
      if (!std::isfinite(sample.q[i]) || !std::isfinite(sample.v[i]))
        return fmt::format("a number is not finite at t = {:.17g}", sample.time);
    for (const Plain& condition : one.conditions) {
      const Real f = condition.f(sample);
      if (!((condition.equation ? std::abs(f) : f) <= condition.allowed))
        return fmt::format("{} is broken by {:.3g} at t = {:.17g} ({:.2g} allowed)", condition.name, f, sample.time,
                           condition.allowed);
    }
    return "";
  };
  for (const auto* samples : {&track.inside, &track.asked})
    for (const Sample& sample : *samples)
      if (std::string words = complaint(sample); !words.empty()) return words;
  return track.last.q.empty() ? "" : complaint(track.last);
}

std::string one_line(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

}  // namespace

std::string_view words(Verdict verdict) {
  return verdict == Verdict::right ? "right" : verdict == Verdict::refused ? "refused" : "WRONG";
}

const std::vector<Class>& classes() {
  static const std::vector<Class> all = [] {
    std::vector<Class> out;
    add_smooth(out);
    add_floors(out);
    add_scales(out);
    add_sameness(out);
    add_linkages(out);
    add_contacts(out);
    add_endings(out);
    add_switching(out);
    add_swings(out);
    add_roots(out);
    add_ratios(out);
    return out;
  }();
  return all;
}

Track follow(const std::string& text, const std::vector<double>& at) {
  const model::Model model = model::load(text, "hard.toml");
  const std::size_t rows = model.rows();
  Track out;
  motion::Motion now = motion::begin(model);
  std::size_t next = 0;
  const auto gather = [&] {
    for (const auto& event : now.events)
      out.events.push_back({event.time, std::string(motion::words(event.kind)), event.rows});
    // The state at the time of an event is the one after it.
    for (; next < at.size() && at[next] <= now.state.time && now.status == motion::Status::going; ++next)
      out.asked.push_back(present(now, rows));
  };
  gather();
  int pieces = 0;
  while (pieces < most_pieces && motion::advance(now)) {
    ++pieces;
    for (; next < at.size() && at[next] < now.piece.end(); ++next) out.asked.push_back(look(now.piece, at[next], rows));
    if (pieces <= pieces_looked_into || pieces % 100 == 0) {
      for (int k = 1; k <= looks; ++k)
        out.inside.push_back(look(now.piece, now.piece.start + now.piece.length * k / (looks + 1), rows));
      out.inside.push_back(present(now, rows));
    }
    gather();
  }
  // What is asked for at the very end.
  if (now.status == motion::Status::finished)
    for (; next < at.size() && at[next] <= now.state.time; ++next) out.asked.push_back(present(now, rows));
  out.status = now.status;
  out.why = now.why;
  out.limited = pieces >= most_pieces;
  out.last = present(now, rows);
  out.energy = now.energy;
  out.steps = now.steps;
  return out;
}

Finding judge(const Class& kind, std::uint64_t seed) {
  Finding out;
  out.seed = seed;
  const double begin = seconds();
  const auto end = [&](Verdict verdict, const std::string& line) {
    out.verdict = verdict;
    out.line = one_line(line);
    out.seconds = seconds() - begin;
    return out;
  };
  const Case one = kind.make(seed);
  std::vector<Track> tracks;
  try {
    for (std::size_t k = 0; k < one.texts.size(); ++k)
      tracks.push_back(follow(one.texts[k], k < one.at_of.size() ? one.at_of[k] : one.at));
  } catch (const std::exception& error) {
    return end(Verdict::refused, std::string("error: ") + error.what());
  }

  // What was said first, how it ended second.
  if (std::string line = broken(one, tracks.front()); !line.empty()) return end(Verdict::wrong, line);
  if (one.check) {
    if (std::string line = one.check(tracks); !line.empty()) return end(Verdict::wrong, line);
  }
  for (const Track& track : tracks) {
    if (track.limited)
      return end(Verdict::wrong, fmt::format("does not end: {} pieces up to t = {:.9g}", most_pieces, track.last.time));
    const bool expected = one.ending == Ending::either || (one.ending == Ending::finishes) == track.finished();
    if (!expected)
      return end(track.finished() ? Verdict::wrong : Verdict::refused,
                 fmt::format("{} at t = {:.9g}: {}", motion::words(track.status), track.last.time, track.why));
  }
  return end(Verdict::right, "");
}

std::vector<Finding> judge_all(const Class& kind, std::uint64_t first, int count, double limit) {
  std::vector<Finding> out;
  while (static_cast<int>(out.size()) < count) {
    const std::uint64_t from = first + out.size();
    int ends[2] = {-1, -1};
    if (pipe(ends) != 0) return out;
    const pid_t child = fork();
    if (child == 0) {
      close(ends[0]);
      for (std::uint64_t seed = from; seed < first + static_cast<std::uint64_t>(count); ++seed) {
        const Finding found = judge(kind, seed);
        const std::string line = fmt::format("{} {} {}\n", static_cast<int>(found.verdict), found.seconds, found.line);
        for (std::size_t written = 0; written < line.size();) {
          const ssize_t size = write(ends[1], line.data() + written, line.size() - written);
          if (size <= 0) _exit(1);
          written += static_cast<std::size_t>(size);
        }
      }
      _exit(0);
    }
    close(ends[1]);

    // Line by line, until it ends, breaks, or says nothing for too long.
    std::string text;
    bool late = false;
    double waited_since = seconds();
    for (;;) {
      pollfd waiting{ends[0], POLLIN, 0};
      const int left = static_cast<int>(1000 * (limit - (seconds() - waited_since)));
      if (left <= 0 || poll(&waiting, 1, left) == 0) {
        late = true;
        break;
      }
      char buffer[4096];
      const ssize_t size = read(ends[0], buffer, sizeof buffer);
      if (size <= 0) break;
      text.append(buffer, static_cast<std::size_t>(size));
      for (std::size_t place = 0; (place = text.find('\n')) != std::string::npos;) {
        std::istringstream line(text.substr(0, place));
        text.erase(0, place + 1);
        Finding found;
        int verdict = 0;
        line >> verdict >> found.seconds;
        line.get();
        std::getline(line, found.line);
        found.verdict = static_cast<Verdict>(verdict);
        found.seed = first + out.size();
        out.push_back(found);
        waited_since = seconds();
      }
    }
    close(ends[0]);
    if (late) kill(child, SIGKILL);
    int status = 0;
    waitpid(child, &status, 0);
    if (static_cast<int>(out.size()) < count) {
      const std::string line =
          late ? fmt::format("does not come back within {} s", limit) : fmt::format("breaks down (status {})", status);
      out.push_back({first + out.size(), Verdict::wrong, line, limit});
    }
  }
  return out;
}

}  // namespace zwang::hard
