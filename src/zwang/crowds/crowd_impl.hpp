/// What a crowd remembers between calls of `advance`. begin.cpp: where everybody is at first; crowd.cpp: flights and turns; blows.cpp: what happens to two; island.cpp: what happens
/// to more, and what stays together; telling.cpp: what islands tell of it; ahead.cpp: parts of space at the same time.
#pragma once

#include <array>
#include <atomic>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "zwang/crowds/crowd.hpp"
#include "zwang/crowds/flight.hpp"
#include "zwang/crowds/grid.hpp"
#include "zwang/crowds/members.hpp"
#include "zwang/crowds/met.hpp"
#include "zwang/crowds/queue.hpp"
#include "zwang/crowds/tolerances.hpp"
#include "zwang/model/part.hpp"
#include "zwang/motion/excursion.hpp"
#include "zwang/motion/strikes.hpp"
#include "zwang/motion/track.hpp"

namespace zwang::crowds {

enum class What : std::uint8_t { nothing, wall, pair, limit, link, obstacle };

/// What a member does without anybody being told: it crosses a face of its cell (the numbers below), the edge of a band, or the face that it carries leaves its
/// band.
enum class Silent : std::uint8_t { cell = 0, edge = 6, face = 7 };

/// The band in front of a moving face. The face is at its level: the negative of that in the conditions.
struct Guard {
  double edge = 0;                  ///< below it nobody is looked at
  double band = 0;                  ///< how wide
  std::vector<std::uint32_t> near;  ///< links of members within
};

/// A function of time on its way.
struct Drive {
  DriverPiece piece;
  std::uint32_t generation = 0;
  double out = 0;  ///< when its face leaves the band
};

/// A member on its way: where it is in one line of the cache, what will happen to it in the next.
struct alignas(64) Mover {
  Vector x{}, v{};   ///< at the start of its flight
  double start = 0;  ///< of its flight
  std::uint32_t island = ~std::uint32_t{0};
  std::uint32_t held = ~std::uint32_t{0};  ///< which of its walls it slides along

