/// The run file: what goes in comes out, what is not committed never was, and strangers are told so.
#include "zwang/runs/store.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "zwang/error.hpp"

namespace zwang::runs::store_tests {

using namespace motion;

namespace {

namespace fs = std::filesystem;

const std::string two_points = R"toml(title = "Two points"
[parameters]
k = 1
[points.a]
mass = 1
position = [0, "k"]
[coordinates.w]
initial = 0
[energy]
kinetic = "w'^2/2"
[constraints]
wall = "a.x <= 0"
rod = "a.x + w = 0"
[outputs]
height = "a.y"
turn = "w'"
)toml";

/// A folder that goes away with the test.
class StoreTest : public testing::Test {
 protected:
  StoreTest() {
    std::string name = (fs::temp_directory_path() / "zwang-store-XXXXXX").string();
    folder_ = mkdtemp(name.data());
    model_ = model::load(two_points, "two.toml", overrides_);
    recipe_ = {"0.0.1", "two.toml", two_points, overrides_};
  }
  ~StoreTest() override {
    std::error_code code;
    fs::remove_all(folder_, code);
  }
  [[nodiscard]] std::string file(const std::string& name = "run.sqlite") const { return (folder_ / name).string(); }
  [[nodiscard]] Store create() const { return Store::create(file(), recipe_, model_); }

  fs::path folder_;
  model::Overrides overrides_{{{"k", "2"}}, "", "2*k", "1e-9", "11"};
  model::Model model_;
  Recipe recipe_;
};

std::string message_of(const std::function<void()>& act) {
  try {
    act();
  } catch (const Error& error) {
    return error.message();
  }
  return "no error";
}

Piece some_piece(double start, std::uint32_t number) {
  Piece piece;
  piece.start = start;
  piece.length = 0.5;
  piece.n = 3;
  piece.orders = 2 + number % 3;
  piece.multiplier_orders = 2;
  for (std::uint32_t i = 0; i < piece.n * piece.orders; ++i) {
    piece.position.push_back(1.0 / (1 + i + number));
  }
  if (number % 2 == 0) {
    piece.rows = {1};
    piece.multiplier = {0.1 * number, -0.3};
  }
  return piece;
}

Event some_event(double time) {
  Event event;
  event.time = time;
  event.kind = EventKind::impact;
  event.rows = {0};
  event.impulses = {{0, 0.1}, {1, -1e-300}};
  event.position = {0, 1, 2};
  event.velocity = {-0.0, 1e300, 3};
  event.lost = 0.25;
  event.note = "a note";
  return event;
}

Sample some_sample(double time) {
  Sample sample;
  sample.state = {time, {1, 2, 3}, {4, 5, time / 3}};
  sample.rows = {1};
  sample.multipliers = {0.7};
  sample.outputs = {2 * time, std::numeric_limits<double>::quiet_NaN()};
  return sample;
}

Account some_account(Status status) {
  Account account;
  account.status = status;
  account.present = some_sample(1.5);
  account.present.outputs.clear();
  account.energy = {1, 0.5, 0.25, 1.25, 3};
  account.steps = 12;
  account.seconds = 0.5;
  return account;
}

bool same(const Piece& a, const Piece& b) {
  return a.start == b.start && a.length == b.length && a.n == b.n && a.orders == b.orders &&
         a.multiplier_orders == b.multiplier_orders && a.position == b.position && a.rows == b.rows &&
         a.multiplier == b.multiplier && a.rho == b.rho;
}

}  // namespace

