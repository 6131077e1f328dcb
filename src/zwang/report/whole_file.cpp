/// Written beside, then renamed.
#include "zwang/report/whole_file.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <new>
#include <utility>

#include "zwang/error.hpp"

namespace zwang::report {

namespace {

constexpr std::size_t at_once = 1U << 18U;  ///< bytes that go to the system together

/// What programs that were killed left of a file: NAME.PID.part with no such process. (By the system's own calls: those of the library
/// end the program when there is no memory for the next name.)
void remove_remains(const std::filesystem::path& name) {
  const std::string head = name.filename().string() + ".";
  const std::string_view tail = ".part";
  const std::filesystem::path above = name.has_parent_path() ? name.parent_path() : ".";
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(::opendir(above.c_str()), ::closedir);
  if (!folder) return;
  // One thread writes one file, and the list of the folder is its own.
  while (const dirent* entry = ::readdir(folder.get())) {  // NOLINT(concurrency-mt-unsafe)
    std::string_view number = static_cast<const char*>(entry->d_name);
    if (number.size() <= head.size() + tail.size() || !number.starts_with(head) || !number.ends_with(tail)) {
      continue;
    }
    number.remove_prefix(head.size());
    number.remove_suffix(tail.size());
    int process = 0;
    const auto [end, trouble] = std::from_chars(number.data(), number.data() + number.size(), process);
    if (trouble != std::errc() || end != number.data() + number.size() || process <= 0) {
      continue;
    }
    if (kill(process, 0) != 0 && errno == ESRCH) {
      ::unlink((above / static_cast<const char*>(entry->d_name)).c_str());
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

WholeFile::WholeFile(std::string name) : name_(std::move(name)), part_(fmt::format("{}.{}.part", name_, getpid())) {
  // Memory first: a file that is there needs somebody who removes it.
  buffer_.reserve(at_once);
  descriptor_ = make_new(part_.c_str());
  if (descriptor_ < 0) fail(errno);
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
  // The file is there, whatever becomes of others.
  try {
    remove_remains(name_);
  } catch (const std::bad_alloc&) {
    return;
  }
}

void write_whole(const std::string& name, std::string_view text) {
  WholeFile file(name);
  file.put(text);
  file.finish();
}

}  // namespace zwang::report