  double hit = 0;    ///< when something happens to it
  double cross = 0;  ///< when it leaves its cell
  std::uint32_t generation = 0;
  std::uint32_t with = 0;  ///< the other member, or which of its walls, which link, or the row of an obstacle
  std::uint32_t with_generation = 0;
  std::uint32_t rule = 0;    ///< which of the rules of the two
  std::uint32_t edge = 0;    ///< the link whose band it enters or leaves, or the face that leaves its band
  std::uint32_t column = 0;  ///< first variable in the island
  What what = What::nothing;
  bool doubt = false;                                         ///< it may be that nothing happens
  std::uint8_t face = 0;                                      ///< 2 direction + (upwards), or what else is silent
  std::uint32_t close_shocks = 0;                             ///< in a row
  std::uint32_t at_once = 0;                                  ///< instants without time passing
  double settled = -std::numeric_limits<double>::infinity();  ///< when it was last taken up with others
};
static_assert(sizeof(Mover) == 128, "two lines of the cache");

/// A member that hops on a wall, ever lower.
struct Hops {
  std::uint32_t wall = ~std::uint32_t{0};  ///< which of its walls, if nothing else was struck since
  std::uint32_t count = 0;
  double first = 0;                                        ///< speed of the first strike
  double limit = std::numeric_limits<double>::infinity();  ///< when the sequence that closed ends
  std::uint32_t limit_wall = 0;
  double limit_lost = 0;  ///< energy
  Vector struck{};        ///< where it was struck last
};

/// A strike that is remembered.
struct Struck {
  double time = 0;
  double speed = 0;          ///< of the condition
  double lost = 0;           ///< energy
  std::uint32_t number = 0;  ///< of the condition, as it is told
};

/// The last strikes of a member, the latest at `next - 1`.
struct Memory {
  std::array<Struck, strikes_remembered> strikes;
  std::uint32_t next = 0;
  std::uint32_t count = 0;
  void add(const Struck& one) {
    strikes[next] = one;
    next = (next + 1) % strikes_remembered;
    if (count < strikes_remembered) ++count;
  }
  /// The k-th, from the earliest on.
  [[nodiscard]] const Struck& at(std::uint32_t k) const {
    return strikes[(next + strikes_remembered - count + k) % strikes_remembered];
  }
};

/// Members that are followed together.
struct Island {
  std::vector<std::uint32_t> members;  ///< ascending
  std::unique_ptr<model::Part> part;
  motion::Motion motion;
  motion::Piece piece;  ///< the leg it is on, in the numbers of the part; `motion` is at its end already
  double lost = 0;      ///< energy.lost of the motion as far as it is accounted for
  double work = 0;
  double look = 0;   ///< when to ask whether it still hangs together
  double pause = 0;  ///< between two looks
};

/// Where and how fast a member was, before something happened to it.
struct Before {
  Vector x{}, v{};
  double start = 0;
  std::uint32_t close_shocks = 0, at_once = 0;
};

/// When something is done, and whose turn it is: the order of all that happens.
struct Turn {
  double time = -std::numeric_limits<double>::infinity();
  std::uint32_t number = 0;
  [[nodiscard]] bool operator<(const Turn& other) const {
    return time < other.time || (time == other.time && number < other.number);
  }
};

/// A strike of one or two that fly, in closed form.
struct Blow {
  static constexpr std::uint32_t nobody = ~std::uint32_t{0};
  std::uint32_t i = 0;
  std::uint32_t j = nobody;  ///< the other one; nobody if it is a wall
  std::uint64_t row = 0;
  double time = 0;
  double speed = 0;  ///< of the condition
  Vector n{};        ///< from j to i
  Vector x{}, v{};   ///< of i; v before it, then after it
  Vector y{}, w{};   ///< of j
  double impulse = 0;
  double lost = 0;
};

/// A strike that was dealt with ahead of its turn to be told.
struct Done {
  Turn turn;
  Blow blow;
  Before i, j;
};

/// A cell that was left ahead of its turn.
struct Crossed {
  Turn turn;
  std::uint32_t member = 0;
  Cell before{};
};

/// Whoever deals with events, one after the other: what is at hand. Several deal with parts of space at the same time (ahead.cpp).
struct Hand {
  /// Everybody in the cells around a member, as long as nobody changes cells.
  struct Around {
    std::uint32_t member = ~std::uint32_t{0};
    std::vector<std::uint32_t> others;
  };
  std::array<Around, 2> around;  ///< of those that were asked for last
  std::size_t oldest_around = 0;
  std::vector<std::uint32_t> ahead;  ///< those that have become neighbours
  void forget_around() {
    for (Around& one : around) one.member = ~std::uint32_t{0};
  }

  // Of those who work ahead.
  bool ahead_of_time = false;
  std::uint32_t number = 0;
  double time = 0;
  Turn last;
  Cell low{}, high{};                            ///< who is in these cells may be dealt with
  std::int32_t left_front = 0, right_front = 0;  ///< columns up to which, and from which on, cells may be waiting
  std::vector<Done> done;
  std::size_t told = 0;  ///< of them
  std::vector<Crossed> crossed;
  std::vector<std::uint32_t> touched;  ///< members of whom something has changed
  std::vector<std::uint32_t> aside;    ///< members whose turn has to wait
  std::uint64_t silent = 0;
};

class Crew;

struct Crowd::Impl {
  Impl(const model::Model& of, const motion::Options& options);
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  static constexpr std::uint32_t none = ~std::uint32_t{0};

  const model::Model& model;
  Members members;
  std::vector<std::uint32_t> first_member;  ///< per body
  double until = 0;
  double tolerance = 0;
  double touch = 0;        ///< of its terms: what a condition that touches may be off where it is written down
  double zero = 0;         ///< the same in the course of a motion, where rounding alone is left
  double one_instant = 0;  ///< times so near to each other are the same
  double near_length = 0;  ///< conditions that lose energy are near below it
  bool lossy = false;      ///< does anything lose energy?

