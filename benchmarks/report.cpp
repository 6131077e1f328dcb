/// What the report of a long run costs: a ball between two plates, each event a shock, kept in its run file and written as a page.
///
/// The floor is one reading of all that the file says of pieces and events, with their checksums. A page looks at the run a few times: extents, tracks, events, plots.
/// Times are those of the processor, of one try. With an argument so many events at most; a page of 10^6 should take seconds, 20 at most.
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>

#include "processor_time.hpp"
#include "zwang/base/number.hpp"
#include "zwang/report/page.hpp"
#include "zwang/runs/life.hpp"

namespace {

using namespace zwang;

constexpr const char* between_plates = R"toml(title = "A ball between two plates"
[points.ball]
mass = 1
position = [0.3, 0.5]
velocity = [0, 1]
[constraints]
floor = { condition = "ball.y >= 0", restitution = 1 }
lid   = { condition = "ball.y <= 1", restitution = 1 }
[simulation]
samples = 1001
)toml";

template <class Work>
double seconds_of(const Work& work) {
  const double begin = processor_seconds();
  work();
  return processor_seconds() - begin;
}

void measure(const std::filesystem::path& folder, std::uint64_t events) {
  model::Overrides overrides;
  overrides.until = exact(static_cast<double>(events));
  const runs::Task task =
      runs::new_task(runs::recipe_of(between_plates, "plates.toml", overrides), (folder / "plates.sqlite").string());
  runs::Store store = runs::Store::create(task.file, task.recipe, task.model);
  const double run = seconds_of([&] { runs::go_on(task, store); });
  const motion::RunView view = runs::picture_view(task.model, store);
  std::uint64_t seen = 0;
  const double once = seconds_of([&] {
    view.each_piece(0, [&](const motion::Piece&) { return ++seen > 0; });
    view.each_event(0, [&](const motion::Event&) { return ++seen > 0; });
  });
  std::uint64_t bytes = 0;
  const report::PageRun shown{&task.model, view, ""};
  const double page = seconds_of([&] {
    static_cast<void>(report::write_page({&shown, 1}, {}, [&](std::string_view text) { bytes += text.size(); }));
  });
  constexpr double mega = 1e6;
  const auto count = static_cast<double>(store.events());
  std::printf("%9llu %8.2f %9.1f %8.2f %8.2f %9.2f %9.1f %7.1f\n", static_cast<unsigned long long>(store.events()), run,
              static_cast<double>(std::filesystem::file_size(task.file)) / mega, once, page, mega * page / count,
              static_cast<double>(bytes) / mega, page / once);
}

}  // namespace

int main(int count, char** words) {
  const std::uint64_t most = count > 1 ? std::strtoull(words[1], nullptr, 10) : 1'000'000;
  std::string name = (std::filesystem::temp_directory_path() / "zwang-report-XXXXXX").string();
  const std::filesystem::path folder = mkdtemp(name.data());
  std::printf("   events    run s   file MB   read s   page s  us/event   page MB  of read\n");
  for (const std::uint64_t events : {std::uint64_t{10'000}, std::uint64_t{100'000}, std::uint64_t{1'000'000}}) {
    if (events <= most) measure(folder, events);
  }
  std::filesystem::remove_all(folder);
  return 0;
}
