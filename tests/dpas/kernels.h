// Kernels and helpers shared by several tests of DPAS.
#pragma once

#include <string>
#include <utility>

#include "isa/dpas/profile.h"
#include "isa/support/error.h"

namespace tactus::dpas {

inline constexpr const char* kernel_head = ".version 3.6\n.kernel \"k\"\n";

/// A kernel that has every directive and every instruction of the subset.
inline constexpr const char* kernel_with_everything = R"(.version 3.6
.kernel "all"
.decl P v_type=G type=uq num_elts=1 align=GRF
.decl N v_type=G type=d num_elts=1 align=dword
.decl A v_type=G type=ud num_elts=128 align=GRF
.decl B v_type=G type=ud num_elts=128 align=2GRF
.decl C v_type=G type=d num_elts=128 align=GRF
.decl H v_type=G type=hf num_elts=32 align=GRF
.decl F v_type=G type=f num_elts=16 align=GRF
.decl T v_type=G type=ub num_elts=64 align=GRF alias=<A,64>
.decl ADR v_type=G type=uq num_elts=16 align=GRF
.decl P1 v_type=P num_elts=16
.input P offset=64 size=8
.kernel_attr Target="cm"
.kernel_attr SimdSize=16
.kernel_attr Note="a text"
.kernel_attr Number=70000
/* a comment
   of two lines */
mov (M1_NM, 1) N(0,0)<1> -3:d          // a constant
LOOP:
mov.sat (M1, 16) H(0,0)<1> (-)F(0,0)<1;1,0>
add (M1, 16) C(1,0)<1> C(1,0)<1;1,0> 0x10:w
mov (M5_NM, 1) F(0,3)<1> 1.5e-3:f
cmp.lt (M1_NM, 1) P1 N(0,0)<0;1,0> 0x4:d
lsc_load.ugm.uc.ca (M1, 16) A:d32x2 flat[0x4*ADR+0x100]:a64
lsc_load.ugm (M1_NM, 1) A.64:d64x8t flat[ADR-0x10]:a64
lsc_store.ugm (M1, 16) flat[ADR]:a64 A:d32
lsc_load_block2d.ugm (M1_NM, 1) A:d16.2x8x8nn flat[P,0x3F,0x7,0x3F,N,0x0]
lsc_load_block2d.ugm (M1_NM, 1) B:d8.16x32nt flat[P,0x3F,0x1F,0x3F,-1:d,N]
dpas.s8.u8.8.8 (M1, 16) C.0 %null.0 B.0 A(0,0) {Atomic,$3}
dpas.s8.u8.8.8 (M1, 16) C.(2 * 32 - 8 * 8) C.0 B.0 A(1 + 3,0) {$3.dst,$4.src}
lsc_store_block2d.ugm (M1_NM, 1) flat[P,0x3F,0x7,0x3F,N,0x0] C:d32.16x8nn
lsc_fence.ugm.none.group
barrier
(!P1.any) jmp (M1, 1) LOOP
ret (M1, 1)
.kernel "second"
ret (M1, 1)
)";

inline Profile profile_named(const std::string& name) {
  return read_profile(std::string(TACTUS_SOURCE_DIR) + "/configs/dpas/" + name + ".json");
}

/// Returns the text of the UserError that the action throws; empty if it throws none.
template <typename Action>
std::string message_of(Action action) {
  try {
    action();
  } catch (const UserError& error) {
    return error.what();
  }
  return {};
}

}  // namespace tactus::dpas
