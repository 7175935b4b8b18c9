#include "firmware/cli/heap.h"

#include <cstdint>
#include <cstdlib>

#if defined(__GLIBC__)
#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>
#endif

namespace tactus {

void use_one_heap() {
#if defined(__GLIBC__)
  constexpr int mebibyte = 1 << 20;
  constexpr std::uintptr_t large_page = 2 * mebibyte;
  mallopt(M_MMAP_THRESHOLD, 4 * mebibyte);
  mallopt(M_TRIM_THRESHOLD, 32 * mebibyte);
  mallopt(M_TOP_PAD, 16 * mebibyte);
  void* volatile block = std::malloc(large_page);  // the heap grows by it and the padding
  std::free(block);
  const auto end = reinterpret_cast<std::uintptr_t>(sbrk(0)) & ~(large_page - 1);
  // These 16 MiB are inside the heap, which has just grown by more. Without large pages the advice
  // fails, and nothing is lost.
  (void)madvise(reinterpret_cast<void*>(end - 16 * mebibyte), 16 * mebibyte, MADV_HUGEPAGE);
#endif
}

}  // namespace tactus
