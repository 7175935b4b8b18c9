// The TLM-2.0 transport interface by which an initiator calls its target.
#pragma once

namespace tactus {

enum class Transport {
  non_blocking,  ///< nb_transport_fw(): four phases, or fewer as the target answers
  blocking,      ///< b_transport(), which must not wait: the annotated delay counts
};

}  // namespace tactus
