/// A sweep carried on into its file: samples are followed by any number of hands, threads here and other processes through a crew, and written in order by one.
///
/// Hands take chunks of neighbouring samples as they come free; what they bring waits until its turn to be written has come. So that what waits stays small no chunk is
/// given out too far ahead of the last one written. The table is the same, to the bit, for any number of hands.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "zwang/sweeps/sample.hpp"
#include "zwang/sweeps/table.hpp"

namespace zwang::sweeps {

/// Neighbouring samples.
struct Chunk {
  std::uint64_t first = 0;
  std::uint64_t count = 0;
};

/// Other processes that follow samples: each sends what it brings, and is sent its next chunk. All calls come from the thread of `carry_on`.
struct Crew {
  int others = 0;  ///< numbered from 1
  /// A message that has arrived, if there is one: true, and who sent it.
  std::function<bool(int& from, std::string& message)> receive;
  std::function<void(int to, std::string_view message)> send;
};

struct Hands {
  unsigned threads = 1;  ///< 0: none but the crew
  Crew* crew = nullptr;
  double seconds = 0.5;  ///< between two commits
  std::uint64_t largest_chunk = 64;
  /// Asked now and then with the samples that are done; false interrupts: what is done is kept, the sweep can go on later.
  std::function<bool(std::uint64_t done)> go_on;
};

/// From where the file stands to the end or an interruption; true if the sweep is done.
bool carry_on(const Sweep& sweep, Table& table, const Hands& hands);

/// What another process of a crew does: it gets the recipe, then chunks, until it gets nothing more. `ask` sends what it brings and waits for the answer.
void help(const std::function<std::string(std::string_view)>& ask, unsigned threads,
          const std::function<bool()>& go_on);

/// The samples of a chunk, in order. Empty if `go_on` said no.
[[nodiscard]] std::vector<Row> follow(const Sweep& sweep, const Chunk& chunk, unsigned threads,
                                      const std::function<bool()>& go_on = {});

}  // namespace zwang::sweeps
