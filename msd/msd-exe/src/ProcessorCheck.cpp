// The rest of the program is compiled for processors of 2013 and later (docs/conventions.md, "Same bits everywhere").
// An older one gets one line in place of an illegal instruction: this runs before any other code of ours, and is itself
// compiled for all.
#include <unistd.h>

#include <cstring>

#if defined(__x86_64__)
namespace {

void write(const char* text) {
  // What cannot be said cannot be helped.
  if (::write(STDERR_FILENO, text, std::strlen(text)) < 0) return;
}

// The first number of those that programs may choose: before every other constructor.
__attribute__((constructor(101))) void checkProcessor() {
  __builtin_cpu_init();
  const char* missing = nullptr;
  if (!__builtin_cpu_supports("bmi2")) missing = "BMI2";
  if (!__builtin_cpu_supports("fma")) missing = "FMA";
  if (!__builtin_cpu_supports("avx2")) missing = "AVX2";
  if (missing == nullptr) return;
  write("msd: this processor has no ");
  write(missing);
  write(" instructions; expected one of x86-64-v3 (Intel Haswell, AMD Zen or later)\n");
  ::_exit(1);
}

}  // namespace
#endif
