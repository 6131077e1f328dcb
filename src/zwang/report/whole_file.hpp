/// Files that are there whole or not at all: written beside their place and put there when they are complete.
#pragma once

#include <string>
#include <string_view>

namespace zwang::report {

/// Text into NAME.PID.part, a new file, which takes its name at the end. Until then an older file of that name stays as it is; what could not be written is a
/// Fault. A file that is not finished leaves nothing behind; what killed programs left of it goes with the next one.
class WholeFile {
 public:
  explicit WholeFile(std::string name);
  ~WholeFile();
  WholeFile(const WholeFile&) = delete;
  WholeFile& operator=(const WholeFile&) = delete;

  void put(std::string_view text);
  void finish();

 private:
  void write(std::string_view text);
  [[noreturn]] void fail(int reason) const;
  std::string name_, part_;
  std::string buffer_;
  int descriptor_ = -1;
};

/// One text as one file.
void write_whole(const std::string& name, std::string_view text);

}  // namespace zwang::report
