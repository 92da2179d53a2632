# Installs into a folder of its own, builds the project in outside/ against that, and runs it.
set(work "${BINARY_DIR}/package test")
file(REMOVE_RECURSE "${work}")
file(MAKE_DIRECTORY "${work}")

function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE code OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT code EQUAL 0)
    message(FATAL_ERROR "failed: ${ARGN}\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

run("${CMAKE_COMMAND}" --install "${BINARY_DIR}" --prefix "${work}/prefix")

if(PYTHON)
  run("${PYTHON}" "${CMAKE_CURRENT_LIST_DIR}/check_headers.py" "${work}/prefix" --compiler "${COMPILER}"
    --promised "${CMAKE_CURRENT_LIST_DIR}/installed_headers.txt" --flag=-march=x86-64-v3 "--flag=-isystem${EIGEN}")
  message(STATUS "${output}")
endif()

# The first C++ block of the README is the program.
file(READ "${SOURCE_DIR}/README.md" readme)
string(REGEX MATCH "```cpp\n([^`]*)```" found "${readme}")
if(NOT found)
  message(FATAL_ERROR "README.md has no C++ example")
endif()
set(example "${CMAKE_MATCH_1}")
file(WRITE "${work}/project/readme_example.cpp" "${example}")
file(COPY "${CMAKE_CURRENT_LIST_DIR}/outside/" DESTINATION "${work}/project")

run("${CMAKE_COMMAND}" -S "${work}/project" -B "${work}/build" -G "${GENERATOR}"
  "-DCMAKE_PREFIX_PATH=${work}/prefix" "-DCMAKE_CXX_COMPILER=${COMPILER}" -DCMAKE_BUILD_TYPE=Release)
run("${CMAKE_COMMAND}" --build "${work}/build")

run("${work}/build/readme_example")
# A cube of a tonne stands on the floor.
if(NOT output MATCHES "t = 0.0166667 s: the floor carries 9810 N")
  message(FATAL_ERROR "the README's example printed: ${output}")
endif()
run("${work}/build/scene_example" "${work}/prefix/share/msd/scenes/demo.json")
if(NOT output MATCHES "demo: [0-9]+ bodies")
  message(FATAL_ERROR "the scene example printed: ${output}")
endif()
run("${work}/prefix/bin/msd" --version)
# The way it shows leads to files that were installed.
run("${work}/prefix/bin/msd")
foreach(place share/msd/scenes/demo.json share/doc/msd-sim/docs)
  string(FIND "${output}" "${work}/prefix/${place}" found)
  if(found EQUAL -1 OR NOT EXISTS "${work}/prefix/${place}")
    message(FATAL_ERROR "msd alone does not show the way to the installed ${place}: ${output}")
  endif()
endforeach()
if(NOT EXISTS "${work}/prefix/share/doc/msd-sim/docs/scene-format.md")
  message(FATAL_ERROR "the documentation was not installed")
endif()
file(REMOVE_RECURSE "${work}")
