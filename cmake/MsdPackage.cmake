# `cpack` (in the build folder) makes Debian packages:
#   msd-sim        tool, libraries, headers, CMake package, scenes, documentation, manual page and completion
#   python3-msd    the Python package, where it was built
#   msd-sim-peers  the adapters through which `msd bench` runs other engines, where any was built; it alone depends on those
#   msd-sim-mpi    `msd-mpi`, where MPI was found; it alone depends on it
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME msd-sim)
set(CPACK_PACKAGE_VERSION "${PROJECT_VERSION}")
set(CPACK_PACKAGE_VENDOR "msd-sim")
set(CPACK_PACKAGE_CONTACT "the msd-sim developers <noreply@msd-sim.invalid>")
set(CPACK_PACKAGING_INSTALL_PREFIX "/usr")
set(CPACK_PACKAGE_DIRECTORY "${PROJECT_BINARY_DIR}/package")
set(CPACK_RESOURCE_FILE_LICENSE "${PROJECT_SOURCE_DIR}/LICENSE")
set(CPACK_STRIP_FILES ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)

set(CPACK_COMPONENTS_ALL main)
set(CPACK_DEBIAN_MAIN_PACKAGE_NAME msd-sim)
set(CPACK_DEBIAN_MAIN_DESCRIPTION
  "The tool msd, the libraries with their headers and CMake package (find_package(msd)), example scenes and the documentation.")
# What a project that links the static libraries must find; what the tool itself needs is asked from the binary.
set(CPACK_DEBIAN_MAIN_PACKAGE_RECOMMENDS "libeigen3-dev, libhwy-dev, libqhull-dev, libfmt-dev, libtinyxml2-dev, libsqlite3-dev, libboost-dev, nlohmann-json3-dev")
set(CPACK_DEBIAN_MAIN_PACKAGE_SUGGESTS msd-sim-peers)

get_property(msd_peers GLOBAL PROPERTY MSD_PEERS)
if(msd_peers)
  list(APPEND CPACK_COMPONENTS_ALL peers)
  list(JOIN msd_peers ", " msd_peers)
  set(CPACK_DEBIAN_PEERS_PACKAGE_NAME msd-sim-peers)
  set(CPACK_DEBIAN_PEERS_DESCRIPTION
    "Small programs through which msd bench runs its scenes on other engines: ${msd_peers}.")
  set(CPACK_DEBIAN_PEERS_PACKAGE_DEPENDS "msd-sim (= ${PROJECT_VERSION})")
  set(CPACK_DEBIAN_PEERS_PACKAGE_ENHANCES msd-sim)
endif()

get_property(msd_has_python GLOBAL PROPERTY MSD_HAS_PYTHON)
if(msd_has_python)
  list(APPEND CPACK_COMPONENTS_ALL python)
  set(CPACK_DEBIAN_PYTHON_PACKAGE_NAME python3-msd)
  set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION python)
  set(CPACK_DEBIAN_PYTHON_DESCRIPTION "The Python package msd: rigid-body dynamics with contact that can be trusted, with numpy arrays.")
  math(EXPR msd_next_minor "${Python3_VERSION_MINOR} + 1")
  set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS
    "python3 (>= 3.${Python3_VERSION_MINOR}), python3 (<< 3.${msd_next_minor}), python3-numpy")
  set(CPACK_DEBIAN_PYTHON_PACKAGE_SUGGESTS "python3-matplotlib, msd-sim")
endif()

if(TARGET msd-mpi)
  list(APPEND CPACK_COMPONENTS_ALL mpi)
  set(CPACK_DEBIAN_MPI_PACKAGE_NAME msd-sim-mpi)
  set(CPACK_DEBIAN_MPI_DESCRIPTION "The program msd-mpi, which runs studies of msd on the machines of a cluster.")
  set(CPACK_DEBIAN_MPI_PACKAGE_DEPENDS "msd-sim (= ${PROJECT_VERSION})")
  set(CPACK_DEBIAN_MPI_PACKAGE_ENHANCES msd-sim)
endif()

find_program(MSD_SHLIBDEPS dpkg-shlibdeps)
find_program(MSD_FILE file)
if(MSD_SHLIBDEPS AND MSD_FILE)
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
else()
  message(STATUS "dpkg-shlibdeps (dpkg-dev) or file not found: the Debian packages name no library dependencies")
endif()
include(CPack)
