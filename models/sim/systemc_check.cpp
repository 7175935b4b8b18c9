// Links if SystemC was built with the C++ standard that this file is compiled with. Used by CMake
// alone.
#include <systemc>

int sc_main(int, char**) {
  sc_core::sc_start();
  return 0;
}
