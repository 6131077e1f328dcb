/// A journal of a compilation: all that the structure of the model was made of, and what came of it, so that it need not be made again.
///
/// Structure (shapes, their tapes, who shares which) is a function of the syntax, of the slots that members meet, of numbers that stand in expressions, and here and there of
/// values at the start. All of that is noted in order while a model is compiled. Another compilation of the same draft that would note the same, word by word, would make the
/// same structure: it reads the journal, compares, and takes what was made. With the first word that differs it gives up (`Departs`), and the model is compiled as ever.
///
/// One kind of number may differ: a parameter that is one side of a condition of positions, as the length in `distance(a, b) <= L`. It stands in f as the number that is added, in
/// no derivative of f, and in the tape as one constant that one instruction reads. As long as it is not zero and meets no other number of the model, the structure is the same.
#pragma once

#include <any>
#include <bit>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "zwang/model/shapes.hpp"

namespace zwang::model {

/// Thrown by a reader whose model has another structure. No Error: nobody but `compile_again` sees it.
struct Departs {};

class Journal {
 public:
  enum class Use : std::uint8_t { none, write, read };

  /// What a compilation leaves.
  struct Pages {
    std::vector<std::uint64_t> words;
    struct Made {
      std::any what;
      bool by_state = false;  ///< values at the start had a say
    };
    std::vector<Made> made;
    /// A number that may be another one: in the words, and where it stands in a tape.
    struct Loose {
      std::size_t word = 0;
      std::uint32_t parameter = 0;
      std::uint32_t group = 0;     ///< of rows
      std::uint32_t constant = 0;  ///< of its tape
      double factor = 1;           ///< 1 or -1: by which the constant has it
    };
    std::vector<Loose> loose;     ///< by rising word
    std::vector<double> numbers;  ///< sizes of all numbers that stand in expressions, rising
    Shapes::Groups groups;
    bool fit = false;  ///< everything that shapes are made of was noted
  };

  Journal() = default;
  explicit Journal(Pages& written) : use_(Use::write), write_(&written) {}
  explicit Journal(const Pages& known) : use_(Use::read), read_(&known) {}

  [[nodiscard]] bool reads() const { return use_ == Use::read; }
  [[nodiscard]] bool writes() const { return use_ == Use::write; }

  void note(std::uint64_t word) {
    if (use_ == Use::none) return;
    if (use_ == Use::write) {
      write_->words.push_back(word);
      return;
    }
    if (next_word_ == read_->words.size() || read_->words[next_word_] != word) throw Departs{};
    ++next_word_;
  }
  void note(double number) { note(std::bit_cast<std::uint64_t>(number)); }
  /// Numbers, of which the one at `loose` might be another one, if there is such a place.
  static constexpr std::size_t none = ~std::size_t{0};
  void note(Shapes& shapes, const std::vector<double>& numbers, std::size_t loose, std::uint32_t parameter);
  void note(std::string_view text);
  void note(const Slots& slots);
  void note(const Probe& probe);

  /// What `make` makes of the slots as they stand, or what it made when the journal was written.
  template <class Result, class Make>
  Result made(Shapes& shapes, const Slots& slots, const Probe& probe, Make make) {
    if (use_ == Use::none) return make();
    note(slots);
    if (use_ == Use::read) {
      if (next_made_ == read_->made.size()) throw Departs{};
      const Pages::Made& found = read_->made[next_made_++];
      if (found.by_state) note(probe);
      const auto* what = std::any_cast<Result>(&found.what);
      if (what == nullptr) throw Departs{};
      return *what;
    }
    begin(shapes);
    Result out = make();
    const bool by_state = shapes.asked_about_state();
    if (by_state) note(probe);
    write_->made.push_back({out, by_state});
    size_ = shapes.graph().size();
    return out;
  }
  /// Writing: the number at the place given last, if there was one, stands here alone, in a group of rows.
  bool loosen(std::uint32_t group, std::uint32_t constant, double factor);
  /// Writing: a lane of a row that has its own loose number, if it has.
  void count_lane(std::uint32_t group);
  /// Reading: the number at the place given last takes its place in the tape, if it is a loose one.
  void put_loose(Shapes& shapes);

  /// What is made now depends on more than is noted.
  void make_unfit() { unfit_ = true; }

  /// Before the first shape, and behind the last one that has lanes.
  void open(Shapes& shapes);
  void keep_groups(Shapes& shapes);
  /// Behind everything: fit if nothing was made but through `made`.
  void close(Shapes& shapes);

 private:
  void begin(Shapes& shapes);
  /// Numbers that may be others, but for those that something else has, too.
  void tighten();

  Use use_ = Use::none;
  Pages* write_ = nullptr;
  const Pages* read_ = nullptr;
  std::size_t next_word_ = 0;
  std::size_t next_made_ = 0;
  std::size_t size_ = 0;  ///< of the graph, behind what was made last
  bool unfit_ = false;
  std::size_t candidate_ = none;         ///< word of a number that might be loose
  std::uint32_t parameter_ = 0;          ///< whose value it is
  const Pages::Loose* taken_ = nullptr;  ///< the loose number that was read last
  double taken_number_ = 0;              ///< what it is here
  struct Put {
    std::uint32_t group = 0;
    std::uint32_t parameter = 0;
    double number = 0;
  };
  std::vector<Put> put_;                                      ///< constants of groups that were put in their place
  std::vector<std::pair<std::uint32_t, std::size_t>> lanes_;  ///< with loose numbers, by group
};

}  // namespace zwang::model