  std::vector<Mover> movers;
  std::vector<Memory> memory;                     ///< per member, if anything loses energy
  std::vector<Hops> hops;                         ///< per member, if anything loses energy
  std::vector<motion::Strikes> strikes_of_walls;  ///< as in `wall_of_row`, if anything loses energy
  std::vector<motion::Strikes> strikes_of_pairs;  ///< as in `met`
  std::vector<Island> islands;
  std::vector<std::uint32_t> free_islands;
  Grid grid;
  mutable Hand one_hand;  ///< of the one who deals with everything
  [[nodiscard]] const std::vector<std::uint32_t>& around_of(Hand& hand, std::uint32_t i) const;
  void put_all(const std::vector<Cell>& cells);
  /// What the next events will look at is fetched while this one is dealt with.
  void expect_flight(std::uint32_t i) const;
  void expect(std::uint32_t i) const;
  void expect_next(const Queue& next) const;
  Queues queue;  ///< members, functions of time, islands
  [[nodiscard]] std::uint32_t number_in_queue(std::uint32_t island) const {
    return members.count + static_cast<std::uint32_t>(members.drivers.size()) + island;
  }

  motion::Status status = motion::Status::going;
  std::string why;
  std::vector<std::string> culprits;
  double time = 0;
  double initial = 0;  ///< energy
  double lost = 0;
  double work = 0;
  double position_drift = 0, velocity_drift = 0, defect = 0, position_correction = 0, velocity_correction = 0;
  std::uint64_t steps = 0;
  std::uint64_t event_count = 0;

  std::vector<model::Pair> met;
  MetNumbers number_of_met;
  /// The number of a row in what is told.
  std::uint32_t told(std::uint64_t row);
  [[nodiscard]] std::uint32_t number_known(std::uint64_t row) const;

  std::vector<motion::Event> events;
  std::vector<motion::Event> spare;  ///< told before; their lists have room
  [[nodiscard]] motion::Event spare_event();
  std::vector<Flight> flights;
  std::vector<Leg> legs;
  std::vector<Begun> begun;

  void begin();
  /// Larger cells, when members that meet nobody cross many of them.
  void widen();
  std::uint64_t crossings = 0;  ///< since the last event

  // Where the members are.
  void place(std::uint32_t i, double t, Vector& x, Vector& v) const;
  void place_on(const motion::Piece& piece, std::uint32_t column, double t, Vector& x, Vector& v) const;
  /// The acceleration of one that flies, or slides along a wall.
  [[nodiscard]] Vector pull(std::uint32_t i) const;
  /// Coefficients about a time, per component; how many there are.
  std::uint32_t polynomial(std::uint32_t i, double from, std::array<std::array<double, 32>, 3>& out) const;
  [[nodiscard]] std::string name_of(std::uint32_t i) const;

  // What comes next.
  void predict_wall(std::uint32_t i);
  void predict_crossing(std::uint32_t i) { predict_crossing(i, time); }
  void predict_crossing(std::uint32_t i, double from);
  void predict_pair(std::uint32_t i, std::uint32_t j) { predict_pair(one_hand, i, j); }
  void predict_pair(Hand& hand, std::uint32_t i, std::uint32_t j);
  void predict(std::uint32_t i) { predict(one_hand, i, time); }
  void predict(Hand& hand, std::uint32_t i, double now);
  void enqueue(std::uint32_t i);
  /// A box that a member does not leave from a time on, for as long as h: its centre, and how far it goes to either side.
  void reach(std::uint32_t i, double from, double h, Vector& centre, Vector& beside) const;
  /// Do these boxes tell that the two do not meet?
  [[nodiscard]] bool stay_apart(std::uint32_t i, std::uint32_t j, double from, double h, double least) const;
  [[nodiscard]] double time_of_pair(std::uint32_t i, std::uint32_t j, const Rule& rule, bool& doubt) const;
  [[nodiscard]] bool inside_one_island(std::uint32_t i, std::uint32_t j, const Rule& rule) const;

