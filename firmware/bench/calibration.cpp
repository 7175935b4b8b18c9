#include "firmware/bench/calibration.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <utility>

#include "firmware/compiler/images.h"
#include "firmware/onnx/tensor_files.h"
#include "firmware/zoo/random_input.h"
#include "isa/support/error.h"
#include "isa/support/files.h"
#include "isa/support/sha256.h"
#include "isa/support/text.h"

namespace fs = std::filesystem;

namespace tactus::bench {
namespace {

using Inputs = std::vector<nn::ValueInfo>;

bool is_archive(const fs::path& path) { return path.extension() == ".npz"; }

bool is_image_file(const fs::path& path) {
  return is_archive(path) || nn::is_tensor_file(path.string());
}

/// The entries of a folder that `wanted` takes, sorted.
template <typename Wanted>
std::vector<fs::path> entries(const fs::path& folder, const Wanted& wanted) {
  std::vector<fs::path> found;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (wanted(entry.path())) found.push_back(entry.path());
  }
  std::sort(found.begin(), found.end());
  return found;
}

bool is_test_set(const fs::path& path) {
  return fs::is_directory(path) && path.filename().string().rfind("test_data_set_", 0) == 0;
}

std::string calibration_subject(const std::string& path) { return "calibration images " + path; }

/// One tensor of a file for an input.
struct Given {
  std::string where;
  std::size_t input;
  nn::Tensor tensor;
};

nn::Shape calibrated_shape(const nn::ValueInfo& input) {
  nn::Shape shape;
  for (const nn::Dimension& dimension : *input.dims) shape.push_back(*dimension.size);
  return shape;
}

/// Cuts a tensor into images of the input's shape and type.
std::vector<nn::Tensor> cut(const Given& given, const nn::ValueInfo& input) {
  const std::string subject = "input " + quote(input.name);
  const nn::Shape shape = calibrated_shape(input);
  const nn::Tensor& all = given.tensor;
  const std::size_t images = compiler::fit_shape(all.shape, shape, subject, given.where).images;
  const std::vector<float> values = all.reals();
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (std::isfinite(values[i])) continue;
    user_error("{}: value {} of {} is {}; allowed are finite numbers", given.where, i, subject,
               std::isnan(values[i]) ? "NaN" : "infinite");
  }
  const bool whole = input.type != nn::ElementType::float32;
  if (whole && all.type != input.type) {
    user_error("{}: holds {} elements; allowed for {} are {}", given.where,
               name_of(all.type, all.stored), subject, name_of(input.type, input.stored));
  }
  std::vector<nn::Tensor> result;
  const std::size_t size = values.size() / images;
  for (std::size_t i = 0; i < images; ++i) {
    nn::Tensor one;
    if (whole) {
      const auto first = all.integers.begin() + static_cast<std::ptrdiff_t>(i * size);
      one = nn::Tensor::of(
          shape, std::vector<std::int64_t>(first, first + static_cast<std::ptrdiff_t>(size)));
      one.stored = input.stored;
    } else {
      const auto first = values.begin() + static_cast<std::ptrdiff_t>(i * size);
      one = nn::Tensor::of(shape,
                           std::vector<float>(first, first + static_cast<std::ptrdiff_t>(size)));
    }
    result.push_back(std::move(one));
  }
  return result;
}

void add_archive(const fs::path& path, const Inputs& inputs, std::vector<Given>& given) {
  std::size_t next = 0;
  for (nn::NamedTensor& array : nn::read_npz(path.string())) {
    std::size_t input = inputs.size();
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      if (inputs[i].name == array.name) input = i;
    }
    if (input == inputs.size()) {
      if (array.name.rfind("out_", 0) == 0) continue;
      const bool in_order = array.name.rfind("in_", 0) == 0 && next < inputs.size();
      if (!in_order && inputs.size() != 1) {
        user_error("{}: array {} is no input of the model; allowed are their names and in_*",
                   calibration_subject(path.string()), quote(array.name));
      }
      input = inputs.size() == 1 ? 0 : next++;
    }
    given.push_back({calibration_subject(path.string()), input, std::move(array.tensor)});
  }
}

