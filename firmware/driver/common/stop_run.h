// Ends a run from within an observer.
#pragma once

namespace tactus {

/// Exception that RunOptions::progress() may throw. The run then ends in this cycle as at its cycle
/// limit, with the figures so far.
struct StopRun {};

}  // namespace tactus
