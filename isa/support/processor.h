// Tests of processor features, for kernels that have a variant for each instruction set.
#pragma once

namespace tactus {

#if defined(__x86_64__)
inline bool processor_has_avx2() { return __builtin_cpu_supports("avx2"); }
inline bool processor_has_fma() { return __builtin_cpu_supports("fma"); }
/// True if the processor has the parts of AVX-512 that isa/CMakeLists.txt enables for such
/// variants.
inline bool processor_has_avx512() {
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
}
inline bool processor_has_avx512_vnni() { return __builtin_cpu_supports("avx512vnni"); }
#else
inline bool processor_has_avx2() { return false; }
inline bool processor_has_fma() { return false; }
inline bool processor_has_avx512() { return false; }
inline bool processor_has_avx512_vnni() { return false; }
#endif

}  // namespace tactus
