/// A library to be loaded before all others (LD_PRELOAD), in which the n-th call of a kind fails as the system would let it fail: an allocation (no memory), a
/// write (disk full), a write that is cut short, a flush (input and output error), a rename, a removal, an opening, a
/// reading.
///
///   ZWANG_FAULT="KIND N"        the N-th call of that kind, counted from the beginning of main, fails
///   ZWANG_FAULT="KIND N on"     and all those after it
///   ZWANG_FAULT="KIND N each S [on]" the N-th and every S-th after it fails in a child of its own while the program itself goes on: for programs that write no
///                               file. What becomes of each child is a line in ZWANG_FAULT_REPORT: number, status or -signal, bytes on standard error
///   ZWANG_FAULT_BOTH=1          bytes on standard output count, too
///   ZWANG_FAULT_REPORT=FILE     at the end of the program: how many calls there were, and how many failed
///
/// A program that calls the library (Python) says instead when counting begins: zwang_fault_begin(kind, n, on), zwang_fault_end(). Where allocations of its own
/// must not fail, zwang_fault_only("NAME NAME ...") lets those alone count that come from loaded files with one of these words in their name.
/// Standard error is spared: what is said there is what the tests read.
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* old, std::size_t size);
void* __libc_memalign(std::size_t unit, std::size_t size);
}

namespace {

enum class Kind : int { none, alloc, write, cut, sync, rename, unlink, open, read };
constexpr const char* kind_names[] = {"none", "alloc", "write", "cut", "sync", "rename", "unlink", "open", "read"};

Kind kind = Kind::none;
bool armed = false;
bool on = false;
std::uint64_t each = 0;
std::uint64_t wanted = 0;
std::uint64_t calls = 0;
std::uint64_t failures = 0;
bool both = false;
int report = -1;
pid_t owner = 0;

/// Code whose allocations count; none: all.
struct Range {
  std::uintptr_t begin, end;
};
constexpr std::size_t most_ranges = 64;
Range ranges[most_ranges];
std::size_t range_count = 0;

constexpr unsigned patience = 20;  ///< seconds that a child may take

/// Lines without an allocation.
void tell(long long a, long long b, long long c) {
  char line[96];
  const int size = std::snprintf(line, sizeof line, "%lld %lld %lld\n", a, b, c);
  static const auto really = reinterpret_cast<ssize_t (*)(int, const void*, std::size_t)>(dlsym(RTLD_NEXT, "write"));
  if (really(report, line, static_cast<std::size_t>(size)) != size) _exit(99);
}

/// A child in which the call fails; the parent waits for it and goes on as if nothing had been. True in the child.
bool fail_in_child() {
  armed = false;
  const int words = memfd_create("words", 0);
  const pid_t child = fork();
  if (child == 0) {
    const int nothing = ::open("/dev/null", O_WRONLY);
    dup2(both ? words : nothing, STDOUT_FILENO);
    dup2(words, STDERR_FILENO);
    alarm(patience);
    each = 0;
    wanted = calls;
    armed = true;
    return true;
  }
  int status = 0;
  waitpid(child, &status, 0);
  const long long size = lseek(words, 0, SEEK_END);
  tell(static_cast<long long>(calls), WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status), size);
  ::close(words);
  armed = true;
  return false;
}

/// Is this the call that fails?
bool fails(Kind now) {
  if (!armed || now != kind) return false;
  ++calls;
  const bool chosen =
      each > 0 ? calls >= wanted && (calls - wanted) % each == 0 : calls == wanted || (on && calls > wanted);
  if (!chosen || (each > 0 && !fail_in_child())) return false;
  ++failures;
  return true;
}

/// The same of an allocation, which is asked for from `caller`.
bool fails_for(const void* caller) {
  if (!armed || kind != Kind::alloc) return false;
  const auto place = reinterpret_cast<std::uintptr_t>(caller);
  bool counts = range_count == 0;
  for (std::size_t k = 0; k < range_count; ++k) counts = counts || (ranges[k].begin <= place && place < ranges[k].end);
  return counts && fails(Kind::alloc);
}

