/// Compression by zlib.
#include <zlib.h>

#include <cassert>
#include <new>

#include "zwang/report/pack.hpp"

namespace zwang::report {

std::string compress(std::string_view whole) {
  uLongf size = compressBound(static_cast<uLong>(whole.size()));
  std::string out(size, '\0');
  const int status = compress2(reinterpret_cast<Bytef*>(out.data()), &size,
                               reinterpret_cast<const Bytef*>(whole.data()), static_cast<uLong>(whole.size()), 6);
  if (status == Z_MEM_ERROR) {
    throw std::bad_alloc();
  }
  assert(status == Z_OK);
  out.resize(size);
  return out;
}

}  // namespace zwang::report
