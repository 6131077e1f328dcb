/// What JavaScript calls: numbers and texts in, one answer at a time out.
///
/// An answer lies at `zwang_answer` and has `zwang_answer_size` bytes until the next call.
#include <emscripten/emscripten.h>

#include <cstring>
#include <exception>
#include <map>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include "answers.hpp"
#include "zwang/error.hpp"
#include "zwang/model/evaluate.hpp"
#include "zwang/report/json.hpp"
#include "zwang/version.hpp"

namespace {

using namespace zwang;

std::string& last() {
  static std::string answer;
  return answer;
}

/// Motions and steppers by number, from 1 on.
template <class Thing>
struct Shelf {
  std::map<int, std::unique_ptr<Thing>> things;
  int count = 0;

  int put(std::unique_ptr<Thing> thing) {
    things[++count] = std::move(thing);
    return count;
  }
  Thing& at(int number) {
    const auto found = things.find(number);
    if (found == things.end()) throw Error({"", 0, 0}, "this motion was closed, or never begun");
    return *found->second;
  }
};
Shelf<live::Session>& sessions() {
  static Shelf<live::Session> shelf;
  return shelf;
}
Shelf<motion::Stepper>& steppers() {
  static Shelf<motion::Stepper> shelf;
  return shelf;
}

/// Whatever goes wrong is the answer; 0 then.
template <class Action>
int guarded(const Action& action) {
  try {
    action();
    return 1;
  } catch (const Error& error) {
    last() = report::error_json(error);
  } catch (const std::bad_alloc&) {
    last() = report::error_json("there is not enough memory for this");
  } catch (const std::exception& error) {
    last() = report::error_json(std::string(error.what()));
  }
  return 0;
}

}  // namespace

extern "C" {

EMSCRIPTEN_KEEPALIVE const char* zwang_answer() { return last().data(); }
EMSCRIPTEN_KEEPALIVE std::size_t zwang_answer_size() { return last().size(); }
EMSCRIPTEN_KEEPALIVE void zwang_version() { last() = version; }

EMSCRIPTEN_KEEPALIVE void zwang_ask(const char* question, const char* text, const char* settings) {
  last() = live::answer(question, text, settings);
}

/// The number of a motion.
EMSCRIPTEN_KEEPALIVE int zwang_begin(const char* text, const char* settings, int both_laws) {
  int number = 0;
  guarded([&] { number = sessions().put(std::make_unique<live::Session>(text, settings, both_laws != 0)); });
  return number;
}
EMSCRIPTEN_KEEPALIVE void zwang_close(int motion) { sessions().things.erase(motion); }
/// 1: there is more to come; 0: at its end; -1: an error.
EMSCRIPTEN_KEEPALIVE int zwang_go_on(int motion, double milliseconds) {
  int going = -1;
  guarded([&] { going = sessions().at(motion).go_on(milliseconds) ? 1 : 0; });
  return going;
}
EMSCRIPTEN_KEEPALIVE double zwang_time(int motion) {
  double time = 0;
  guarded([&] { time = sessions().at(motion).time(); });
  return time;
}
EMSCRIPTEN_KEEPALIVE int zwang_run_json(int motion, const double* times, std::size_t count) {
  return guarded([&] { last() = sessions().at(motion).json({times, times + count}); });
}
EMSCRIPTEN_KEEPALIVE int zwang_page(int motion, double bytes, int brief) {
  return guarded([&] { last() = sessions().at(motion).page(static_cast<std::uint64_t>(bytes), brief != 0); });
}
EMSCRIPTEN_KEEPALIVE int zwang_at(int motion, const char* question, double time) {
  return guarded([&] { last() = sessions().at(motion).at(question, time); });
}
/// Positions, then velocities, as doubles.
EMSCRIPTEN_KEEPALIVE int zwang_states(int motion, const double* times, std::size_t count) {
  return guarded([&] {
    std::vector<double> position;
    std::vector<double> velocity;
    sessions().at(motion).states({times, times + count}, position, velocity);
    last().resize((position.size() + velocity.size()) * sizeof(double));
    std::memcpy(last().data(), position.data(), position.size() * sizeof(double));
    std::memcpy(last().data() + position.size() * sizeof(double), velocity.data(), velocity.size() * sizeof(double));
  });
}

/// The number of a stepper.
EMSCRIPTEN_KEEPALIVE int zwang_stepper(const char* text, const char* settings) {
  int number = 0;
  guarded([&] {
    const live::Settings how = live::read_settings(settings);
    auto model = std::make_shared<const model::Model>(model::load(text, how.file, how.overrides));
    const model::State start = model::initial_state(*model);
    number = steppers().put(std::make_unique<motion::Stepper>(std::move(model), start));
    last() = live::stepper_json(steppers().at(number));
  });
  return number;
}
EMSCRIPTEN_KEEPALIVE void zwang_stepper_close(int stepper) { steppers().things.erase(stepper); }
EMSCRIPTEN_KEEPALIVE int zwang_stepper_advance(int stepper, double until, int stop_at_events) {
  return guarded([&] {
    steppers().at(stepper).advance(until, stop_at_events != 0);
    last() = live::stepper_json(steppers().at(stepper));
  });
}
EMSCRIPTEN_KEEPALIVE int zwang_stepper_push(int stepper, const double* impulse, std::size_t count) {
  return guarded([&] {
    steppers().at(stepper).push({impulse, impulse + count});
    last() = live::stepper_json(steppers().at(stepper));
  });
}

}  // extern "C"