  // What happens.
  /// On its own from t on, along the wall `held` or free: what was predicted of it is stale.
  void begin_anew(std::uint32_t i, std::uint32_t held, double t, const Vector& x, const Vector& v);
  void note_flight(std::uint32_t i, double t, const Vector& x, const Vector& v);
  void fly(std::uint32_t i, double t, const Vector& x, const Vector& v);
  /// Along one of its walls, that presses against it for as long as nothing else happens.
  void slide(std::uint32_t i, std::uint32_t wall, double t, const Vector& x, const Vector& v);
  void cross(std::uint32_t i);
  void happen(std::uint32_t i);
  /// In closed form; false if more than this one condition has a part in it.
  bool strike_wall(std::uint32_t i, double t);
  bool strike_pair(std::uint32_t i, std::uint32_t j, double t);
  void count_shock(std::uint32_t i, double t, const Vector& x);
  /// What an impulse along a unit vector does to a member. A wall that it slides along withstands, or is left.
  struct Push {
    Vector way{};        ///< change of velocity, per impulse
    double ease = 0;     ///< of that, along the vector
    double on_wall = 0;  ///< impulse of the wall, per impulse
    bool stays = false;  ///< at its wall
  };
  [[nodiscard]] Push push(std::uint32_t i, const Vector& n) const;
  /// Flies, or slides on, after a strike.
  void leave(std::uint32_t i, double t, const Vector& x, const Vector& v, bool stays);
  /// A strike on a wall, in a sequence of hops perhaps. True if what is left of them cannot be seen: then it closes.
  bool hop(std::uint32_t i, std::uint32_t wall, double t, double speed, double pressed, double lost_now);
  void tell_limit(std::uint32_t i);
  /// A strike of two that lose energy; false if it is one of a sequence that has become too low for closed forms.
  bool strike_counts(std::uint32_t i, std::uint32_t j, const Rule& rule, std::uint32_t row, double speed);
  /// Is another member so near that hops go on between the three?
  [[nodiscard]] bool has_near(std::uint32_t i, double t, const Vector& x, std::uint32_t but_member) const;
  /// What the condition with this number, as it is told, was struck with.
  motion::Strikes& strikes_of(std::uint32_t number);
  [[nodiscard]] motion::Strikes known_strikes(std::uint64_t row) const;
  /// The row with a number as it is told.
  [[nodiscard]] std::uint64_t row_told(std::uint32_t number) const;
  std::vector<std::uint32_t> wall_of_row;  ///< in `Members::wall_row`, and links behind them, per row of the model
  /// The condition at a moving face with this row; null if it is another one.
  [[nodiscard]] const Link* link_of(std::uint64_t row) const;
  [[nodiscard]] bool touches_more(std::uint32_t i, double t, const Vector& x, const Vector& v,
                                  std::uint32_t but_member = none, std::uint32_t but_wall = none,
                                  std::uint32_t but_link = none, std::uint32_t but_row = none) const;
  /// Of those walls and members alone. An instant: times so near to each other are the same.
  [[nodiscard]] bool touches_wall(std::uint32_t i, double t, const Vector& x, const Vector& v, std::uint32_t but_wall,
                                  double instant) const;
  [[nodiscard]] bool touches_member(Hand& hand, std::uint32_t i, double t, const Vector& x, const Vector& v,
                                    std::uint32_t but_member, double instant) const;
  /// Where they are and how fast, at the time of a blow, and how fast they approach. Of a wall: at its plane.
  void bring_to(Blow& blow) const;
  void bring_to(const Plane& wall, Blow& blow) const;
  /// The velocities afterwards of such that fly.
  void rebound(const Rule& rule, Blow& blow) const;
  void rebound(const Plane& wall, Blow& blow) const;
  /// Does what counts as touching recede? In the course of a motion it is apart then, by less than can be told: had it touched, it would have been entered before. It has no
  /// part in a shock of others, and if that drives it back it is struck next.
  [[nodiscard]] bool is_apart(double rate, double terms, double t) const;
  [[nodiscard]] bool is_at_wall(const Plane& wall, const Vector& x, const Vector& v) const {
    return is_at_wall(wall, x, v, one_instant);
  }
  [[nodiscard]] bool is_at_wall(const Plane& wall, const Vector& x, const Vector& v, double instant) const;
  /// By difference of places and velocities, and the size of the places.
  [[nodiscard]] bool is_touching(const Vector& r, const Vector& u, double sizes, double least) const {
    return is_touching(r, u, sizes, least, one_instant);
  }
  [[nodiscard]] bool is_touching(const Vector& r, const Vector& u, double sizes, double least, double instant) const;
  void tell(motion::Event event);
  /// A blow between such that fly: the event, and what each does from then on.
  void tell(const Blow& blow);
  void note_state(motion::Event& event, std::uint32_t i, const Vector& x, const Vector& v) const;
  void end(motion::Status with, std::string sentence);
  void finish();
  /// The next of all, if it belongs to the instant; false if it does not, or if nothing is left.
  bool take_turn();

