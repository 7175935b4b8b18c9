// Output that a quiet command does not print.
#pragma once

namespace tactus {

/// Prints on standard error what a quiet command did not print on standard output, up to the last
/// MiB, if no error has been printed: the reason why its comparison failed.
void print_unprinted();

}  // namespace tactus
