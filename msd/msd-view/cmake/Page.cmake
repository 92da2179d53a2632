# Builds the page (TypeScript, three.js, vite) with npm and turns it into one assembled source file.
# The page is built below the build folder, so that a checkout stays clean and may be read-only.
# Where npm is missing, or its packages cannot be had, that is an error; with MSD_WITHOUT_PAGE a page that
# says so is built in instead, without npm.
set(page_source "${CMAKE_CURRENT_SOURCE_DIR}/web")
set(MSD_PAGE_DIR "${CMAKE_CURRENT_BINARY_DIR}/web")
set(MSD_PAGE_SOURCE "${CMAKE_CURRENT_BINARY_DIR}/PageFiles.cpp")

find_program(MSD_NPM npm)
if(NOT MSD_NPM AND NOT MSD_WITHOUT_PAGE)
  message(FATAL_ERROR "npm was not found, which builds the page of msd view (Debian: apt-get install nodejs npm). "
    "-DMSD_WITHOUT_PAGE=ON builds msd without the page, -DMSD_BUILD_VIEW=OFF without msd view.")
endif()

file(GLOB_RECURSE page_files CONFIGURE_DEPENDS
  "${page_source}/src/*" "${page_source}/public/*" "${page_source}/*.html")
list(APPEND page_files "${page_source}/package.json" "${page_source}/package-lock.json"
  "${page_source}/tsconfig.json" "${page_source}/vite.config.ts")

add_custom_command(
  OUTPUT "${MSD_PAGE_SOURCE}"
  COMMAND ${CMAKE_COMMAND} "-DNPM=${MSD_NPM}" "-DSOURCE=${page_source}" "-DWORK=${MSD_PAGE_DIR}"
    "-DOUTPUT=${MSD_PAGE_SOURCE}" "-DWITHOUT_PAGE=${MSD_WITHOUT_PAGE}" -P "${CMAKE_CURRENT_SOURCE_DIR}/cmake/BuildPage.cmake"
  DEPENDS ${page_files} "${CMAKE_CURRENT_SOURCE_DIR}/cmake/BuildPage.cmake"
    "${CMAKE_CURRENT_SOURCE_DIR}/cmake/no-page.html"
  COMMENT "Building the page of msd view"
  VERBATIM)
add_custom_target(msd_page DEPENDS "${MSD_PAGE_SOURCE}")