void add_file(const fs::path& path, const Inputs& inputs, std::vector<Given>& given) {
  const std::string name = path.string();
  if (is_archive(path)) {
    add_archive(path, inputs, given);
  } else if (inputs.size() != 1) {
    user_error("{}: the model has {} inputs; allowed are .npz, and folders with input_K.pb",
               calibration_subject(name), inputs.size());
  } else {
    given.push_back({calibration_subject(name), 0, nn::read_tensor(name).tensor});
  }
}

/// Files of a folder as ONNX has them, one for each input.
bool add_test_set(const fs::path& folder, const Inputs& inputs, std::vector<Given>& given) {
  if (!fs::exists(folder / "input_0.pb")) return false;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const std::string file = (folder / fmt::format("input_{}.pb", i)).string();
    given.push_back({calibration_subject(file), i, nn::read_tensor(file).tensor});
  }
  return true;
}

std::vector<Given> read_all(const std::string& path, const Inputs& inputs) {
  std::vector<Given> given;
  if (!fs::exists(path)) user_error("{}: no such file", calibration_subject(path));
  if (!fs::is_directory(path)) {
    if (!is_image_file(path)) {
      user_error("{}: allowed are .npy, .npz, .pb and folders of these", calibration_subject(path));
    }
    add_file(path, inputs, given);
    return given;
  }
  const std::vector<fs::path> sets = entries(path, is_test_set);
  for (const fs::path& set : sets) (void)add_test_set(set, inputs, given);
  if (sets.empty() && !add_test_set(path, inputs, given)) {
    for (const fs::path& file : entries(path, is_image_file)) add_file(file, inputs, given);
  }
  return given;
}

}  // namespace

std::vector<nn::Values> read_calibration(const std::string& path, const Inputs& inputs,
                                         std::size_t most) {
  std::vector<std::vector<nn::Tensor>> tensors(inputs.size());
  for (const Given& given : read_all(path, inputs)) {
    for (nn::Tensor& image : cut(given, inputs[given.input])) {
      tensors[given.input].push_back(std::move(image));
    }
  }
  const std::size_t count = tensors.empty() ? 0 : tensors.front().size();
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (tensors[i].empty()) {
      user_error("{}: there are no values for input {}", calibration_subject(path),
                 quote(inputs[i].name));
    }
    if (tensors[i].size() == count) continue;
    user_error("{}: {} images of input {}, but {} of input {}", calibration_subject(path), count,
               quote(inputs.front().name), tensors[i].size(), quote(inputs[i].name));
  }
  std::vector<nn::Values> images(std::min(count, most));
  for (std::size_t k = 0; k < images.size(); ++k) {
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      images[k][inputs[i].name] = tensors[i][k * count / images.size()];
    }
  }
  return images;
}

std::vector<nn::Values> draw_calibration(const nn::Graph& graph, const Inputs& inputs,
                                         std::size_t count) {
  // Seeds that no check takes by default.
  std::uint64_t seed = 1'000'003;
  std::vector<nn::Values> images(count);
  for (nn::Values& image : images) {
    for (const nn::ValueInfo& input : inputs) {
      image[input.name] = nn::random_input(graph, input, seed++);
    }
  }
  return images;
}

std::string calibration_hash(const std::string& path) {
  if (!fs::exists(path)) user_error("{}: no such file", calibration_subject(path));
  std::string text;
  std::vector<fs::path> files;
  if (fs::is_directory(path)) {
    for (const auto& entry : fs::recursive_directory_iterator(path)) {
      if (is_image_file(entry.path())) files.push_back(entry.path());
    }
    std::sort(files.begin(), files.end());
  } else {
    files.emplace_back(path);
  }
  for (const fs::path& file : files) text += sha256(read_file(file.string())) + " ";
  return sha256(std::vector<std::uint8_t>(text.begin(), text.end()));
}

}  // namespace tactus::bench
