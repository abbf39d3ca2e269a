# `cmake --install` puts the command, the libraries, their headers and a CMake package in place.
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/longhaul)
install(EXPORT longhaulTargets NAMESPACE longhaul:: DESTINATION ${package_dir})
file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/longhaulConfig.cmake
"include(CMakeFindDependencyMacro)
find_dependency(tl-expected)
find_dependency(fmt)
find_dependency(nlohmann_json)
find_dependency(tomlplusplus)
find_dependency(OpenSSL COMPONENTS Crypto)
find_dependency(Threads)
find_dependency(pugixml)
find_dependency(yaml-cpp)
find_dependency(PkgConfig)
pkg_check_modules(clp REQUIRED IMPORTED_TARGET clp)
include(\${CMAKE_CURRENT_LIST_DIR}/longhaulTargets.cmake)
")
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/longhaulConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/longhaulConfig.cmake
              ${CMAKE_CURRENT_BINARY_DIR}/longhaulConfigVersion.cmake
        DESTINATION ${package_dir})
install(DIRECTORY fabrics islands jobs topologies DESTINATION ${CMAKE_INSTALL_DATADIR}/longhaul)
