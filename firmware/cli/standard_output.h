// What becomes of a command when nobody reads what it prints any more, as in `tactus bench | head`.
#pragma once

namespace tactus {

/// Lets writing to a pipe without reader, and to a file beyond the limit of `ulimit -f`, fail
/// instead of ending the program without a word. Where the reader of standard output has gone, the
/// program still ends, but leaves no unfinished files. To be called once, before anything is
/// printed.
void watch_standard_output();

/// For commands whose result is in files: from here on, what nobody reads is dropped and the
/// command goes on to its end.
void keep_going_without_reader();

}  // namespace tactus
