/// Files that the system refuses: by the name that somebody wrote, or by a fault that is nobody's.
#pragma once

#include <cerrno>
#include <cstring>
#include <string>

#include "zwang/error.hpp"

namespace zwang {

/// Is this about the name and whose it is? Everything else (no memory, too many files, a disk that cannot be read) lies outside of what was asked.
[[nodiscard]] inline bool is_about_the_name(int reason) {
  for (const int known : {ENOENT, ENOTDIR, EISDIR, EACCES, EPERM, EROFS, ELOOP, ENAMETOOLONG, EINVAL, ENXIO, ETXTBSY}) {
    if (reason == known) return true;
  }
  return false;
}

/// An Error or a Fault: "WHAT: the system's reason", and what may help.
[[noreturn]] inline void refuse_file(const std::string& name, const std::string& what, int reason,
                                     const std::string& help = {}) {
  const std::string message = what + ": " + std::strerror(reason) + help;
  if (is_about_the_name(reason)) throw Error({name, 0, 0}, message);
  throw Fault({name, 0, 0}, message);
}

}  // namespace zwang
