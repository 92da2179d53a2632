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
if(NOT output MATCHES "t = 0.0166667 s")
  message(FATAL_ERROR "the README's example printed: ${output}")
endif()
run("${work}/build/scene_example" "${work}/prefix/share/msd/scenes/demo.json")
if(NOT output MATCHES "demo: [0-9]+ bodies")
  message(FATAL_ERROR "the scene example printed: ${output}")
endif()
run("${work}/prefix/bin/msd" --version)
file(REMOVE_RECURSE "${work}")