TEST_F(StoreTest, what_goes_in_comes_out_to_the_last_bit) {
  {
    Store store = create();
    for (std::uint32_t i = 0; i < 20; ++i) {
      store.add(some_piece(0.5 * i, i));
    }
    store.add(some_event(0.5));
    store.add(some_sample(0.1));
    store.add(some_sample(0.2));
    Account account = some_account(Status::jammed);
    account.why = "no way on";
    account.culprits = {"wall", "rod"};
    ASSERT_TRUE(store.commit(account, std::string("bytes\0more", 10), true));
  }
  Store store = Store::open(file());
  store.set_outputs(model_);
  EXPECT_EQ(store.recipe().version, "0.0.1");
  EXPECT_EQ(store.recipe().text, two_points);
  EXPECT_EQ(store.recipe().overrides.parameters, overrides_.parameters);
  EXPECT_EQ(store.recipe().overrides.until, "2*k");
  EXPECT_EQ(store.recipe().overrides.samples, "11");
  EXPECT_EQ(store.sampling().until, 4);
  EXPECT_EQ(store.sampling().count, 11U);
  EXPECT_EQ(store.checkpoint(), std::string("bytes\0more", 10));
  EXPECT_EQ(store.account().status, Status::jammed);
  EXPECT_EQ(store.account().why, "no way on");
  EXPECT_EQ(store.account().culprits, (std::vector<std::string>{"wall", "rod"}));
  EXPECT_EQ(store.account().present.state.velocity, some_sample(1.5).state.velocity);
  EXPECT_EQ(store.account().energy.defect(), 0);
  EXPECT_EQ(store.account().steps, 12U);

  std::uint32_t number = 0;
  store.each_piece(0, [&](const Piece& piece) {
    EXPECT_TRUE(same(piece, some_piece(0.5 * number, number))) << number;
    ++number;
    return true;
  });
  EXPECT_EQ(number, 20U);
  std::size_t events = 0;
  store.each_event(0, [&](const Event& event) {
    const Event wanted = some_event(0.5);
    EXPECT_EQ(event.kind, wanted.kind);
    EXPECT_EQ(event.rows, wanted.rows);
    EXPECT_EQ(event.impulses, wanted.impulses);
    EXPECT_EQ(std::memcmp(event.velocity.data(), wanted.velocity.data(), 24), 0) << "the sign of zero counts";
    EXPECT_EQ(event.lost, 0.25);
    EXPECT_EQ(event.note, "a note");
    ++events;
    return true;
  });
  EXPECT_EQ(events, 1U);
  std::vector<double> times;
  store.each_sample(1, [&](const Sample& sample) {
    times.push_back(sample.state.time);
    EXPECT_EQ(sample.outputs.front(), 2 * sample.state.time);
    EXPECT_TRUE(std::isnan(sample.outputs.back()));
    EXPECT_EQ(sample.multipliers, std::vector<double>{0.7});
    return true;
  });
  EXPECT_EQ(times, std::vector<double>{0.2});
}

TEST_F(StoreTest, the_piece_of_a_time_is_the_last_that_has_begun) {
  Store store = create();
  for (std::uint32_t i = 0; i < 10; ++i) {
    store.add(some_piece(0.5 * i, i));
  }
  Piece piece;
  EXPECT_FALSE(store.piece_at(-0.1, piece));
  for (const auto& [time, start] : {std::pair{0.0, 0.0}, {0.49, 0.0}, {0.5, 0.5}, {4.7, 4.5}, {99.0, 4.5}}) {
    ASSERT_TRUE(store.piece_at(time, piece));
    EXPECT_EQ(piece.start, start);
  }
  store.add(some_event(1.25));
  EXPECT_EQ(store.event_time_from(1.2), 1.25);
  EXPECT_EQ(store.event_time_from(1.25), 1.25);
  EXPECT_FALSE(store.event_time_from(1.3));
}

TEST_F(StoreTest, what_was_not_committed_never_was_even_if_the_program_is_killed) {
  const pid_t child = fork();
  if (child == 0) {
    Store store = create();
    store.add(some_piece(0, 0));
    store.commit(some_account(Status::going), "first", true);
    // Enough to overflow every cache, so that the file itself has been touched.
    for (std::uint32_t i = 1; i < 40000; ++i) {
      store.add(some_piece(i, i));
    }
    kill(getpid(), SIGKILL);
  }
  int status = 0;
  waitpid(child, &status, 0);
  ASSERT_TRUE(WIFSIGNALED(status));
  Store store = Store::open(file());
  EXPECT_EQ(store.pieces(), 1U);
  EXPECT_EQ(store.checkpoint(), "first");
  EXPECT_EQ(store.account().status, Status::going);
}

