// The MAC chain for x86-64 with AVX2 and FMA. Only this file is compiled for them.
#include "isa/tcu/arithmetic_kernels.h"

#if defined(__x86_64__) && defined(__AVX2__) && defined(__FMA__)

#include "isa/tcu/arithmetic_avx2.h"
#include "isa/tcu/arithmetic_chain.h"

namespace tactus::tcu {

const MacTable* avx2_mac_table() { return &mac_table<Avx2Host, sse2_mac_table>; }

}  // namespace tactus::tcu

#else

namespace tactus::tcu {
const MacTable* avx2_mac_table() { return nullptr; }
}  // namespace tactus::tcu

#endif
