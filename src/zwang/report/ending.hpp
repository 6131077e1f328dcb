/// How a run ended, in the words that the commands and the page share.
#pragma once

#include <cstdint>
#include <string>

#include "zwang/model/model.hpp"
#include "zwang/trajectory.hpp"

namespace zwang::report {

enum class EndingKind : std::uint8_t {
  finished,     ///< the end was reached
  stopped,      ///< what stops it came true
  interrupted,  ///< it can go on
  failed        ///< a fact of mechanics or of numbers ended it
};

struct Ending {
  EndingKind kind = EndingKind::finished;
  std::string word;  ///< "finished", "stopped", "interrupted", or the status
  std::string time;  ///< when
  std::string why;   ///< what came true, or what happened; may be empty
};

[[nodiscard]] Ending ending(const model::Model& model, const motion::Account& account);

/// As the beginning of a sentence.
[[nodiscard]] std::string capital(std::string text);

}  // namespace zwang::report
