// The MAC chain for every x86-64.
#include "isa/tcu/arithmetic_kernels.h"

#if defined(__x86_64__)

#include "isa/tcu/arithmetic_chain.h"
#include "isa/tcu/arithmetic_sse2.h"

namespace tactus::tcu {
const MacTable* sse2_mac_table() { return &mac_table<Sse2Host, portable_mac_table>; }
}  // namespace tactus::tcu

#else

namespace tactus::tcu {
const MacTable* sse2_mac_table() { return nullptr; }
}  // namespace tactus::tcu

#endif
