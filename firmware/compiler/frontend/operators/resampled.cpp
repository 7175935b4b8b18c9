// Sampling of images by products with matrices of weights: every form of Resize that is no plain
// nearest or linear one of height and width, and GridSample with a constant grid.
#include "firmware/compiler/frontend/operators/resampled.h"

#include <algorithm>
#include <cmath>

#include "firmware/compiler/frontend/operators.h"
#include "firmware/compiler/frontend/operators/axes.h"
#include "firmware/onnx/shapes.h"
#include "isa/support/text.h"

namespace tactus::compiler {
namespace {

/// The form of a Resize.
struct ResizeForm {
  std::string mode, coordinates, nearest, policy;
  bool antialias = false, exclude_outside = false;
  double cubic = -0.75;
};

/// A dimension that is resized; `begin` and `end` are its region of interest.
struct Resized {
  std::size_t axis = 0;
  std::int64_t from = 0, to = 0;
  double scale = 1, begin = 0, end = 1;
};

ResizeForm form_of(const nn::Node& node) {
  ResizeForm form;
  form.mode = node.text("mode", "nearest");
  form.coordinates = node.text("coordinate_transformation_mode", "half_pixel");
  form.nearest = node.text("nearest_mode", "round_prefer_floor");
  form.policy = node.text("keep_aspect_ratio_policy", "stretch");
  form.antialias = node.integer("antialias", 0) != 0;
  form.exclude_outside = node.integer("exclude_outside", 0) != 0;
  form.cubic = static_cast<double>(node.real("cubic_coeff_a", -0.75F));
  return form;
}

double place_of(const ResizeForm& form, const Resized& r, double at) {
  const double last = static_cast<double>(r.from) - 1;
  const double results = static_cast<double>(r.to);
  if (form.coordinates == "align_corners") return r.to == 1 ? 0 : at * last / (results - 1);
  if (form.coordinates == "asymmetric") return at / r.scale;
  if (form.coordinates == "pytorch_half_pixel" && r.to == 1) return 0;
  if (form.coordinates == "tf_half_pixel_for_nn") return (at + 0.5) / r.scale;
  if (form.coordinates == "tf_crop_and_resize") {
    if (r.to == 1) return (r.begin + r.end) / 2 * last;
    return r.begin * last + at * (r.end - r.begin) * last / (results - 1);
  }
  if (form.coordinates == "half_pixel_symmetric") {
    const double size = static_cast<double>(r.from);
    const double centred = (1 - results / (size * r.scale)) * size / 2;
    return centred + (at + 0.5) / r.scale - 0.5;
  }
  return (at + 0.5) / r.scale - 0.5;
}

double cubic_curve(double distance, double a) {
  const double d = std::abs(distance), d2 = d * d, d3 = d2 * d;
  if (d <= 1) return (a + 2) * d3 - (a + 3) * d2 + 1;
  return d < 2 ? a * d3 - 5 * a * d2 + 8 * a * d - 4 * a : 0;
}

/// Elements of the input within reach of a place, and their weights.
std::vector<std::pair<std::int64_t, double>> weights_of(const ResizeForm& form, const Resized& r,
                                                        double place) {
  if (form.mode == "nearest") {
    double at = 0;
    if (form.nearest == "floor") at = std::floor(place);
    if (form.nearest == "ceil") at = std::ceil(place);
    if (form.nearest == "round_prefer_floor") at = std::ceil(place - 0.5);
    if (form.nearest == "round_prefer_ceil") at = std::floor(place + 0.5);
    return {{static_cast<std::int64_t>(at), 1}};
  }
  const double squeeze = form.antialias ? std::min(r.scale, 1.0) : 1;
  const double radius = (form.mode == "cubic" ? 2 : 1) / squeeze;
  std::vector<std::pair<std::int64_t, double>> all;
  double total = 0;
  for (auto k = static_cast<std::int64_t>(std::ceil(place - radius));
       static_cast<double>(k) <= place + radius; ++k) {
    const double distance = (static_cast<double>(k) - place) * squeeze;
    const double weight = form.mode == "cubic" ? cubic_curve(distance, form.cubic)
                                               : std::max(1 - std::abs(distance), 0.0);
    if (weight == 0 || (form.exclude_outside && (k < 0 || k >= r.from))) continue;
    all.emplace_back(k, weight);
    total += weight;
  }
  if (form.antialias || form.exclude_outside) {
    for (auto& [k, weight] : all) weight /= total;
  }
  return all;
}

/// Weights of inputs (rows) in results (columns). `outside` gets the results beyond the region.
nn::Tensor matrix_of(const ResizeForm& form, const Resized& r, std::vector<bool>& outside) {
  nn::Tensor matrix = nn::Tensor::zeros({r.from, r.to});
  outside.assign(static_cast<std::size_t>(r.to), false);
  for (std::int64_t at = 0; at < r.to; ++at) {
    const double place = place_of(form, r, static_cast<double>(at));
    if (form.coordinates == "tf_crop_and_resize" &&
        (place < 0 || place > static_cast<double>(r.from - 1))) {
      outside[static_cast<std::size_t>(at)] = true;
      continue;
    }
    for (const auto& [k, weight] : weights_of(form, r, place)) {
      const std::int64_t from = std::clamp<std::int64_t>(k, 0, r.from - 1);
      matrix.floats[static_cast<std::size_t>(from * r.to + at)] += static_cast<float>(weight);
    }
  }
  return matrix;
}

/// Multiplies along a dimension.
std::string multiplied_along(Expansion& e, const std::string& x, std::size_t rank, std::size_t axis,
                             nn::Tensor matrix) {
  const std::string weights = e.constant(std::move(matrix));
  if (axis + 1 == rank) return e.node("MatMul", {x, weights});
  nn::Shape turn(rank);
  for (std::size_t d = 0; d < rank; ++d) turn[d] = static_cast<std::int64_t>(d);
  std::swap(turn[axis], turn[rank - 1]);
  const std::string turned = e.node("Transpose", {x}, {{"perm", turn}});
  return e.node("Transpose", {e.node("MatMul", {turned, weights})}, {{"perm", turn}});
}

/// The dimensions that a Resize changes; empty: problems were reported.
std::optional<std::vector<Resized>> resized_dimensions(Planner& p, const ResizeForm& form,
                                                       const nn::Shape& shape) {
  std::vector<std::size_t> axes;
  for (const std::int64_t stated : p.node.integers("axes", {})) {
    const std::optional<std::int64_t> axis = normal_axis(p, stated, shape.size());
    if (!axis) return std::nullopt;
    axes.push_back(static_cast<std::size_t>(*axis));
  }
  for (std::size_t d = 0; !p.node.has("axes") && d < shape.size(); ++d) axes.push_back(d);
  const auto given = [&](std::size_t i) {
    return p.given(i) && (p.constant(i) == nullptr || p.constant(i)->size() != 0);
  };
  const nn::Tensor* const sizes =
      given(3) ? p.need_constant(3, "sizes", nn::ElementType::int64) : nullptr;
  const nn::Tensor* const scales =
      given(3) ? nullptr : p.need_constant(2, "scales", nn::ElementType::float32);
  const bool crops = form.coordinates == "tf_crop_and_resize";
  const nn::Tensor* const region =
      crops ? p.need_constant(1, "the region", nn::ElementType::float32) : nullptr;
  if (p.failed() || (sizes == nullptr && scales == nullptr)) return std::nullopt;
  const auto count = static_cast<std::int64_t>(axes.size());
  if ((sizes != nullptr ? sizes : scales)->size() != count ||
      (region != nullptr && region->size() != 2 * count)) {
    p.problem("sizes, scales or region do not fit {} dimensions", axes.size());
    return std::nullopt;
  }
  std::vector<Resized> all;
  for (std::size_t k = 0; k < axes.size(); ++k) {
    Resized& r = all.emplace_back();
    r.axis = axes[k];
    r.from = shape[r.axis];
    const double factor = sizes != nullptr ? 0 : static_cast<double>(scales->floats[k]);
    const bool in_range = sizes != nullptr
                              ? sizes->integers[k] >= 1 && sizes->integers[k] <= 1000000
                              : factor > 0 && factor * static_cast<double>(r.from) < 1e6;
    if (in_range)
      r.to = sizes != nullptr ? sizes->integers[k] : nn::scaled_size(r.from, scales->floats[k]);
    r.scale = sizes != nullptr ? static_cast<double>(r.to) / static_cast<double>(r.from) : factor;
    if (region != nullptr) {
      r.begin = static_cast<double>(region->floats[k]);
      r.end = static_cast<double>(region->floats[axes.size() + k]);
    }
    if (r.to < 1) {
      p.problem("dimension {} of {} would have no elements, or too many", r.axis,
                nn::to_string(shape));
      return std::nullopt;
    }
  }
  if (sizes != nullptr && form.policy != "stretch" && !all.empty()) {
    const auto less = [](const Resized& a, const Resized& b) { return a.scale < b.scale; };
    const double common = form.policy == "not_larger"
                              ? std::min_element(all.begin(), all.end(), less)->scale
                              : std::max_element(all.begin(), all.end(), less)->scale;
    for (Resized& r : all) {
      r.scale = common;
      r.to = static_cast<std::int64_t>(std::floor(common * static_cast<double>(r.from) + 0.5));
    }
  }
  all.erase(std::remove_if(all.begin(), all.end(),
                           [](const Resized& r) {
                             return r.from == r.to && r.scale == 1 && r.begin == 0 && r.end == 1;
                           }),
            all.end());
  return all;
}

/// The extrapolation value where any dimension is outside, else 0.
nn::Tensor values_outside(const nn::Shape& shape, float value, const std::vector<Resized>& all,
                          const std::vector<std::vector<bool>>& outside) {
  nn::Shape sizes(shape.size(), 1);
  for (const Resized& r : all) sizes[r.axis] = r.to;
  nn::Tensor added = nn::Tensor::zeros(sizes);
  nn::Shape position(sizes.size(), 0);
  std::size_t next = 0;
  do {
    bool any = false;
    for (std::size_t k = 0; k < all.size(); ++k) {
      any = any || outside[k][static_cast<std::size_t>(position[all[k].axis])];
    }
    added.floats[next++] = any ? value : 0;
  } while (next_position(position, sizes));
  return added;
}

}  // namespace

bool is_resized_by_matrices(const Planner& p) {
  if (p.compat() || p.opset() < 11 || p.node.op_type == "Upsample") return false;
  const ResizeForm form = form_of(p.node);
  if (form.mode == "cubic" || form.antialias || form.policy != "stretch" ||
      form.coordinates == "tf_crop_and_resize") {
    return true;
  }
  const Value* const x = p.value(0);
  return x != nullptr && x->layout && (x->layout->rank() < 3 || x->layout->rank() > 4);
}

namespace {

/// Reports an attribute whose value is none of these.
void check_choice(Planner& p, const char* attribute, const std::string& value,
                  const std::vector<std::string_view>& supported) {
  if (std::find(supported.begin(), supported.end(), value) != supported.end()) return;
  p.problem("attribute {} is {}; supported are {}", attribute, quote(value),
            fmt::join(supported, ", "));
}

void check_form(Planner& p, const ResizeForm& form) {
  check_choice(p, "mode", form.mode, {"nearest", "linear", "cubic"});
  check_choice(p, "coordinate_transformation_mode", form.coordinates,
               {"align_corners", "asymmetric", "half_pixel", "half_pixel_symmetric",
                "pytorch_half_pixel", "tf_crop_and_resize", "tf_half_pixel_for_nn"});
  check_choice(p, "nearest_mode", form.nearest,
               {"round_prefer_floor", "round_prefer_ceil", "floor", "ceil"});
  check_choice(p, "keep_aspect_ratio_policy", form.policy,
               {"stretch", "not_larger", "not_smaller"});
}

}  // namespace

bool expand_by_matrices(Planner& p, Expansion& e) {
  const Layout* const x = p.activation(0);
  if (x == nullptr) return true;
  const ResizeForm form = form_of(p.node);
  check_form(p, form);
  if (p.failed()) return true;
  const std::optional<std::vector<Resized>> all = resized_dimensions(p, form, x->shape);
  if (!all) return true;
  std::string result = p.node.inputs[0];
  std::vector<std::vector<bool>> outside(all->size());
  bool any = false;
  for (std::size_t k = 0; k < all->size(); ++k) {
    const Resized& r = (*all)[k];
    result = multiplied_along(e, result, x->rank(), r.axis, matrix_of(form, r, outside[k]));
    any = any || std::find(outside[k].begin(), outside[k].end(), true) != outside[k].end();
  }
  const float value = p.node.real("extrapolation_value", 0);
  if (any && value != 0) {
    const std::string added = e.constant(values_outside(x->shape, value, *all, outside));
    result = e.node("Add", {result, added});
  }
  e.last("Identity", {result});
  return true;
}

// ---- GridSample ---------------------------------------------------------------------------------

namespace {

/// How places beyond the borders are treated.
enum class Border : std::uint8_t { zeros, border, reflection };

struct Grid {
  std::string mode;
  Border border = Border::zeros;
  bool corners = false;

