/// The inside of series side by side: where the numbers of all members lie, and the kernels on them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "zwang/base/aligned.hpp"
#include "zwang/expressions/lane_sums.hpp"
#include "zwang/expressions/side_by_side.hpp"
#include "zwang/motion/series_impl.hpp"
#include "zwang/motion/together.hpp"

namespace zwang::motion {

/// One lane of a block of terms, of all members.
struct TermPlace {
  std::size_t block = 0;
  std::uint32_t lane = 0;
  std::size_t registers = 0;
  std::size_t factors = 0;
};

/// Where an output of a place goes: force[variable] += by * output, order k or k + 1.
struct TermOutput {
  std::size_t from = 0;  ///< of coefficient 0
  std::uint32_t variable = 0;
  enum class By : std::uint8_t { force, potential, kinetic, momentum } by = By::force;
};

/// The masses of all members, all of one structure: single ones, and blocks by the columns of their factors.
struct MassesOfMany {
  struct MassBlock {
    std::vector<std::uint32_t> variables;
    std::size_t lower = 0;  ///< place of its factor, [entry * many + lane]
  };
  bool inverse = false;              ///< `single` are inverse masses
  std::vector<std::uint32_t> alone;  ///< variables that are in no block
  AlignedNumbers single;             ///< [variable * many + lane]
  std::vector<MassBlock> blocks;
  AlignedNumbers lower;
};

struct Together::Room final : Lender {
  ~Room() override;
  void give_back(const Series::Impl& series) override;
  void forget(const Series::Impl& series) override;
  void give_back_all();

  std::vector<TermPlace> places;
  std::vector<std::size_t> first;  ///< per block of terms: its first place
  AlignedNumbers registers, factors;
  std::vector<Member> left, alike;
  std::vector<std::uint64_t> laid_out;  ///< the structure, and the serial numbers of those whose constants lie here

  // of motions without conditions, wholly in lanes
  std::vector<TermOutput> outputs;  ///< in the order in which forces are added up
  AlignedNumbers q, v;              ///< [(k * n + i) * many + lane]
  AlignedNumbers force, acceleration, work;
  AlignedNumbers numbers;  ///< per lane: time, unit, its square, per unit
  MassesOfMany masses;
  // of their proofs
  AlignedNumbers radius_q, radius_v, radii, outer_radii, own, found, sums;
  expressions::Remainders rests;
  std::array<std::vector<double>, expressions::most_lanes_at_once> answers;
  std::vector<const Series::Impl*> borrowers;  ///< per lane: whose registers lie here and nowhere else; null: nobody's
};

/// Have two series masses of one structure?
[[nodiscard]] bool same_masses(const Series::Impl& one, const Series::Impl& other);
/// Has it nothing but forces: no condition held or watched, no surface slid on?
[[nodiscard]] bool is_free(const Series::Impl& series);

/// Registers of a lane to the series they belong to.
void hand_back(const Together::Room& room, std::span<const Series::Impl* const> members);

}  // namespace zwang::motion
