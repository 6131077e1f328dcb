/// Files begun, opened and held.
#include "zwang/runs/held_file.hpp"

#include <fmt/format.h>

#include <new>

#include "zwang/error.hpp"

namespace zwang::runs {

namespace {

/// The journal that a killed program left beside a file that is now replaced.
void remove_journals(const std::string& path) {
  std::error_code code;
  for (const char* suffix : {"-journal", "-wal", "-shm"}) {
    std::filesystem::remove(path + suffix, code);
  }
}

}  // namespace

Begun::Begun(const std::string& path, FileKind kind) : name(path) {
  const std::filesystem::path wanted(path);
  std::error_code code;
  if (wanted.has_parent_path()) {
    std::filesystem::create_directories(wanted.parent_path(), code);
    if (!std::filesystem::is_directory(wanted.parent_path())) {
      throw Error({path, 0, 0},
                  fmt::format("cannot make the folder {}: {}; choose another one with --out",
                              wanted.parent_path().string(), code ? code.message() : "something else has this name"));
    }
  }

  // The wanted name, or the next one that no other program is writing at the moment.
  for (int number = 2;;) {
    held_ = std::make_unique<HeldFile>(name, O_RDWR | O_CREAT);
    if (!held_->is_open()) {
      refuse_file(name, fmt::format("cannot write the {} file", kind.noun), errno,
                  "; choose another folder with --out");
    }
    if (held_->hold()) {
      if (held_->has_name(name)) break;
      continue;
    }
    name =
        (wanted.parent_path() / fmt::format("{}-{}{}", wanted.stem().string(), number++, wanted.extension().string()))
            .string();
  }

  const bool fresh = held_->regular() && held_->empty();
  if (!held_->regular() || (!held_->empty() && !held_->is_of(kind.application, name))) {
    throw Error({name, 0, 0},
                fmt::format("this file is no {} of zwang and stays as it is: move it away, or choose another folder "
                            "with --out",
                            kind.noun));
  }
  trace_.unwanted = fresh;

  // What an older one left is cleared.
  remove_journals(name);
  if (!held_->empty() && !held_->clear()) {
    const std::string reason = std::strerror(errno);
    throw Fault({name, 0, 0}, fmt::format("cannot replace the older {}: {}", kind.noun, reason));
  }
  trace_.unwanted = true;
}

Begun::Trace::~Trace() {
  if (!unwanted) return;
  // A journal stays where undoing failed; without memory for its name it stays longer.
  try {
    remove_journals(name);
  } catch (const std::bad_alloc&) {
  }
  ::unlink(name.c_str());
}

std::unique_ptr<HeldFile> Begun::keep() {
  trace_.unwanted = false;
  return std::move(held_);
}

std::unique_ptr<HeldFile> held_file(const std::string& path, int flags, FileKind kind) {
  auto held = std::make_unique<HeldFile>(path, flags);
  if (!held->is_open()) {
    if (errno == ENOENT) throw Error({path, 0, 0}, fmt::format("there is no such {} file", kind.noun));
    refuse_file(path, fmt::format("cannot open the {} file", kind.noun), errno);
  }
  if (!held->regular() || held->empty()) {
    throw Error({path, 0, 0},
                held->regular()
                    ? fmt::format("this file is empty: the {} ended before anything was kept; start it anew", kind.noun)
                    : fmt::format("this is no {} file", kind.noun));
  }
  if ((flags & O_ACCMODE) != O_RDONLY && !held->hold()) {
    throw Error({path, 0, 0}, fmt::format("another {} is writing this file", kind.noun));
  }
  if (!held->is_of(kind.application, path)) {
    throw Error({path, 0, 0}, fmt::format("this file is no {} of zwang", kind.noun));
  }
  return held;
}

void require_whole(const HeldFile& file, const std::string& path, FileKind kind) {
  if (file.size() < file.promised()) {
    throw Fault({path, 0, 0}, fmt::format("this {} file is damaged: {} of {} bytes are there", kind.noun, file.size(),
                                          file.promised()));
  }
}

}  // namespace zwang::runs
