// CMake tries to link this file. That succeeds if SystemC was built with the C++ standard with
// which this file is compiled.
#include <systemc>

int sc_main(int, char**) {
  sc_core::sc_start();
  return 0;
}
