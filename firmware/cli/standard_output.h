// Behaviour of a command whose output is no longer read, as in `tactus bench | head`.
#pragma once

namespace tactus {

/// Makes writes to a closed pipe, and to a file beyond the limit of `ulimit -f`, fail instead of
/// ending the program silently. If the reader of standard output has closed the pipe, the program
/// still ends, but leaves no unfinished files. Call once, before anything is printed.
void watch_standard_output();

/// For commands whose results are in files: from here on, a closed pipe does not end the command,
/// and its output is discarded.
void keep_going_without_reader();

}  // namespace tactus