  /// A place moved into a dimension.
  [[nodiscard]] double inside(double place, std::int64_t size) const {
    const double last = static_cast<double>(size - 1);
    if (border == Border::border) return std::clamp(place, 0.0, last);
    if (border == Border::zeros) return place;
    const double low = corners ? 0 : -0.5, high = corners ? last : last + 0.5;
    if (high <= low) return 0;
    const double period = 2 * (high - low);
    double at = std::fmod(place - low, period);
    if (at < 0) at += period;
    return std::clamp(low + std::min(at, period - at), 0.0, last);
  }
  /// Elements and weights of a place.
  [[nodiscard]] std::vector<std::pair<std::int64_t, double>> taps(float number,
                                                                  std::int64_t size) const {
    const auto n = static_cast<double>(size);
    double place = corners ? (static_cast<double>(number) + 1) / 2 * (n - 1)
                           : ((static_cast<double>(number) + 1) * n - 1) / 2;
    std::vector<std::pair<std::int64_t, double>> all;
    const auto add = [&](double at, double weight) {
      if (mode == "cubic") at = std::nearbyint(inside(at, size));
      if (at >= 0 && at <= n - 1) all.emplace_back(static_cast<std::int64_t>(at), weight);
    };
    if (!std::isfinite(place)) return all;
    if (mode == "cubic") {
      for (int k = -1; k <= 2; ++k) {
        const double at = std::floor(place) + k;
        add(at, cubic_curve(place - at, -0.75));
      }
      return all;
    }
    place = inside(place, size);
    if (mode == "nearest") {
      add(std::nearbyint(place), 1);
      return all;
    }
    const double low = std::floor(place);
    add(low, 1 - (place - low));
    add(low + 1, place - low);
    return all;
  }
};

std::optional<Grid> grid_of(Planner& p) {
  Grid grid;
  grid.mode = p.node.text("mode", p.opset() < 20 ? "bilinear" : "linear");
  if (grid.mode == "bilinear") grid.mode = "linear";
  if (grid.mode == "bicubic") grid.mode = "cubic";
  const std::string padding = p.node.text("padding_mode", "zeros");
  grid.corners = p.node.integer("align_corners", 0) != 0;
  if (padding == "border") grid.border = Border::border;
  if (padding == "reflection") grid.border = Border::reflection;
  const bool known = (grid.mode == "linear" || grid.mode == "nearest" || grid.mode == "cubic") &&
                     (padding == "zeros" || grid.border != Border::zeros);
  if (known) return grid;
  p.problem(
      "attributes mode {} and padding_mode {} are not supported; supported are linear, nearest, "
      "cubic with zeros, border, reflection",
      quote(grid.mode), quote(padding));
  return std::nullopt;
}

bool expand_grid_sample(Planner& p, Expansion& e) {
  const Layout* const x = p.activation(0);
  const nn::Tensor* const grid = p.need_constant(1, "the grid", nn::ElementType::float32);
  const std::optional<Grid> sampling = grid_of(p);
  if (x == nullptr || grid == nullptr || !sampling) return true;
  const std::size_t rank = x->rank(), n = rank - std::min<std::size_t>(rank, 2);
  const bool fits = rank >= 3 && grid->shape.size() == rank && grid->shape[0] == x->shape[0] &&
                    grid->shape.back() == static_cast<std::int64_t>(n);
  if (!fits) {
    p.problem("a grid of shape {} does not fit {}", nn::to_string(grid->shape),
              nn::to_string(x->shape));
    return true;
  }
  const std::int64_t images = x->shape[0], channels = x->shape[1];
  const nn::Shape sizes(x->shape.begin() + 2, x->shape.end());
  const std::int64_t pixels = nn::element_count(sizes);
  const std::int64_t points = grid->size() / static_cast<std::int64_t>(n) / images;
  constexpr std::int64_t most = 1 << 26;
  if (images * pixels * points > most) {
    p.problem("a grid of {} points for {} pixels needs a matrix of more than {} weights", points,
              pixels, most);
    return true;
  }
  const std::vector<std::int64_t> strides = strides_of(sizes);
  nn::Tensor weights = nn::Tensor::zeros(images == 1 ? nn::Shape{pixels, points}
                                                     : nn::Shape{images, pixels, points});
  for (std::int64_t g = 0; g < images * points; ++g) {
    std::vector<std::pair<std::int64_t, double>> places{{0, 1.0}};
    for (std::size_t d = 0; d < n; ++d) {
      // The last dimension's number comes first.
      const float number = grid->floats[static_cast<std::size_t>(g) * n + (n - 1 - d)];
      std::vector<std::pair<std::int64_t, double>> next;
      for (const auto& [place, weight] : places) {
        for (const auto& [k, part] : sampling->taps(number, sizes[d])) {
          next.emplace_back(place + k * strides[d], weight * part);
        }
      }
      places = std::move(next);
    }
    for (const auto& [place, weight] : places) {
      const std::int64_t at = (g / points * pixels + place) * points + g % points;
      weights.floats[static_cast<std::size_t>(at)] += static_cast<float>(weight);
    }
  }
  nn::Shape shape{images, channels};
  shape.insert(shape.end(), grid->shape.begin() + 1, grid->shape.end() - 1);
  const std::string rows =
      e.node("Reshape", {p.node.inputs[0], e.constant(nn::Shape{images, channels, pixels})});
  const std::string sampled = e.node("MatMul", {rows, e.constant(std::move(weights))});
  e.last("Reshape", {sampled, e.constant(std::move(shape))});
  return true;
}

}  // namespace

Operators sampling_operators() {
  return {{"GridSample", wants_rows, Role::simple, nullptr, nullptr, expand_grid_sample}};
}

}  // namespace tactus::compiler
