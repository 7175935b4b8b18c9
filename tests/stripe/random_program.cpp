#include "random_program.h"

#include <fmt/format.h>

#include <vector>

#include "firmware/compiler/stripe/text.h"

namespace tactus::stripe::test {
namespace {

using Sizes = std::vector<std::uint64_t>;

/// Builds the text that lowering would print. Reading the text also checks it.
class Builder {
 public:
  explicit Builder(Random& random) : random_(random) {}

  std::string run() {
    std::string last =
        tensor({pick(random_, 2, 7), pick(random_, 2, 6), pick(random_, 1, 5)}, "in");
    const std::uint64_t kernels = pick(random_, 1, 4);
    for (std::uint64_t i = 0; i < kernels; ++i) last = kernel(last, i + 1 == kernels);
    std::string text = "0: #program\nblock [] ( // random\n";
    for (const auto& [name, entry] : tensors_) {
      text += "  #" + std::string(entry.tmp ? "tmp" : "user") + " none new@0x00000000 " + name +
              zeros(entry.sizes) + " fp32:I" + shape(entry.sizes) + "\n";
    }
    text += ") {\n 0: #main\n block [] ( // main\n";
    for (const auto& [name, entry] : tensors_) {
      text += (entry.tmp ? "  #tmp inout " : "  " + entry.direction + " ") + name +
              zeros(entry.sizes) + " fp32:I" + shape(entry.sizes) + "\n";
    }
    return text + ") {\n" + kernels_ + "}\n}\n";
  }

 private:
  struct Entry {
    Sizes sizes;
    std::string direction;
    bool tmp = false;
  };

  std::string tensor(const Sizes& sizes, const std::string& direction, bool tmp = false) {
    const std::string name = fmt::format("T{}", tensors_.size());
    tensors_[name] = {sizes, direction, tmp};
    return name;
  }

  static std::string zeros(const Sizes& sizes) {
    std::string out;
    for (std::size_t i = 0; i < sizes.size(); ++i) out += i == 0 ? "0" : ", 0";
    return "[" + out + "]";
  }
  static std::string strides(const Sizes& sizes) {
    Sizes result(sizes.size());
    std::uint64_t stride = 1;
    for (std::size_t i = sizes.size(); i-- > 0;) {
      result[i] = stride;
      stride *= sizes[i];
    }
    return fmt::format("({})", fmt::join(result, ", "));
  }
  static std::string shape(const Sizes& sizes) {
    return fmt::format("({}):{}", fmt::join(sizes, ", "), strides(sizes));
  }
  std::string element(const std::string& name) const {
    const Sizes& sizes = tensors_.at(name).sizes;
    return fmt::format(" fp32:I({}):{}\n", fmt::join(Sizes(sizes.size(), 1), ", "), strides(sizes));
  }

  void add(const std::string& tags, const std::string& indexes, const std::string& head,
           const std::string& body) {
    kernels_ += fmt::format("{}: {}\nblock [{}] ( // kernel_{}\n{}) {{\n{}}}\n", count_, tags,
                            indexes, count_, head, body);
    ++count_;
  }

  std::string kernel(const std::string& in, bool final) {
    const std::uint64_t kind = pick(random_, 0, 4);
    if (kind <= 1) return convolution(in, final);
    if (kind == 2) return pool(in, final);
    return kind == 3 ? sum(in, final) : relu(in, final);
  }

  std::string result(const Sizes& sizes, bool final) {
    return tensor(sizes, final ? "out" : "inout", !final);
  }

  /// O[x, y, co] += I[s*x + kx - p, s*y + ky - p, ci] * K[kx, ky, ci, co]
  std::string convolution(const std::string& in, bool final) {
    const Sizes from = tensors_.at(in).sizes;
    const std::uint64_t k = pick(random_, 1, 3), s = pick(random_, 1, 2), p = k / 2;
    const std::uint64_t channels = pick(random_, 1, 6);
    const Sizes to{(from[0] + s - 1) / s, (from[1] + s - 1) / s, channels};
    const std::string weights = tensor({k, k, from[2], channels}, "in");
    const std::string out = result(to, final);
    std::string head;
    std::string access[2];
    for (int d = 0; d < 2; ++d) {
      const std::string x = d == 0 ? "x" : "y";
      const std::string scaled = s == 1 ? x : fmt::format("{}*{}", s, x);
      access[d] = fmt::format("-{} + k{} + {}", p, x, scaled);
      const std::uint64_t top = s * (to[d] - 1) + k - 1;
      if (p > 0) head += access[d] + " >= 0\n";
      if (top > from[d] - 1 + p) {
        head += fmt::format("{} - k{} - {} >= 0\n", from[d] - 1 + p, x, scaled);
      }
    }
    head += fmt::format("#contraction in {}[{}, {}, ci]", in, access[0], access[1]) + element(in);
    head += "#contraction in " + weights + "[kx, ky, ci, co]" + element(weights);
    head += "out " + out + "[x, y, co]:add" + element(out);
    add("#agg_op_add #comb_op_mul #contraction #kernel",
        fmt::format("ci:{}, co:{}, kx:{}, ky:{}, x:{}, y:{}", from[2], channels, k, k, to[0],
                    to[1]),
        head,
        fmt::format("0: $a = load({})\n1: $b = load({})\n2: $c = mul($a, $b)\n3: {} = store($c)\n",
                    in, weights, out));
    return out;
  }

