// A replay of an Edge TPU executable as a self-contained HTML page.
#pragma once

#include <optional>
#include <string>

#include "firmware/config/link.h"
#include "firmware/driver/darwinn/link_replay.h"
#include "isa/darwinn/file.h"

namespace tactus {

struct ReplayDocument {
  const darwinn::File& file;
  const LinkPreset& link;
  std::string words;   ///< a sentence on what the replay includes and leaves out
  bool parts = false;  ///< the link is modelled by its parts (R2), else by a rate (R1)
  const LinkReplayResult& main;
  /// Loading of the parameters, if they are cached.
  const std::optional<LinkReplayResult>& caching;
};

[[nodiscard]] std::string replay_page_html(const ReplayDocument& document);

}  // namespace tactus
