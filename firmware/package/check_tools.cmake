# cpack reads this before it makes a package. Without dpkg-shlibdeps it would make one that names no libraries:
# such a package installs, and its program does not start.
find_program(TACTUS_SHLIBDEPS dpkg-shlibdeps)
if(CPACK_GENERATOR STREQUAL "DEB" AND NOT EXISTS "${TACTUS_SHLIBDEPS}")
  message(FATAL_ERROR "dpkg-shlibdeps was not found, which tells the libraries that the package depends on. "
                      "On Debian: apt-get install dpkg-dev")
endif()
