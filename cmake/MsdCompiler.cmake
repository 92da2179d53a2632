# One set of compiler rules for every target: see docs/conventions.md, "Same bits everywhere".
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()

add_library(msd_compiler INTERFACE)
add_library(msd::compiler ALIAS msd_compiler)
target_compile_features(msd_compiler INTERFACE cxx_std_20)
target_include_directories(msd_compiler INTERFACE
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/msd> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)

# Fused multiply-add is used only where it is written (std::fma, hwy::MulAdd), so that every
# compiler, optimisation level and vector width rounds alike. No -ffast-math anywhere.
target_compile_options(msd_compiler INTERFACE -ffp-contract=off)

# Explicit fma needs the instruction: x86-64-v3 (2013 onwards) is the floor; wider registers are
# chosen at run time.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  target_compile_options(msd_compiler INTERFACE -march=x86-64-v3)
endif()

add_library(msd_warnings INTERFACE)
target_compile_options(msd_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion -Wdouble-promotion
  -Wnon-virtual-dtor -Wold-style-cast -Woverloaded-virtual -Wnull-dereference -Werror
  # Designated initialisers name what differs from the default; the rest keeps its default.
  -Wno-missing-field-initializers
  $<$<CXX_COMPILER_ID:GNU>:-Wno-null-dereference;-Wno-maybe-uninitialized;-Wno-array-bounds;-Wno-stringop-overflow>
  # g++ means float to double; clang also double to long double, which the tests' oracles do on purpose.
  $<$<CXX_COMPILER_ID:Clang>:-Wno-missing-designated-field-initializers;-Wno-double-promotion>)

set(MSD_SANITIZE "" CACHE STRING "Sanitizers, e.g. address,undefined or thread")
if(MSD_SANITIZE)
  target_compile_options(msd_compiler INTERFACE -fsanitize=${MSD_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(msd_compiler INTERFACE -fsanitize=${MSD_SANITIZE})
  if(MSD_SANITIZE MATCHES "thread")
    # Tests that count or refuse memory replace operator new, which clang's runtime defines as well: the first counts.
    target_link_options(msd_compiler INTERFACE LINKER:--allow-multiple-definition)
  endif()
endif()

# Builds that look for mistakes check the standard library's preconditions and the engine's own (MSD_ASSERT).
if(MSD_SANITIZE OR CMAKE_BUILD_TYPE STREQUAL "Debug")
  target_compile_definitions(msd_compiler INTERFACE _GLIBCXX_ASSERTIONS MSD_CHECKED)
endif()

# What ships: addresses are random and tables of functions read-only from the first instruction on. Stack guards and
# checked string functions cost a little time, and are for packages: cmake --preset package.
add_link_options(LINKER:-z,relro,-z,now)
option(MSD_HARDEN "Stack guards and checked string functions in every function" OFF)
if(MSD_HARDEN)
  add_compile_options(-fstack-protector-strong -D_FORTIFY_SOURCE=2)
endif()

set(MSD_COVERAGE OFF CACHE BOOL "Count which lines the tests reach (clang)")
if(MSD_COVERAGE)
  add_compile_options(-fprofile-instr-generate -fcoverage-mapping)
  add_link_options(-fprofile-instr-generate)
endif()

# Fuzzing is guided by coverage, so the code under test is instrumented, not only the target's own.
if(MSD_BUILD_FUZZERS)
  target_compile_options(msd_compiler INTERFACE -fsanitize=fuzzer-no-link)
endif()

find_program(MSD_CCACHE ccache)
if(MSD_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # Precompiled headers are part of what the cache compares.
  set(CMAKE_CXX_COMPILER_LAUNCHER "${CMAKE_COMMAND};-E;env;CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime;${MSD_CCACHE}")
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    add_compile_options(-fpch-preprocess)
  endif()
endif()

set(MSD_OPTIMISATION "-O3" CACHE STRING "Optimisation of release builds; results are the same bits for all")
set(CMAKE_CXX_FLAGS_RELEASE "${MSD_OPTIMISATION} -DNDEBUG")