  // Several at a time (ahead.cpp).

  unsigned threads = 1;
  std::shared_ptr<Crew> crew;
  std::vector<Hand> hands;
  std::uint32_t axis = 0;                  ///< across it space is divided
  std::vector<std::int32_t> first_column;  ///< per hand, and one behind
  std::vector<std::uint32_t>
      waiting;  ///< per cell of the box: the number of the last stretch in which somebody there had to wait
  std::vector<double> changed_at;  ///< per cell of the box: when somebody in it was last dealt with ahead
  std::uint32_t stretch = 0;
  bool has_done = false;    ///< is there anything that is not told yet?
  double worked_until = 0;  ///< nobody works ahead again before
  double span = 0;          ///< of the next stretch
  double wanted = 0;        ///< turns of a stretch
  AheadOptions ahead_options;
  Ahead counts;
  std::uint64_t pause = 0;  ///< turns until somebody may work ahead again
  bool shared_out = false;
  Turn reached;  ///< the last turn that was dealt with
  std::atomic<double> work_ends{0};
  /// Can everything here be dealt with ahead, as long as nothing out of the common happens?
  [[nodiscard]] bool is_plain() const;
  [[nodiscard]] std::uint32_t hand_of(const Cell& cell) const;
  /// Space, and the queue, in as many parts as there are hands; false if it is too small.
  bool share_out();
  void open_stretch();
  void work_ahead(Hand& hand);
  [[nodiscard]] bool is_clear(const Hand& hand, const Cell& cell) const;
  void put_aside(Hand& hand, std::uint32_t i);
  void infect(Hand& hand, const Cell& cell);
  enum class Verdict : std::uint8_t { done, waits, stops };
  Verdict cross_ahead(Hand& hand, std::uint32_t i);
  Verdict happen_ahead(Hand& hand, std::uint32_t i);
  void deal_with(Hand& hand, const Turn& turn, const Blow& blow);
  [[nodiscard]] bool may_work_ahead();
  void tell_done(Hand& hand);
  /// What is next among what is done and not told; null if there is nothing.
  [[nodiscard]] Hand* next_done();
  /// Has somebody near the one whose turn it is been dealt with that has a later turn?
  [[nodiscard]] bool comes_too_late(std::uint32_t i) const;
  /// Everything that has not been told is as if it had not been done.
  void take_back();

  // Faces that move (faces.cpp).

