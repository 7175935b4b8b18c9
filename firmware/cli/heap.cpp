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
  constexpr int heap = 16 * mebibyte;
  constexpr int page = 4096;
  constexpr std::uintptr_t large_page = 2 * mebibyte;
  mallopt(M_MMAP_THRESHOLD, 4 * mebibyte);
  mallopt(M_TRIM_THRESHOLD, 2 * heap);
  mallopt(M_TOP_PAD, heap + page);
  // Large pages begin after the heap's first page: malloc writes that page when it creates the
  // heap, and a large page must not have been touched before it is requested.
  const auto end = reinterpret_cast<std::uintptr_t>(sbrk(0));
  const std::uintptr_t begin = (end + page + large_page - 1) / large_page * large_page;
  sbrk(static_cast<std::intptr_t>(begin - page - end));
  void* volatile block = std::malloc(1);
  std::free(block);
  // NOLINTNEXTLINE(performance-no-int-to-ptr)
  (void)madvise(reinterpret_cast<void*>(begin), heap, MADV_HUGEPAGE);
#endif
}

}  // namespace tactus
