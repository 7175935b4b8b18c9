#include "firmware/compiler/targets/tcu/lir/lir.h"

#include <array>
#include <string>

#include <fmt/format.h>

#include "isa/tcu/names.h"

namespace tactus::compiler::lir {
namespace {

/// Indexed by SegmentKind.
constexpr std::array<std::string_view, 4> names = {"init", "load", "compute", "save"};

std::string text(const Place& place) {
  return place.stride == 0
             ? compiler::to_string(place.address)
             : fmt::format("{}@2^{}", compiler::to_string(place.address), place.stride);
}

std::string selector(unsigned value, char port) {
  return value == 0 ? std::string(1, port) : fmt::format("R{}", value);
}

struct Writer {
  std::ostream& out;

  void operator()(const MatMul& o) const {
    out << "mat_mul " << text(o.local) << " -> " << text(o.accumulators) << ", " << o.count
        << (o.accumulate ? ", accumulate\n" : "\n");
  }
  void operator()(const DataMove& o) const {
    const Place& from = o.to_local ? o.other : o.local;
    const Place& to = o.to_local ? o.local : o.other;
    out << "data_move " << text(from) << " -> " << text(to) << ", " << o.count
        << (o.accumulate ? ", accumulate\n" : "\n");
  }
  void operator()(const LoadWeights& o) const {
    out << "load_weights " << text(o.local) << ", " << o.count << '\n';
  }
  void operator()(const Simd& o) const {
    out << "simd " << selector(o.dest, 'O') << " = " << info(o.op).name << '('
        << selector(o.left, 'I') << ", " << selector(o.right, 'I') << ')';
    if (!o.read.is(Tag::invalid)) out << ", read " << compiler::to_string(o.read);
    if (!o.write.is(Tag::invalid)) out << ", write " << compiler::to_string(o.write);
    out << (o.accumulate ? ", accumulate\n" : "\n");
  }
  void operator()(const LoadLut& o) const {
    out << "load_lut " << text(o.local) << " -> table " << o.table << '\n';
  }
  void operator()(const Wait& o) const { out << "wait " << o.count << '\n'; }
};

}  // namespace

std::string_view to_string(SegmentKind kind) { return names[static_cast<std::size_t>(kind)]; }

void dump(const Segment& segment, std::ostream& out) {
  out << fmt::format(" stage {} partition {} {}\n", segment.stage, segment.partition,
                     to_string(segment.kind));
  for (const Operation& operation : segment.operations) {
    out << "  ";
    std::visit(Writer{out}, operation);
  }
}

}  // namespace tactus::compiler::lir
