// tactus run with several models, or with requests that arrive.
#pragma once

#include "firmware/cli/args.h"
#include "firmware/cli/run/serving_request.h"

namespace tactus {

[[nodiscard]] int serving_command(const Args& args);

}  // namespace tactus
