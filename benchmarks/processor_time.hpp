/// Processor time of a program, which others on the machine disturb less than the clock.
#pragma once

#include <sys/resource.h>

/// Of all its threads, or (Linux) of this one.
inline double processor_seconds(int whose = RUSAGE_SELF) {
  rusage used{};
  getrusage(whose, &used);
  return static_cast<double>(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
         1e-6 * static_cast<double>(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
}