  std::vector<Guard> guards;              ///< per face
  std::vector<std::uint32_t> place_near;  ///< per link: in the list of its guard, or none
  std::vector<Drive> drives;
  std::vector<std::uint32_t> face_driven;  ///< per function
  /// What a face adds to its conditions, how fast that changes, and the size of its terms.
  struct Level {
    double value = 0, rate = 0, size = 0;
  };
  [[nodiscard]] Level level_of(const Face& face, double t) const;
  [[nodiscard]] static Level level_at(const Face& face, const Vector& y, const Vector& w);
  [[nodiscard]] bool is_at_link(const Link& link, const Vector& x, const Vector& v, const Level& level) const;
  [[nodiscard]] std::uint32_t generation_of(const Face& face) const;
  [[nodiscard]] bool touches_link(std::uint32_t i, double t, const Vector& x, const Vector& v,
                                  std::uint32_t but_link) const;
  [[nodiscard]] bool inside_one_island(const Link& link) const;
  [[nodiscard]] double time_of_link(const Link& link, bool& doubt) const;
  /// Its member is put into the queue, if it is not the one that asks.
  void predict_link(std::uint32_t number, std::uint32_t asking);
  /// Those of a member, and those of the faces that it carries.
  void predict_links(std::uint32_t i);
  /// When it enters or leaves a band, or its face does.
  void predict_edges(std::uint32_t i);
  void set_near(std::uint32_t number, bool near);
  /// A band in front of the face as it is now, and who is within.
  void set_guard(std::uint32_t f);
  /// The same in the course of a motion: everybody's crossings are predicted anew.
  void move_guard(std::uint32_t f);
  void cross_edge(std::uint32_t i);
  void begin_faces();
  /// The next piece of a function of time; false if there is none, which ends the motion.
  bool drive_on(std::uint32_t d, double start);
  void enqueue_drive(std::uint32_t d);
  void drive_due(std::uint32_t d, double t);
  bool strike_link(std::uint32_t number, bool in_doubt, double t);
  bool strike_counts(const Link& link, double rate, double t);

  // Posts and gates (obstacles.cpp).

  /// The gradient of the condition, of length 1, and the room that is left.
  [[nodiscard]] static Vector normal_at(const Post& post, const Vector& x, double& gap);
  [[nodiscard]] bool is_at_post(const Post& post, const Vector& x, const Vector& v) const;
  [[nodiscard]] bool is_at_gate(const Gate& gate, const Vector& x, const Vector& v) const;
  [[nodiscard]] bool touches_obstacle(std::uint32_t i, double t, const Vector& x, const Vector& v,
                                      std::uint32_t but_row) const;
  [[nodiscard]] double time_of_gate(std::uint32_t i, const Gate& gate, std::uint32_t& which, bool& doubt) const;
  [[nodiscard]] double time_of_post(std::uint32_t i, const Post& post, bool& doubt) const;
  void predict_obstacles(std::uint32_t i);
  bool strike_obstacle(std::uint32_t i, double t);
  /// The rate of a condition of such a row.
  [[nodiscard]] double rate_at_obstacle(std::uint32_t row, const Vector& x, const Vector& v) const;
  /// All rows of a member's, and those that close.
  void add_obstacles(std::uint32_t i, const Vector& x, const Vector& v, std::vector<std::uint64_t>& rows,
                     std::vector<std::uint64_t>& touching) const;
  /// The member of a condition of a post or gate; none if it is another one.
  [[nodiscard]] std::uint32_t member_at_obstacle(std::uint64_t row) const;
  /// One that is broken by more than rounding; none if there is none.
  [[nodiscard]] std::uint32_t broken_obstacle(std::uint32_t i, const Vector& x, double& by) const;

  // What happens to more than two, or stays together (island.cpp).

