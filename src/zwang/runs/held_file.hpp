/// A file that a program writes: held against other programs, and known by the header of its database.
#pragma once

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>

#include "zwang/base/refusal.hpp"

namespace zwang::runs {

/// A file of the system that is held against other runs as long as this object lives.
class HeldFile {
 public:
  HeldFile(const std::string& path, int flags) : descriptor_(::open(path.c_str(), flags | O_CLOEXEC, 0666)) {}
  ~HeldFile() {
    if (descriptor_ >= 0) {
      ::close(descriptor_);
    }
  }
  HeldFile(const HeldFile&) = delete;
  HeldFile& operator=(const HeldFile&) = delete;

  [[nodiscard]] bool is_open() const { return descriptor_ >= 0; }
  /// False when another process holds it; file systems that know no locks count as ours.
  [[nodiscard]] bool hold() const { return ::flock(descriptor_, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK; }
  [[nodiscard]] bool empty() const { return size() == 0; }
  [[nodiscard]] std::uint64_t size() const {
    struct stat status = {};
    return ::fstat(descriptor_, &status) == 0 ? static_cast<std::uint64_t>(status.st_size) : 0;
  }
  [[nodiscard]] bool regular() const {
    struct stat status = {};
    return ::fstat(descriptor_, &status) == 0 && S_ISREG(status.st_mode);
  }
  /// Is it a file of this application, by the header that every SQLite file begins with?
  [[nodiscard]] bool is_of(std::uint32_t application, const std::string& path) const {
    std::array<char, 100> header{};
    const ssize_t count = ::pread(descriptor_, header.data(), header.size(), 0);
    if (count < 0) refuse_file(path, "cannot read the file", errno);
    if (count != static_cast<ssize_t>(header.size())) return false;
    return std::memcmp(header.data(), "SQLite format 3", 16) == 0 && big_endian(header.data() + 68) == application;
  }
  /// Bytes that its header promises, 0 if it does not say.
  [[nodiscard]] std::uint64_t promised() const {
    std::array<char, 100> header{};
    if (::pread(descriptor_, header.data(), header.size(), 0) != static_cast<ssize_t>(header.size()) ||
        big_endian(header.data() + 24) != big_endian(header.data() + 92)) {
      return 0;
    }
    const std::uint64_t page = (big_endian(header.data() + 14) & 0xFFFFU);
    return (page == 1 ? 65536 : page) * big_endian(header.data() + 28);
  }
  [[nodiscard]] bool clear() const { return ::ftruncate(descriptor_, 0) == 0; }
  /// Is it still what has this name? Somebody may have taken it away before it was held.
  [[nodiscard]] bool has_name(const std::string& path) const {
    struct stat here = {};
    struct stat there = {};
    return ::fstat(descriptor_, &here) == 0 && ::stat(path.c_str(), &there) == 0 && here.st_dev == there.st_dev &&
           here.st_ino == there.st_ino;
  }

 private:
  static std::uint32_t big_endian(const char* bytes) {
    std::uint32_t value = 0;
    for (int i = 0; i < 4; ++i) {
      value = value << 8U | static_cast<unsigned char>(bytes[i]);
    }
    return value;
  }
  int descriptor_ = -1;
};

/// What kind of file: its mark in the header, and its name in errors ("run", "sweep").
struct FileKind {
  std::uint32_t application = 0;
  const char* noun = "";
};

/// A new file, its folder made if need be: an older one of its kind is cleared, any other is an Error. When another program is writing that very file, name-2,
/// name-3, ... is taken. As long as it is not kept it goes again with whoever began it, before another can hold it.
class Begun {
 public:
  Begun(const std::string& path, FileKind kind);
  ~Begun() = default;
  Begun(const Begun&) = delete;
  Begun& operator=(const Begun&) = delete;

  /// Something is in it now.
  [[nodiscard]] std::unique_ptr<HeldFile> keep();
  std::string name;  ///< that it got

 private:
  /// Takes the file away, also where its beginning itself fails.
  struct Trace {
    const std::string& name;
    bool unwanted = false;
    ~Trace();
  };
  std::unique_ptr<HeldFile> held_;
  Trace trace_{name};
};

/// An existing file of its kind, to be written (and held) or to be read; an Error if it is none.
[[nodiscard]] std::unique_ptr<HeldFile> held_file(const std::string& path, int flags, FileKind kind);
/// A Fault if bytes are missing that its header promises.
void require_whole(const HeldFile& file, const std::string& path, FileKind kind);
}  // namespace zwang::runs
