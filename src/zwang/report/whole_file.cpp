/// Written beside, then renamed.
#include "zwang/report/whole_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <utility>

#include "zwang/error.hpp"

namespace zwang::report {

namespace {

constexpr std::size_t at_once = 1U << 18U;  ///< bytes that go to the system together

/// What programs that were killed left of a file: NAME.PID.part with no such process.
void remove_remains(const std::filesystem::path& name) {
  const std::string head = name.filename().string() + ".";
  const std::string tail = ".part";
  const std::filesystem::path folder = name.has_parent_path() ? name.parent_path() : ".";
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(folder, ignored)) {
    const std::string found = entry.path().filename().string();
    if (found.size() <= head.size() + tail.size() || !found.starts_with(head) || !found.ends_with(tail)) {
      continue;
    }
    const std::string number = found.substr(head.size(), found.size() - head.size() - tail.size());
    if (number.size() > 9 || number.find_first_not_of("0123456789") != std::string::npos) {
      continue;
    }
    if (kill(std::stoi(number), 0) != 0 && errno == ESRCH) {
      std::filesystem::remove(entry.path(), ignored);
    }
  }
}

/// A new file: one that is there already, or a link, is not written through. What has this name and number is a remainder of ours.
int make_new(const char* name) {
  constexpr int flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC;
  const int made = ::open(name, flags, 0666);
  if (made >= 0 || errno != EEXIST || ::unlink(name) != 0) return made;
  return ::open(name, flags, 0666);
}

}  // namespace

WholeFile::WholeFile(std::string name)
    : name_(std::move(name)), part_(fmt::format("{}.{}.part", name_, getpid())), descriptor_(make_new(part_.c_str())) {
  if (descriptor_ < 0) fail(errno);
  buffer_.reserve(at_once);
}

WholeFile::~WholeFile() {
  if (descriptor_ >= 0) {
    ::close(descriptor_);
    ::unlink(part_.c_str());
  }
}

void WholeFile::fail(int reason) const {
  throw Fault({name_, 0, 0}, fmt::format("cannot write the file: {}", std::strerror(reason)));
}

void WholeFile::put(std::string_view text) {
  if (buffer_.size() + text.size() > at_once) {
    write(buffer_);
    buffer_.clear();
  }
  if (text.size() > at_once) {
    write(text);
  } else {
    buffer_ += text;
  }
}

void WholeFile::write(std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = ::write(descriptor_, text.data(), text.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail(errno);
    text.remove_prefix(static_cast<std::size_t>(count));
  }
}

void WholeFile::finish() {
  write(buffer_);
  // Some file systems say only now that there is no room.
  if (::close(descriptor_) != 0) {
    const int reason = errno;
    descriptor_ = -1;
    ::unlink(part_.c_str());
    fail(reason);
  }
  descriptor_ = -1;
  if (std::rename(part_.c_str(), name_.c_str()) != 0) {
    const int reason = errno;
    ::unlink(part_.c_str());
    fail(reason);
  }
  remove_remains(name_);
}

void write_whole(const std::string& name, std::string_view text) {
  WholeFile file(name);
  file.put(text);
  file.finish();
}

}  // namespace zwang::report
