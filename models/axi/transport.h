// The TLM-2.0 transport interface by which an initiator calls its target.
#pragma once

namespace tactus {

enum class Transport {
  non_blocking,  ///< nb_transport_fw(): four phases, or fewer as the target answers
  blocking,      ///< b_transport(), which may wait, and may add to the annotated delay
};

}  // namespace tactus
