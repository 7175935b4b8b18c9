// Ends a run from within an observer.
#pragma once

namespace tactus {

/// Thrown by RunOptions::progress(): the run ends in this cycle as at its cycle limit, with the
/// figures so far.
struct StopRun {};

}  // namespace tactus