/// The executable parts of a loaded file, if it is one of those that are named.
int note_ranges(dl_phdr_info* file, std::size_t /*size*/, void* names) {
  char words[256] = {};
  std::strncpy(words, static_cast<const char*>(names), sizeof words - 1);
  bool named = false;
  char* rest = nullptr;
  for (char* word = strtok_r(words, " ", &rest); word != nullptr; word = strtok_r(nullptr, " ", &rest)) {
    named = named || std::strstr(file->dlpi_name, word) != nullptr;
  }
  for (int k = 0; named && k < file->dlpi_phnum && range_count < most_ranges; ++k) {
    const ElfW(Phdr)& part = file->dlpi_phdr[k];
    if (part.p_type != PT_LOAD || (part.p_flags & PF_X) == 0) continue;
    const std::uintptr_t begin = file->dlpi_addr + part.p_vaddr;
    ranges[range_count++] = {begin, begin + part.p_memsz};
  }
  return 0;
}

template <typename Call>
Call next(const char* name) {
  return reinterpret_cast<Call>(dlsym(RTLD_NEXT, name));
}

void read_orders() {
  const char* orders = std::getenv("ZWANG_FAULT");
  if (orders == nullptr) return;
  char name[16] = {};
  char more[16] = {};
  char last[16] = {};
  unsigned long long number = 0;
  unsigned long long stride = 0;
  std::sscanf(orders, "%15s %llu %15s %llu %15s", name, &number, more, &stride, last);
  for (int k = 0; k < 9; ++k) {
    if (std::strcmp(name, kind_names[k]) == 0) kind = static_cast<Kind>(k);
  }
  wanted = number;
  on = std::strcmp(more, "on") == 0 || std::strcmp(last, "on") == 0;
  each = std::strcmp(more, "each") == 0 ? stride : 0;
  if (const char* file = std::getenv("ZWANG_FAULT_REPORT"))
    report = ::open(file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  both = std::getenv("ZWANG_FAULT_BOTH") != nullptr;
  owner = getpid();
}

__attribute__((destructor)) void conclude() {
  armed = false;
  if (report >= 0 && getpid() == owner) tell(-1, static_cast<long long>(calls), static_cast<long long>(failures));
}

using Main = int (*)(int, char**, char**);
Main real_main = nullptr;

int counted_main(int count, char** words, char** environment) {
  armed = kind != Kind::none;
  const int status = real_main(count, words, environment);
  armed = false;
  return status;
}

}  // namespace