  /// Members taken out of their flights and islands at an instant.
  struct Loose {
    std::vector<std::uint32_t> members;  ///< ascending
    std::vector<Vector> x, v;            ///< of each
    std::vector<std::uint64_t> held;     ///< rows, ascending
  };
  std::vector<std::uint32_t> fresh;  ///< members that have begun something new, and are not predicted yet
  void predict_fresh();
  /// Everything that touches these members, and everything that was together with it, as one instant.
  void settle(const std::vector<std::uint32_t>& seeds, double t);
  void island_due(std::uint32_t number, double t);
  /// Out of its flight, or with all others out of its island.
  void take(std::uint32_t i, double t, Loose& loose);
  void discard(std::uint32_t number);
  /// What moving walls have done to an island since its leg began.
  [[nodiscard]] double work_on_leg(const Island& island, double t) const;
  std::uint32_t new_island();
  /// Members that hang together, at an instant that may be the first.
  void go_on(const Loose& loose, const std::vector<std::uint32_t>& group, double t, bool first);
  [[nodiscard]] Island island_of(const Loose& loose, const std::vector<std::uint32_t>& group, double t,
                                 bool first) const;
  /// What came before, of the conditions of a part of the model.
  [[nodiscard]] motion::Past past_of(const std::vector<std::uint32_t>& of, const std::vector<std::uint64_t>& rows,
                                     double t) const;
  /// Of an event of an island: how fast its conditions were approached.
  void remember(const Island& island, const motion::Event& event, const std::vector<double>& velocity_before);
  /// What rounding of places, of the distances between them and of the instant makes of a state.
  void note_uncertainty(const std::vector<std::uint32_t>& group, const Loose& loose, model::State& state) const;
  [[nodiscard]] Loose loosened(const Island& island) const;
  void disperse(Island island, double t);
  void establish(Island island);
  void lead_on(std::uint32_t number);
  /// Has its motion not come to an end before its time? Else that of all has.
  bool goes_on(const Island& island);
  /// Groups of places among the loose that hang together by rows held, by what touches and by what is near and loses energy; after a shock
  /// not by what parts faster than that it would be back soon.
  [[nodiscard]] std::vector<std::vector<std::uint32_t>> groups_of(const Loose& loose, double near,
                                                                  const std::vector<std::uint64_t>& held,
                                                                  bool before_shock) const;
  /// Does it go on as it is, or in groups?
  [[nodiscard]] bool stays_together(const Island& island, const Loose& loose,
                                    const std::vector<std::vector<std::uint32_t>>& groups) const;
  [[nodiscard]] bool touch_each_other(const Loose& loose, std::size_t a, std::size_t b, double least) const;
  /// Do they part so fast?
  [[nodiscard]] bool part(std::uint32_t i, std::uint32_t j, const Vector& r, const Vector& u, const Rule& rule) const;
  [[nodiscard]] bool part(const Link& link, double rate) const;
  /// Those who touch a member at a moving face, or are near and lose energy there.
  void find_at_faces(std::uint32_t i, double t, const Vector& x, const Vector& v,
                     std::vector<std::uint32_t>& found) const;
  [[nodiscard]] std::unique_ptr<model::Part> part_with(const std::vector<model::Member>& places,
                                                       const std::vector<std::uint64_t>& rows) const;
  /// A single member that nothing holds, or that slides along one wall: such a one flies or slides on. False: it does neither.
  bool goes_alone(const Loose& loose, const std::vector<std::uint32_t>& group, double t);
  [[nodiscard]] bool is_alone(const Loose& loose, const std::vector<std::uint32_t>& group) const;
  /// The only wall among the rows that holds a member; `none` if there is none, or another one.
  [[nodiscard]] std::uint32_t only_wall(std::uint32_t i, const std::vector<std::uint64_t>& held, bool& many) const;
  /// Once: they are forgotten then.
  void tell_events(Island& island, const std::vector<double>& velocity_before);
  void account_for(Island& island);

  /// Are these conditions that bind none but these members?
  [[nodiscard]] bool are_between(const std::vector<std::uint64_t>& rows, const std::vector<std::uint32_t>& among) const;
  [[nodiscard]] motion::Account account() const;
};

/// What to try where an event list leads no further.
inline constexpr std::string_view in_steps_instead =
    "; or go in steps, without a list of events: method = \"stepping\" in [simulation]";
/// Cells that can be counted, in each direction.
inline constexpr std::int32_t most_cells = 1'000'000'000;
/// Of its terms: what a condition may be broken by at the end.
inline constexpr double broken_at_end = 1e-11;

}  // namespace zwang::crowds
