// Inputs of several images.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "firmware/driver/tcu/host.h"

namespace tactus {

/// Adds the data of one input to a list of images. `data` has the input's vectors, image after
/// image. The first input determines the number of images; each further one must have as many.
/// Throws UserError "WHERE: ...".
void add_image_data(const tcu::Architecture& architecture, const Tensor& tensor,
                    std::vector<std::uint8_t> data, const std::string& where,
                    std::vector<TensorData>& images);

}  // namespace tactus
