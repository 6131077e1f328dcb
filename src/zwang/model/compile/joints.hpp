/// Joints: what they hold, in which directions, and the formulas of their angle and travel.
///
/// The first partner A and the second B are marks, centres of bodies, points or fixed places. n is the axis in A's axes, p, q complete it to a right-handed frame
/// (p, q, n), and n', p', q' are the same directions in B's axes as they lie at the start. With a dash behind A and B for what the body carries along:
///
///   same place      B - A = 0                              axes parallel    A p . B n' = 0,   A q . B n' = 0
///   on one line     (B - A).A p = 0,   (B - A).A q = 0      not turned       A p . B q' = 0   besides
///   angle           atan2(A q . B p', A p . B p')           travel           (B - A).A n - that of the start
#pragma once

#include <array>
#include <string>
#include <vector>

#include "zwang/model/model.hpp"

namespace zwang::model {

struct Compilation;
struct Value;

/// Names that stand for numbers in a formula: none is a name of the model.
class FormulaNumbers {
 public:
  explicit FormulaNumbers(const Compilation& work);
  /// Forget all; from now on every number has a name of its own, be it equal to another one or not: formulas of one build are one text then.
  void begin_apart();
  [[nodiscard]] std::string number(double value);
  /// "[n_1, n_2, n_3]".
  [[nodiscard]] std::string vector(const std::vector<double>& values);
  [[nodiscard]] const std::vector<std::pair<std::string, double>>& list() const { return list_; }

 private:
  std::string prefix_;
  bool apart_ = false;
  std::vector<std::pair<std::string, double>> list_;
};

/// One partner, with the words for it.
struct JointSide {
  Partner partner;
  bool fixed = false;
  bool rigid = false;
  std::string name;                               ///< of the body or point: "bar[3]"
  std::string mark;                               ///< of a mark: "bar[3].end"; else the same
  std::array<double, 4> orientation{1, 0, 0, 0};  ///< at the start, in space
  double angle = 0;                               ///< at the start, in the plane
  std::vector<double> place;                      ///< at the start

  /// Formulas of where it is, of a component of that, and of a direction it carries along.
  [[nodiscard]] std::string at(FormulaNumbers& numbers) const;
  [[nodiscard]] std::string component(FormulaNumbers& numbers, std::size_t c) const;
  [[nodiscard]] std::string carried(FormulaNumbers& numbers, const std::vector<double>& direction) const;
};

/// A mark, a body, a point, or a fixed place as it was written.
[[nodiscard]] JointSide read_side(Compilation& work, const Value& value);

/// A joint while the model is made.
struct JointFrame {
  std::string name;
  std::string kind;
  std::uint32_t dimension = 3;
  JointSide first, second;
  std::vector<double> n, p, q;                       ///< in the first one's axes; in the plane of a slider p across n
  std::vector<double> second_n, second_p, second_q;  ///< in the second one's
  double start = 0;                                  ///< travel, in the plane angle, at the start
  double zero = 0;                                   ///< where 0 is
  bool driven = false;                               ///< its angle or travel is given

  [[nodiscard]] bool turns() const { return kind == "hinge"; }
  [[nodiscard]] bool slides() const { return kind == "slider"; }
  /// Formulas of the angle of a hinge or the travel of a slider, and of their rates.
  [[nodiscard]] std::string coordinate(FormulaNumbers& numbers) const;
  [[nodiscard]] std::string rate(FormulaNumbers& numbers) const;
};

/// Reads [joints] and adds their conditions; the frames stay in the compilation.
void add_joints(Compilation& work);
/// Those that hold two places together or on a line, before their conditions are added.
[[nodiscard]] std::vector<JointFrame> read_joint_frames(Compilation& work);

}  // namespace zwang::model
