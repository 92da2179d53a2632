# Headers that nearly every file of a library reads are read once for it. MSD_PRECOMPILE=OFF shows missing includes.
option(MSD_PRECOMPILE "Read the common headers of a library once" ON)

# msd_precompile(NAME HEADER): the headers that HEADER in cmake/precompiled names, for a target of many files.
function(msd_precompile name header)
  if(MSD_PRECOMPILE AND NOT MSD_SANITIZE AND NOT MSD_COVERAGE)
    target_precompile_headers(${name} PRIVATE "$<$<COMPILE_LANGUAGE:CXX>:${PROJECT_SOURCE_DIR}/cmake/precompiled/${header}.hpp>")
  endif()
endfunction()

# Most of a small file's seconds are its headers, so that files of a library are compiled several at a time. clang, which also
# looks for missing includes and for what clang-tidy knows, takes each by itself.
set(together ON)
if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU" OR MSD_COVERAGE)
  set(together OFF)
endif()
option(MSD_TOGETHER "Compile the files of a library several at a time" ${together})

# msd_together(RESULT NAME EACH FILES... [ALONE FILES...]): RESULT is what to compile in the place of FILES: files that include EACH of
# them, and those that stay alone. They are included by their place below msd/, so that caches find them from any checkout.
function(msd_together result name each)
  cmake_parse_arguments(arg "" "" "FILES;ALONE" ${ARGN})
  if(NOT MSD_TOGETHER OR each LESS 2)
    set(${result} ${arg_FILES} ${arg_ALONE} PARENT_SCOPE)
    return()
  endif()
  file(RELATIVE_PATH folder "${PROJECT_SOURCE_DIR}/msd" "${CMAKE_CURRENT_SOURCE_DIR}")
  set(sources ${arg_ALONE})
  set(number 0)
  while(arg_FILES)
    math(EXPR number "${number} + 1")
    list(SUBLIST arg_FILES 0 ${each} some)
    list(REMOVE_ITEM arg_FILES ${some})
    list(TRANSFORM some REPLACE "(.+)" "#include \"${folder}/\\1\"\n" OUTPUT_VARIABLE content)
    list(JOIN content "" content)
    set(file "${CMAKE_CURRENT_BINARY_DIR}/together/${name}_${number}.cpp")
    file(CONFIGURE OUTPUT "${file}" CONTENT "${content}" @ONLY)
    list(APPEND sources "${file}")
  endwhile()
  set(${result} ${sources} PARENT_SCOPE)
endfunction()

# msd_quick(NAME): what it computes by itself is not worth the minutes that the optimiser takes for it. Bits do not
# depend on the optimisation.
function(msd_quick name)
  if(MSD_OPTIMISATION STREQUAL "-O3")
    target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:-O1>)
  endif()
endfunction()

# msd_library(NAME [TOOL] [EACH n] SOURCES... [ALONE SOURCES...] LINK public libs... PRIVATE private libs...)
# One static library per folder. It links only what lies below it, so that an upward call fails to link. A TOOL reads and writes
# files and talks to people. SOURCES are compiled EACH of them at a time, those named under ALONE by themselves.
function(msd_library name)
  cmake_parse_arguments(arg "TOOL" "EACH" "SOURCES;ALONE;LINK;PRIVATE" ${ARGN})
  if(NOT arg_EACH)
    set(arg_EACH 1)
  endif()
  msd_together(sources ${name} ${arg_EACH} FILES ${arg_SOURCES} ALONE ${arg_ALONE})
  add_library(${name} STATIC ${sources})
  list(LENGTH sources files)
  if(arg_TOOL)
    msd_quick(${name})
  endif()
  if(files GREATER 12 AND arg_TOOL)
    msd_precompile(${name} tool)
  elseif(files GREATER 12)
    msd_precompile(${name} engine)
  endif()
  string(REGEX REPLACE "^msd_" "" short ${name})
  add_library(msd::${short} ALIAS ${name})
  set_target_properties(${name} PROPERTIES EXPORT_NAME ${short})
  target_link_libraries(${name} PUBLIC msd::compiler ${arg_LINK} PRIVATE $<BUILD_INTERFACE:msd_warnings> ${arg_PRIVATE})
  set_property(GLOBAL APPEND PROPERTY MSD_LIBRARIES ${name})
