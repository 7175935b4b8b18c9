// Inputs of several images.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "firmware/driver/tcu/host.h"

namespace tactus {

/// The vectors of one input, image after image, added to those of the inputs before it, which must
/// be as many images; none yet: as many as the vectors are. Throws UserError "WHERE: ...".
void add_image_data(const tcu::Architecture& architecture, const Tensor& tensor,
                    std::vector<std::uint8_t> data, const std::string& where,
                    std::vector<TensorData>& images);

}  // namespace tactus
