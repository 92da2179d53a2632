# Run by cmake -P: builds the page in WORK and writes OUTPUT, a C++ file that holds its files.
# NPM: the program; SOURCE: the folder of the page; WITHOUT_PAGE: a page that says that there is none.
file(MAKE_DIRECTORY "${WORK}")
set(built no)
set(reason "msd was built without it (MSD_WITHOUT_PAGE)")
set(instead "-DMSD_WITHOUT_PAGE=ON builds msd without the page.")

if(NOT WITHOUT_PAGE)
  if(NOT NPM)
    message(FATAL_ERROR "npm is missing, which builds the page of msd view. ${instead}")
  endif()
  file(COPY "${SOURCE}/" DESTINATION "${WORK}"
    PATTERN node_modules EXCLUDE PATTERN dist EXCLUDE)
  # Packages are installed anew only when the list of them has changed.
  file(SHA256 "${SOURCE}/package-lock.json" lock)
  set(stamp "${WORK}/node_modules/.msd-lock")
  set(installed "")
  if(EXISTS "${stamp}")
    file(READ "${stamp}" installed)
  endif()
  if(NOT installed STREQUAL lock)
    execute_process(COMMAND "${NPM}" ci --ignore-scripts --no-audit --no-fund --loglevel=error
      WORKING_DIRECTORY "${WORK}" RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
    if(NOT result EQUAL 0)
      message(FATAL_ERROR "npm could not install the packages of the page of msd view. ${instead}\n${output}")
    endif()
    file(WRITE "${stamp}" "${lock}")
  endif()
  execute_process(COMMAND "${NPM}" run --silent build
    WORKING_DIRECTORY "${WORK}" RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "the page could not be built:\n${output}")
  endif()
  set(built yes)
endif()

set(dist "${WORK}/dist")
if(NOT built)
  file(REMOVE_RECURSE "${dist}")
  get_filename_component(here "${CMAKE_SCRIPT_MODE_FILE}" DIRECTORY)
  file(READ "${here}/no-page.html" page)
  string(REPLACE "@REASON@" "${reason}" page "${page}")
  file(WRITE "${dist}/index.html" "${page}")
endif()

# The assembler includes the files as they are: no megabytes of numbers for the compiler to read.
set(types_html "text/html; charset=utf-8")
set(types_js "text/javascript; charset=utf-8")
set(types_css "text/css; charset=utf-8")
set(types_svg "image/svg+xml")
set(types_png "image/png")
set(types_json "application/json")
set(types_webmanifest "application/manifest+json")
file(GLOB_RECURSE files RELATIVE "${dist}" "${dist}/*")
list(SORT files)
set(assembly "")
set(symbols "")
set(entries "")
set(number 0)
foreach(file ${files})
  get_filename_component(extension "${file}" LAST_EXT)
  string(SUBSTRING "${extension}" 1 -1 extension)
  set(type "${types_${extension}}")
  if(NOT type)
    set(type "application/octet-stream")
  endif()
  set(name "msd_page_file_${number}")
  string(APPEND assembly
    "asm(\".section .rodata\\n\"\n    \".global ${name}\\n${name}:\\n.incbin \\\"${dist}/${file}\\\"\\n\"\n"
    "    \".global ${name}_end\\n${name}_end:\\n.byte 0\\n.previous\\n\");\n")
  string(APPEND symbols "extern \"C\" const char ${name}[];\nextern \"C\" const char ${name}_end[];\n")
  string(APPEND entries
    "    BundleFile{\"/${file}\", \"${type}\",\n     {${name}, static_cast<std::size_t>(${name}_end - ${name})}},\n")
  math(EXPR number "${number} + 1")
endforeach()
if(built)
  set(truth true)
else()
  set(truth false)
endif()
string(TIMESTAMP now "%s")
file(WRITE "${OUTPUT}" "// Written by BuildPage.cmake at ${now}.
#include <array>

#include \"msd-view/src/Bundle.hpp\"

${assembly}
${symbols}
namespace msd_view {

std::span<const BundleFile> bundle() {
  static const std::array<BundleFile, ${number}> files{{
${entries}  }};
  return files;
}

bool isPageBuilt() {
  return ${truth};
}

}  // namespace msd_view
")
