# Which Python the package is built for, and the tests run with: that of the system, whose numpy and pytest the
# packages of tools/packages.txt are. Another one: -DMSD_PYTHON=/path/to/python3
set(MSD_PYTHON "" CACHE FILEPATH "Python interpreter that the package is built for; empty: the system's")
if(MSD_PYTHON)
  set(Python3_EXECUTABLE "${MSD_PYTHON}")
elseif(NOT Python3_EXECUTABLE AND EXISTS "/usr/bin/python3")
  set(Python3_EXECUTABLE "/usr/bin/python3")
endif()
find_package(Python3 3.9 COMPONENTS Interpreter OPTIONAL_COMPONENTS Development.Module QUIET)

# msd_python_has(RESULT MODULE): can the interpreter import it?
function(msd_python_has result module)
  set(found NO)
  if(Python3_Interpreter_FOUND)
    execute_process(COMMAND "${Python3_EXECUTABLE}" -c "import ${module}" RESULT_VARIABLE code
      OUTPUT_QUIET ERROR_QUIET)
    if(code EQUAL 0)
      set(found YES)
    endif()
  endif()
  set(${result} ${found} PARENT_SCOPE)
endfunction()