  std::string pool(const std::string& in, bool final) {
    const Sizes from = tensors_.at(in).sizes;
    const std::uint64_t w =
        pick(random_, 1, std::min<std::uint64_t>(2, std::min(from[0], from[1])));
    const Sizes to{from[0] / w, from[1] / w, from[2]};
    const std::string out = result(to, final);
    const std::string op = pick(random_, 0, 1) == 0 ? "max" : "add";
    add(fmt::format("#agg_op_{} #agg_op_{}_no_comb_op #contraction #kernel", op, op),
        fmt::format("c:{}, i:{}, j:{}, x:{}, y:{}", from[2], w, w, to[0], to[1]),
        fmt::format("#contraction in {}[i + {}*x, j + {}*y, c]", in, w, w) + element(in) + "out " +
            out + "[x, y, c]:" + op + element(out),
        fmt::format("0: $a = load({})\n1: $b = assign($a)\n2: {} = store($b)\n", in, out));
    return out;
  }

  std::string sum(const std::string& in, bool final) {
    const Sizes sizes = tensors_.at(in).sizes;
    const std::string bias = tensor({sizes[2]}, "in");
    const std::string out = result(sizes, final);
    add("#eltwise #eltwise_add #kernel",
        fmt::format("i1:{}, i2:{}, i3:{}", sizes[0], sizes[1], sizes[2]),
        "#eltwise_add in " + in + "[i1, i2, i3]" + element(in) + "#eltwise_add in " + bias +
            "[i3]" + element(bias) + "out " + out + "[i1, i2, i3]" + element(out),
        fmt::format("0: $a = load({})\n1: $b = load({})\n2: $c = add($a, $b)\n3: {} = store($c)\n",
                    in, bias, out));
    return out;
  }

  std::string relu(const std::string& in, bool final) {
    const Sizes sizes = tensors_.at(in).sizes;
    const std::string out = result(sizes, final);
    add("#eltwise #eltwise_cond #kernel",
        fmt::format("i1:{}, i2:{}, i3:{}", sizes[0], sizes[1], sizes[2]),
        "#eltwise_cond in " + in + "[i1, i2, i3]" + element(in) + "out " + out + "[i1, i2, i3]" +
            element(out),
        fmt::format(
            "0: $a = load({})\n1: $z = (int)0\n2: $l = cmp_lt($a, $z)\n3: $c = cond($l, $z, "
            "$a)\n4: {} = store($c)\n",
            in, out));
    return out;
  }

