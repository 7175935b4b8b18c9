// The way in which the program allocates memory from the system.
#pragma once

namespace tactus {

/// Puts blocks of less than 4 MiB into one heap, whose first 16 MiB use large pages if the system
/// has them. A short run touches about 10 MB once; with pages of 4 KiB this causes over a thousand
/// page faults, which take some milliseconds. Call before malloc is used. It changes no behaviour,
/// and does nothing if the C library is not glibc.
void use_one_heap();

}  // namespace tactus
