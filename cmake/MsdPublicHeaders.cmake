# The headers that are installed: the public ones, include/msd/*.hpp, and what they include, nothing else.
#
# msd_public_headers(RESULT): paths of the internal headers that the public ones need, relative to msd/.
function(msd_public_headers result)
  file(GLOB waiting CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/include/msd/*.hpp")
  set(found)
  while(waiting)
    list(POP_FRONT waiting header)
    file(STRINGS "${header}" lines REGEX "^#include \"msd-")
    foreach(line ${lines})
      string(REGEX REPLACE "^#include \"([^\"]+)\".*" "\\1" path "${line}")
      if(NOT path IN_LIST found)
        list(APPEND found "${path}")
        list(APPEND waiting "${PROJECT_SOURCE_DIR}/msd/${path}")
      endif()
    endforeach()
    # Another include in one of them changes what is installed.
    set_property(DIRECTORY "${PROJECT_SOURCE_DIR}" APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${header}")
  endwhile()
  list(SORT found)
  set(${result} "${found}" PARENT_SCOPE)
endfunction()