endfunction()

# msd_test_headers(NAME): the common headers of tests, read once for all of them.
function(msd_test_headers name)
  if(NOT MSD_PRECOMPILE OR MSD_SANITIZE OR MSD_COVERAGE)
    return()
  endif()
  if(NOT TARGET msd_test_headers)
    # A program, as the tests are: headers that were compiled for a library are not taken.
    file(CONFIGURE OUTPUT "${CMAKE_BINARY_DIR}/test_headers.cpp" CONTENT "int main() {}\n")
    add_executable(msd_test_headers "${CMAKE_BINARY_DIR}/test_headers.cpp")
    set_target_properties(msd_test_headers PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/test")
    msd_quick(msd_test_headers)
    target_link_libraries(msd_test_headers PRIVATE msd::compiler msd_warnings Eigen3::Eigen GTest::gtest GTest::gmock)
    msd_precompile(msd_test_headers test)
  endif()
  target_precompile_headers(${name} REUSE_FROM msd_test_headers)
endfunction()

# msd_test(NAME SOURCES... LINK libs... [TIMEOUT seconds] [LABELS ...])
# One GoogleTest executable; ctest sees each of its tests.
function(msd_test name)
  if(NOT MSD_BUILD_TESTS)
    return()
  endif()
  cmake_parse_arguments(arg "" "TIMEOUT" "SOURCES;LINK;LABELS" ${ARGN})
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 300)
  endif()
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE ${arg_LINK} msd_warnings GTest::gtest GTest::gmock GTest::gtest_main)
  msd_quick(${name})
  msd_test_headers(${name})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/test")
  # Discovery flattens lists: a property may have one value only, and none may be empty.
  set(labels)
  if(arg_LABELS)
    set(labels LABELS "${arg_LABELS}")
  endif()
  gtest_discover_tests(${name} DISCOVERY_TIMEOUT 60
    PROPERTIES TIMEOUT ${arg_TIMEOUT} ${labels}
    ENVIRONMENT "MSD_SOURCE_DIR=${PROJECT_SOURCE_DIR}"
    ENVIRONMENT_MODIFICATION "MSD_BINARY_DIR=set:${CMAKE_BINARY_DIR}")
endfunction()

# msd_fuzzer(NAME SOURCES... LINK libs... [CORPUS folders or files...]): a libFuzzer target, built with clang when
# MSD_BUILD_FUZZERS is on. Where tests are built, a test replays the corpus through the same function.
function(msd_fuzzer name)
  cmake_parse_arguments(arg "" "" "SOURCES;LINK;CORPUS" ${ARGN})
  if(MSD_BUILD_FUZZERS)
    add_executable(${name} ${arg_SOURCES})
    target_link_libraries(${name} PRIVATE ${arg_LINK} msd_warnings)
    target_link_options(${name} PRIVATE -fsanitize=fuzzer)
    set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/fuzz")
  elseif(MSD_BUILD_TESTS AND arg_CORPUS)
    add_executable(${name}_replay ${arg_SOURCES} "${PROJECT_SOURCE_DIR}/tests/fuzz/Replay.cpp")
    target_link_libraries(${name}_replay PRIVATE ${arg_LINK} msd_warnings)
    set_target_properties(${name}_replay PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/test")
    list(TRANSFORM arg_CORPUS PREPEND "${CMAKE_CURRENT_SOURCE_DIR}/")
    add_test(NAME Corpus.${name} COMMAND ${name}_replay ${arg_CORPUS})
    set_tests_properties(Corpus.${name} PROPERTIES TIMEOUT 300 LABELS fuzz)
  endif()
endfunction()
