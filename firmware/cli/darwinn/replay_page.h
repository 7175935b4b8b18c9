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
  std::string words;   ///< what a replay is and is not
  bool parts = false;  ///< R2, else R1
  const LinkReplayResult& main;
  const std::optional<LinkReplayResult>& caching;  ///< of the parameters, if they are cached
};

[[nodiscard]] std::string replay_page_html(const ReplayDocument& document);

}  // namespace tactus