extern "C" {

int __libc_start_main(Main main, int count, char** words, void (*init)(), void (*fini)(), void (*loader)(),
                      void* stack) {
  read_orders();
  real_main = main;
  using Start = int (*)(Main, int, char**, void (*)(), void (*)(), void (*)(), void*);
  return next<Start>("__libc_start_main")(counted_main, count, words, init, fini, loader, stack);
}

void zwang_fault_begin(int which, unsigned long long number, int from_then_on) {
  kind = static_cast<Kind>(which);
  wanted = number;
  on = from_then_on != 0;
  calls = 0;
  failures = 0;
  armed = true;
}

/// How many pieces of code were found.
int zwang_fault_only(const char* names) {
  range_count = 0;
  dl_iterate_phdr(note_ranges, const_cast<char*>(names));
  return static_cast<int>(range_count);
}

/// How many calls failed since.
unsigned long long zwang_fault_end() {
  armed = false;
  return failures;
}

unsigned long long zwang_fault_calls() { return calls; }

void* malloc(std::size_t size) {
  if (fails_for(__builtin_return_address(0))) {
    errno = ENOMEM;
    return nullptr;
  }
  return __libc_malloc(size);
}

void* calloc(std::size_t count, std::size_t size) {
  if (fails_for(__builtin_return_address(0))) {
    errno = ENOMEM;
    return nullptr;
  }
  return __libc_calloc(count, size);
}

void* realloc(void* old, std::size_t size) {
  if (size > 0 && fails_for(__builtin_return_address(0))) {
    errno = ENOMEM;
    return nullptr;
  }
  return __libc_realloc(old, size);
}

void* aligned_alloc(std::size_t unit, std::size_t size) {
  if (fails_for(__builtin_return_address(0))) {
    errno = ENOMEM;
    return nullptr;
  }
  return __libc_memalign(unit, size);
}

int posix_memalign(void** where, std::size_t unit, std::size_t size) {
  if (fails_for(__builtin_return_address(0))) return ENOMEM;
  *where = __libc_memalign(unit, size);
  return *where == nullptr ? ENOMEM : 0;
}

ssize_t write(int file, const void* bytes, std::size_t size) {
  static const auto really = next<ssize_t (*)(int, const void*, std::size_t)>("write");
  if (file != STDERR_FILENO && fails(Kind::write)) {
    errno = ENOSPC;
    return -1;
  }
  if (file != STDERR_FILENO && size > 1 && fails(Kind::cut)) size /= 2;
  return really(file, bytes, size);
}

ssize_t writev(int file, const struct iovec* parts, int count) {
  static const auto really = next<ssize_t (*)(int, const struct iovec*, int)>("writev");
  if (file != STDERR_FILENO && fails(Kind::write)) {
    errno = ENOSPC;
    return -1;
  }
  return really(file, parts, count);
}

ssize_t pwrite64(int file, const void* bytes, std::size_t size, off64_t where) {
  static const auto really = next<ssize_t (*)(int, const void*, std::size_t, off64_t)>("pwrite64");
  if (fails(Kind::write)) {
    errno = ENOSPC;
    return -1;
  }
  if (size > 1 && fails(Kind::cut)) size /= 2;
  return really(file, bytes, size, where);
}

ssize_t pwrite(int file, const void* bytes, std::size_t size, off_t where) {
  return pwrite64(file, bytes, size, where);
}

int ftruncate64(int file, off64_t size) {
  static const auto really = next<int (*)(int, off64_t)>("ftruncate64");
  if (fails(Kind::write)) {
    errno = EIO;
    return -1;
  }
  return really(file, size);
}

int ftruncate(int file, off_t size) { return ftruncate64(file, size); }

int fsync(int file) {
  static const auto really = next<int (*)(int)>("fsync");
  if (fails(Kind::sync)) {
    errno = EIO;
    return -1;
  }
  return really(file);
}

int fdatasync(int file) {
  static const auto really = next<int (*)(int)>("fdatasync");
  if (fails(Kind::sync)) {
    errno = EIO;
    return -1;
  }
  return really(file);
}

int rename(const char* from, const char* to) {
  static const auto really = next<int (*)(const char*, const char*)>("rename");
  if (fails(Kind::rename)) {
    errno = EIO;
    return -1;
  }
  return really(from, to);
}

int unlink(const char* name) {
  static const auto really = next<int (*)(const char*)>("unlink");
  if (fails(Kind::unlink)) {
    errno = EIO;
    return -1;
  }
  return really(name);
}

int remove(const char* name) {
  static const auto really = next<int (*)(const char*)>("remove");
  if (fails(Kind::unlink)) {
    errno = EIO;
    return -1;
  }
  return really(name);
}

ssize_t read(int file, void* bytes, std::size_t size) {
  static const auto really = next<ssize_t (*)(int, void*, std::size_t)>("read");
  if (fails(Kind::read)) {
    errno = EIO;
    return -1;
  }
  return really(file, bytes, size);
}

ssize_t pread64(int file, void* bytes, std::size_t size, off64_t where) {
  static const auto really = next<ssize_t (*)(int, void*, std::size_t, off64_t)>("pread64");
  if (fails(Kind::read)) {
    errno = EIO;
    return -1;
  }
  return really(file, bytes, size, where);
}

ssize_t pread(int file, void* bytes, std::size_t size, off_t where) { return pread64(file, bytes, size, where); }

int open64(const char* name, int flags, ...) {
  static const auto really = next<int (*)(const char*, int, ...)>("open64");
  va_list more;
  va_start(more, flags);
  const int mode = (flags & O_CREAT) != 0 ? va_arg(more, int) : 0;
  va_end(more);
  if (fails(Kind::open)) {
    errno = EMFILE;
    return -1;
  }
  return really(name, flags, mode);
}

int open(const char* name, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const int mode = (flags & O_CREAT) != 0 ? va_arg(more, int) : 0;
  va_end(more);
  return open64(name, flags, mode);
}

}  // extern "C"
