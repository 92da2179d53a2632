# What `cmake --install` puts where, and the package that find_package(msd) finds.
#
# A part that links something a user's project must find as well says so:
#   set_property(GLOBAL APPEND PROPERTY MSD_DEPENDENCIES SQLite3)
include(CMakePackageConfigHelpers)

get_property(msd_installed GLOBAL PROPERTY MSD_LIBRARIES)
# Studies and the view serve the tool; they have no public headers.
list(REMOVE_ITEM msd_installed msd_study msd_view)
foreach(target msd_compiler msd_sim)
  if(TARGET ${target} AND NOT ${target} IN_LIST msd_installed)
    list(APPEND msd_installed ${target})
  endif()
endforeach()
set_target_properties(msd_compiler PROPERTIES EXPORT_NAME compiler)
if(TARGET msd_sim)
  set_target_properties(msd_sim PROPERTIES EXPORT_NAME sim)
endif()

install(TARGETS ${msd_installed} EXPORT msdTargets ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}")
include(MsdPublicHeaders)
msd_public_headers(msd_headers)
install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/msd" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
foreach(header ${msd_headers})
  cmake_path(GET header PARENT_PATH folder)
  install(FILES "${PROJECT_SOURCE_DIR}/msd/${header}" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/${folder}")
endforeach()
install(DIRECTORY "${PROJECT_SOURCE_DIR}/scenes/" DESTINATION "${CMAKE_INSTALL_DATADIR}/msd/scenes"
  FILES_MATCHING PATTERN "*.json" PATTERN "robots/*")
install(DIRECTORY "${PROJECT_SOURCE_DIR}/studies/" DESTINATION "${CMAKE_INSTALL_DATADIR}/msd/studies"
  FILES_MATCHING PATTERN "*.json")
# README and pages keep their places to each other, so that their links lead somewhere.
set(msd_doc_dir "${CMAKE_INSTALL_DATADIR}/doc/msd-sim")
install(FILES "${PROJECT_SOURCE_DIR}/README.md" "${PROJECT_SOURCE_DIR}/CHANGELOG.md" DESTINATION "${msd_doc_dir}")
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION "${msd_doc_dir}" RENAME copyright)
install(DIRECTORY "${PROJECT_SOURCE_DIR}/docs" DESTINATION "${msd_doc_dir}"
  FILES_MATCHING PATTERN "*.md" PATTERN "*.html" PATTERN "*.svg" PATTERN "*.png")

get_property(MSD_DEPENDENCIES GLOBAL PROPERTY MSD_DEPENDENCIES)
list(PREPEND MSD_DEPENDENCIES Eigen3 hwy Qhull fmt Threads)
list(REMOVE_DUPLICATES MSD_DEPENDENCIES)
set(msd_package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/msd")
configure_package_config_file("${CMAKE_CURRENT_LIST_DIR}/msdConfig.cmake.in"
  "${PROJECT_BINARY_DIR}/msdConfig.cmake" INSTALL_DESTINATION "${msd_package_dir}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/msdConfigVersion.cmake"
  COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/msdConfig.cmake" "${PROJECT_BINARY_DIR}/msdConfigVersion.cmake"
  DESTINATION "${msd_package_dir}")
install(EXPORT msdTargets NAMESPACE msd:: DESTINATION "${msd_package_dir}")
