// How the program takes memory from the system.
#pragma once

namespace tactus {

/// From now on blocks of less than 4 MiB lie in one heap, the first 16 MiB of it in large pages
/// where the system has them. A short run touches some 10 MB once; in pages of 4 KiB these are over
/// a thousand faults, some milliseconds. To be called before malloc is used. Changes no behaviour,
/// and does nothing where the C library is not glibc.
void use_one_heap();

}  // namespace tactus
