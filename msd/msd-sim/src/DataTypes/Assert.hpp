#pragma once

#include <cstdio>
#include <cstdlib>

/// Ends the program with file, line and condition where what the engine itself has made is not as it must be. In
/// debug and sanitizer builds alone: in what ships, the condition is not evaluated.
#if defined(NDEBUG) && !defined(MSD_CHECKED)
#define MSD_ASSERT(condition) static_cast<void>(0)
#else
#define MSD_ASSERT(condition)                                                                  \
  ((condition) ? static_cast<void>(0)                                                          \
               : (std::fprintf(stderr, "%s:%d: assertion failed: %s\n", __FILE__, __LINE__, #condition), \
                  std::abort()))
#endif