TEST_F(StoreTest, only_the_last_two_checkpoints_stay) {
  Store store = create();
  for (int i = 0; i < 50; ++i) {
    store.commit(some_account(Status::going), std::string(100'000, static_cast<char>('a' + i % 26)), true);
  }
  EXPECT_EQ(store.checkpoint(), std::string(100'000, 'x'));
  EXPECT_LT(fs::file_size(file()), 600'000U);
}

TEST_F(StoreTest, a_finished_run_is_one_file) {
  {
    Store store = create();
    store.add(some_piece(0, 0));
    store.commit(some_account(Status::finished), "x", true);
  }
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()), 1);
}

TEST_F(StoreTest, an_older_run_is_replaced_and_a_foreign_file_is_not) {
  {
    Store store = create();
    store.add(some_piece(0, 0));
    store.commit(some_account(Status::finished), "x", true);
  }
  EXPECT_EQ(create().pieces(), 0U);
  EXPECT_TRUE(Store::open(file()).checkpoint().empty());
  std::ofstream(file("foreign.sqlite"))
      << "my diary, much longer than the hundred bytes that a database begins with, and dear "
         "to me in every one of its many words";
  const std::string message = message_of([&] { (void)Store::create(file("foreign.sqlite"), recipe_, model_); });
  EXPECT_NE(message.find("stays as it is"), std::string::npos) << message;
  std::ifstream diary(file("foreign.sqlite"));
  const std::string text{std::istreambuf_iterator<char>(diary), {}};
  EXPECT_EQ(text.substr(0, 8), "my diary");
}

TEST_F(StoreTest, a_stale_journal_does_not_spoil_the_run_that_replaces_it) {
  const pid_t child = fork();
  if (child == 0) {
    Store store = create();
    store.commit(some_account(Status::going), "first", true);
    for (std::uint32_t i = 1; i < 40000; ++i) {
      store.add(some_piece(i, i));
    }
    kill(getpid(), SIGKILL);
  }
  int status = 0;
  waitpid(child, &status, 0);
  {
    Store store = create();
    store.add(some_piece(7, 7));
    store.commit(some_account(Status::finished), "new", true);
  }
  Store store = Store::open(file());
  EXPECT_EQ(store.pieces(), 1U);
  EXPECT_EQ(store.checkpoint(), "new");
}

TEST_F(StoreTest, two_runs_at_once_take_two_names) {
  // Locks are between processes, so another process writes the first file.
  std::array<int, 2> ready{};
  std::array<int, 2> done{};
  ASSERT_EQ(pipe(ready.data()), 0);
  ASSERT_EQ(pipe(done.data()), 0);
  const pid_t child = fork();
  char signal = 'x';
  if (child == 0) {
    Store store = create();
    if (::write(ready[1], &signal, 1) != 1 || read(done[0], &signal, 1) != 1) {
      _exit(1);
    }
    _exit(0);
  }
  ASSERT_EQ(read(ready[0], &signal, 1), 1);
  EXPECT_EQ(create().path(), file("run-2.sqlite"));
  EXPECT_NE(message_of([&] { (void)Store::open(file()); }).find("another run is writing"), std::string::npos);
  ASSERT_EQ(::write(done[1], &signal, 1), 1);
  waitpid(child, nullptr, 0);
  EXPECT_EQ(create().path(), file());
}

TEST_F(StoreTest, strangers_empty_and_shortened_files_are_told_apart) {
  EXPECT_NE(message_of([&] { (void)Store::open(file()); }).find("no such"), std::string::npos);
  std::ofstream(file("empty")).close();
  EXPECT_NE(message_of([&] { (void)Store::open(file("empty")); }).find("empty"), std::string::npos);
  std::ofstream(file("text")) << two_points;
  EXPECT_NE(message_of([&] { (void)Store::open(file("text")); }).find("no run of zwang"), std::string::npos);
  EXPECT_NE(message_of([&] { (void)Store::open(folder_.string()); }).find("cannot open"), std::string::npos);
  {
    Store store = create();
    for (std::uint32_t i = 0; i < 2000; ++i) {
      store.add(some_piece(i, i));
    }
    store.commit(some_account(Status::finished), "x", true);
  }
  const auto whole = fs::file_size(file());
  for (const std::uintmax_t size :
       {whole - 1, whole / 2, std::uintmax_t{4096}, std::uintmax_t{120}, std::uintmax_t{50}}) {
    fs::copy_file(file(), file("cut"), fs::copy_options::overwrite_existing);
    fs::resize_file(file("cut"), size);
    const std::string message = message_of([&] { (void)Store::open(file("cut")); });
    EXPECT_TRUE(message.find("damaged") != std::string::npos || message.find("no run") != std::string::npos)
        << size << ": " << message;
  }
}

TEST_F(StoreTest, any_bytes_in_place_of_a_run_end_in_a_sentence) {
  {
    Store store = create();
    for (std::uint32_t i = 0; i < 200; ++i) {
      store.add(some_piece(i, i));
    }
    store.add(some_event(1));
    store.commit(some_account(Status::finished), "x", true);
  }
  std::ifstream in(file(), std::ios::binary);
  const std::string good{std::istreambuf_iterator<char>(in), {}};
  EXPECT_TRUE(rc::check("a damaged file is read or refused, nothing else", [&] {
    std::string bad = good;
    const auto count = *rc::gen::inRange(1, 200);
    for (int i = 0; i < count; ++i) {
      bad[*rc::gen::inRange<std::size_t>(0, bad.size())] = *rc::gen::arbitrary<char>();
    }
    std::ofstream(file("bad"), std::ios::binary) << bad;
    try {
      Store store = Store::open(file("bad"));
      Piece piece;
      (void)store.piece_at(3, piece);
      store.each_piece(0, [](const Piece&) { return true; });
      store.each_event(0, [](const Event&) { return true; });
    } catch (const Error& error) {
      RC_ASSERT(!error.message().empty());
    }
  }));
}

TEST_F(StoreTest, a_full_disk_is_a_sentence_and_leaves_the_last_good_state) {
  {
    Store store = create();
    store.add(some_piece(0, 0));
    store.commit(some_account(Status::going), "good", true);
    store.limit_pages(100);
    const std::string message = message_of([&] {
      for (std::uint32_t i = 1; i < 100000; ++i) {
        store.add(some_piece(i, i));
      }
    });
    EXPECT_NE(message.find("disk is full"), std::string::npos) << message;
    EXPECT_NE(message.find("--resume " + file()), std::string::npos) << message;
  }
  Store store = Store::open(file());
  EXPECT_EQ(store.pieces(), 1U);
  EXPECT_EQ(store.checkpoint(), "good");
}

TEST_F(StoreTest, a_limit_of_file_sizes_is_a_sentence_and_leaves_the_last_good_state) {
  const pid_t child = fork();
  if (child == 0) {
    std::signal(SIGXFSZ, SIG_IGN);
    Store store = create();
    store.add(some_piece(0, 0));
    store.commit(some_account(Status::going), "good", true);
    const rlimit limit{400'000, 400'000};
    setrlimit(RLIMIT_FSIZE, &limit);
    const std::string message = message_of([&] {
      for (std::uint32_t i = 1; i < 100000; ++i) {
        store.add(some_piece(i, i));
      }
      store.commit(some_account(Status::going), "bad", true);
    });
    _exit(message.find("limit of file sizes") != std::string::npos ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  Store store = Store::open(file());
  EXPECT_EQ(store.pieces(), 1U);
  EXPECT_EQ(store.checkpoint(), "good");
}

TEST_F(StoreTest, a_folder_that_cannot_be_made_is_a_sentence) {
  std::ofstream(file("wall")).close();
  const std::string message =
      message_of([&] { (void)Store::create(file("wall") + "/below/run.sqlite", recipe_, model_); });
  EXPECT_NE(message.find("--out"), std::string::npos) << message;
  fs::create_directory(file("locked"));
  fs::permissions(file("locked"), fs::perms::owner_read | fs::perms::owner_exec);
  if (geteuid() != 0) {
    const std::string refused =
        message_of([&] { (void)Store::create(file("locked") + "/run.sqlite", recipe_, model_); });
    EXPECT_NE(refused.find("Permission denied"), std::string::npos) << refused;
  }
}

TEST_F(StoreTest, samples_are_spread_evenly_and_go_on_in_the_same_rhythm) {
  const Sampling sampling{1, 3, 5};
  EXPECT_EQ(sampling.instant(0), 1);
  EXPECT_EQ(sampling.instant(1), 1.5);
  EXPECT_EQ(sampling.instant(4), 3);
  EXPECT_EQ(sampling.instant(6), 4);
}

}  // namespace zwang::runs::store_tests