  Random& random_;
  std::map<std::string, Entry> tensors_;
  std::string kernels_;
  std::size_t count_ = 0;
};

}  // namespace

Program random_program(Random& random) {
  return read_text_form(Builder(random).run(), "random program");
}

std::string random_passes(Random& random) {
  const auto tag = [&random] {
    static const char* tags[] = {"contraction", "kernel", "eltwise",
                                 "outer",       "inner",  "agg_op_add"};
    return tags[pick(random, 0, 5)];
  };
  const auto flag = [&random] { return pick(random, 0, 1) == 0 ? "false" : "true"; };
  std::string list;
  const std::uint64_t count = pick(random, 1, 8);
  for (std::uint64_t i = 0; i < count; ++i) {
    std::string one;
    switch (pick(random, 0, 28)) {
      case 0:
        one = R"("localize": {"reqs": ["program"], "ref_reqs": ["tmp"]})";
        break;
      case 1:
        one = R"("localize": {"reqs": ["main"]})";
        break;
      case 2:
        one = R"("pad": {"reqs": ["main"]})";
        break;
      case 3:
        one = R"("light_cstr_reduction": {"reqs": ["all"]})";
        break;
      case 4:
      case 5:
        one = fmt::format(
            R"("autotile": {{"reqs": ["{}"], "outer_set": ["outer"], "inner_set": ["inner"], "only_po2": {}, "acc_idxs": {}, "clear_outer": {}, "copy_tags": {}, "flip": {}, "max_sizes_product": {}}})",
            tag(), flag(), flag(), flag(), flag(), flag(), pick(random, 1, 64));
        break;
      case 6:
        one = fmt::format(
            R"("autotile": {{"reqs": ["{}"], "outer_set": ["outer"], "inner_set": ["inner"], "only_po2": true, "interleave": {}, "max_total_size": {}}})",
            tag(), flag(), pick(random, 16, 600));
        break;
      case 7:
        one = fmt::format(
            R"("stencil": {{"reqs": ["agg_op_add", "comb_op_mul"], "outer_set": ["outer"], "inner_set": ["inner"], "stencils": [{{"startup_cost": {}, "idxs": [{{"name": "k", "size": {}, "outs": [0], "ins": [-1, -1]}}, {{"name": "n", "size": {}, "outs": [-1], "ins": [0, -1]}}]}}]}})",
            pick(random, 0, 32), pick(random, 1, 4), pick(random, 1, 4));
        break;
      case 8:
      case 9: {
        static const char* directions[] = {"In", "Out", "InOut"};
        one = fmt::format(
            R"("cache": {{"reqs": ["{}"], "dirs": ["{}"], "mem_loc": {{"name": "SRAM"}}, "xfer_loc": {{"name": "DMA"}}}})",
            pick(random, 0, 2) == 0 ? "main" : "outer", directions[pick(random, 0, 2)]);
        break;
      }
      case 10:
      case 11:
        one = fmt::format(
            R"("fusion": {{"a_reqs": ["{}"], "b_reqs": ["{}"], "fused_set": ["outer"]}})", tag(),
            tag());
        break;
      case 12:
        // After localize, fused blocks have buffers of one element, which scalarize needs.
        one = R"("fusion": {"a_reqs": ["eltwise"], "b_reqs": ["eltwise"]}},
                 {"localize": {"reqs": ["program"], "ref_reqs": ["tmp"]}},
                 {"localize": {"reqs": ["main"]}},
                 {"scalarize": {"reqs": ["program"]})";
        break;
      case 13:
        one = R"("compute_deps": {"reqs": ["main"]})";
        break;
      case 14:
        one =
            R"("memory_placement": {"reqs": ["program"], "locs": [{}, {"name": "SRAM"}], "alignment": 16})";
        break;
      case 15:
        one = fmt::format(R"("{}": {{"reqs": ["program"]}})",
                          pick(random, 0, 1) == 0 ? "prune_refs" : "prune_idxs");
        break;
      case 16:
        one = fmt::format(R"("dce": {{"reqs": ["all"], "fix_deps": {}}})", flag());
        break;
      case 17:
        one = fmt::format(R"("transpose": {{"reqs": ["{}"], "alloc_reqs": ["main"]}})", tag());
        break;
      case 18:
        one = fmt::format(
            R"("partition_{}": {{"reqs": ["{}"], "num_parts": {}, "set_tags": ["outer"], "idx_tag": "bank"}})",
            pick(random, 0, 1) == 0 ? "compute" : "memory", tag(), pick(random, 1, 4));
        break;
      case 19:
        one = fmt::format(
            R"("schedule": {{"reqs": ["main"], "mem_loc": {{"name": "SRAM"}}, "mem_KiB": {}, "alignment": 16, "xfer_loc": {{"name": "DMA"}}}})",
            pick(random, 1, 4));
        break;
      case 20:
      case 21: {
        static const char* directions[] = {"In", "Out", "InOut"};
        one = fmt::format(
            R"("cache": {{"reqs": ["{}"], "ref": "{}", "dirs": ["{}"], "reorder_idx": {}, "mem_loc": {{"name": "SRAM"}}, "xfer_loc": {{"name": "DMA"}}}})",
            pick(random, 0, 2) == 0 ? "main" : "outer", pick(random, 0, 2) == 0 ? tag() : "inner",
            directions[pick(random, 0, 2)], flag());
        break;
      }
      case 23:
      case 24:
        one = fmt::format(R"("vector_layout": {{"reqs": ["{}"], "vector_size": {}}})",
                          pick(random, 0, 3) == 0 ? "program" : "main", pick(random, 1, 4));
        break;
      case 25:
        one = fmt::format(R"("fix_strides": {{"reqs": ["{}"]}})",
                          pick(random, 0, 1) == 0 ? "program" : "main");
        break;
      case 26: {
        static const char* kinds[] = {"locate_block", "locate_memory"};
        one = fmt::format(
            R"("{}": {{"reqs": ["{}"], "loc": {{"name": "SRAM"}}, "append_devs": {}}})",
            kinds[pick(random, 0, 1)], pick(random, 0, 1) == 0 ? "main" : tag(), flag());
        break;
      }
      case 27:
        one = fmt::format(
            R"("locate_inner_block": {{"reqs": ["main"], "inner_reqs": ["{}"], "loc": {{"name": "PE"}}}})",
            tag());
        break;
      case 22:
        one = R"("ilp_cstr_reduction": {"reqs": ["all"]})";
        break;
      default:
        one = fmt::format(R"("{}": {{"reqs": ["{}"]}})",
                          pick(random, 0, 1) == 0 ? "aggrinit" : "unroll",
                          pick(random, 0, 1) == 0 ? "main" : "outer");
        break;
    }
    list += (list.empty() ? "" : ",\n") + ("{" + one + "}");
  }
  return "[" + list + "]";
}

}  // namespace tactus::stripe::test
