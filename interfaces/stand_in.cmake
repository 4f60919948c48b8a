# Builds one stand-in package from the definitions beside its CMakeLists.txt:
#
#   stand_in_package(FILES msg/A.msg ... DEPENDS std_msgs ...)
#
# A marker file in the package's share folder tells a stand-in from the real package.

macro(stand_in_package)
  cmake_parse_arguments(STAND_IN "" "" "FILES;DEPENDS" ${ARGN})

  find_package(ament_cmake REQUIRED)
  find_package(rosidl_default_generators REQUIRED)
  foreach(dependency IN LISTS STAND_IN_DEPENDS)
    find_package(${dependency} REQUIRED)
  endforeach()

  rosidl_generate_interfaces(${PROJECT_NAME} ${STAND_IN_FILES} DEPENDENCIES ${STAND_IN_DEPENDS})
  drop_missing_include_directories()

  install(FILES "${STAND_IN_CMAKE_DIR}/elfin_bt_stand_in" DESTINATION "share/${PROJECT_NAME}")
  ament_export_dependencies(rosidl_default_runtime)
  ament_package()
endmacro()

# The wheels' exported targets name the Python headers of the machine that built them. CMake
# refuses to generate with include directories that are not there; nothing of ours needs them.
function(drop_missing_include_directories)
  get_property(targets DIRECTORY PROPERTY IMPORTED_TARGETS)
  foreach(target IN LISTS targets)
    get_target_property(directories ${target} INTERFACE_INCLUDE_DIRECTORIES)
    if(directories)
      set(present)
      foreach(directory IN LISTS directories)
        if(directory MATCHES "^\\$<" OR EXISTS "${directory}")
          list(APPEND present "${directory}")
        endif()
      endforeach()
      set_target_properties(${target} PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${present}")
    endif()
  endforeach()
endfunction()

set(STAND_IN_CMAKE_DIR "${CMAKE_CURRENT_LIST_DIR}")
