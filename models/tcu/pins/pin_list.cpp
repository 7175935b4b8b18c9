#include "models/tcu/pins/pin_list.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace tactus {
namespace {

/// Words of the widest field: a vector of 256 numbers of 64 bits.
constexpr unsigned most_words = 256;

/// Writes packed lanes into storage, as trace::pack_lanes() reads them.
void unpack_lanes(const trace::Widths& widths, const std::uint64_t* words, std::uint8_t* lanes) {
  const unsigned bits = widths.lane_bits;
  for (unsigned i = 0; i < widths.lanes; ++i) {
    std::uint64_t lane = 0;
    take_bits(words, i * bits, &lane, bits);
    if (bits < 64 && (lane >> (bits - 1) & 1) != 0) lane |= ~std::uint64_t{0} << bits;
    std::memcpy(lanes + std::size_t{i} * widths.lane_bytes, &lane, widths.lane_bytes);
  }
}

/// A field of bytes in storage, low byte first; `bytes` returns a reference to the pointer.
template <typename Bytes>
PinField byte_field(const char* name, unsigned count, Bytes bytes) {
  const auto kept = std::make_shared<std::vector<std::uint8_t>>((count + 7) / 8 * 8);
  return {name, count * 8, 0,
          [count, bytes](std::uint64_t* words) {
            if (bytes() != nullptr) trace::pack_bytes(bytes(), count, words);
          },
          [kept, count, bytes](const std::uint64_t* words) {
            std::memcpy(kept->data(), words, count);
            bytes() = kept->data();
          }};
}

PinField constant(const char* name, unsigned width, std::uint64_t value) {
  return {name, width, 0, [value](std::uint64_t* words) { *words = value; }, {}};
}

PinField ones(const char* name, unsigned width) {
  return {name,
          width,
          0,
          [width](std::uint64_t* words) {
            for (unsigned i = 0; i < words_for(width); ++i) words[i] = ~std::uint64_t{0};
            if (width % 64 != 0) words[width / 64] = (std::uint64_t{1} << width % 64) - 1;
          },
          {}};
}

constexpr unsigned id_bits = 6;

}  // namespace

void Pin::load(std::uint64_t* words) const {
  if (wire != nullptr) {
    *words = *wire ? 1 : 0;
    return;
  }
  if (fields.size() == 1) {
    fields[0].get(words);
    return;
  }
  std::array<std::uint64_t, most_words> field;  // each field writes its own words
  std::fill(words, words + words_for(width), 0);
  for (const PinField& f : fields) {
    std::fill(field.begin(), field.begin() + words_for(f.width), 0);
    f.get(field.data());
    put_bits(words, f.at, field.data(), f.width);
  }
}

void Pin::store(const std::uint64_t* words) const {
  if (wire != nullptr) {
    *wire = *words != 0;
    return;
  }
  if (guard != nullptr) guard->wake();          // whoever reads the payload, valid or not
  std::array<std::uint64_t, most_words> field;  // each field writes its own words
  for (const PinField& f : fields) {
    if (!f.set) continue;
    take_bits(words, f.at, field.data(), f.width);
    f.set(field.data());
  }
}

void PinList::ignores(const char* name, unsigned width) {
  add(name, axi_prefix_ + name, width, true, Pin::Kind::value).fields = {constant(name, width, 0)};
}

Pin& PinList::add(std::string channel, std::string name, unsigned width, bool input,
                  Pin::Kind kind) {
  Pin pin;
  pin.channel = std::move(channel);
  pin.name = std::move(name);
  pin.width = width;
  pin.input = input;
  pin.kind = kind;
  pins_.push_back(std::move(pin));
  return pins_.back();
}

void PinList::add_wire(const std::string& channel, const char* end, Wire& wire, bool input) {
  Pin& pin = add(channel, is_axi_ ? axi_prefix_ + channel + end : channel + "_" + end, 1, input,
                 std::strcmp(end, "valid") == 0 ? Pin::Kind::valid : Pin::Kind::ready);
  pin.wire = &wire;
}

void PinList::add_payload(const std::string& channel, std::vector<PinField> fields, Wire& valid,
                          bool input, bool guarded) {
  if (is_axi_) {
    for (PinField& field : fields) {
      const bool is_data = field.name == "bits" || field.name == "word";
      field.at = 0;
      Pin& pin = add(channel, axi_prefix_ + channel + (is_data ? "data" : field.name), field.width,
                     input, Pin::Kind::payload);
      pin.fields = {std::move(field)};
      pin.guard = &valid;
      pin.guarded = guarded;
    }
    return;
  }
  unsigned width = 0;
  for (std::size_t i = fields.size(); i-- > 0;) {
    fields[i].at = width;
    width += fields[i].width;
  }
  Pin& pin = add(channel, channel + "_bits", width, input, Pin::Kind::payload);
  pin.fields = std::move(fields);
  pin.guard = &valid;
  pin.guarded = guarded;
}

std::vector<PinField> PinList::payload_fields(Link<VectorRef>& link) {
  const auto kept = std::make_shared<std::vector<std::uint8_t>>(std::size_t{widths_->lanes} *
                                                                widths_->lane_bytes);
  return {{"bits", widths_->vector_bits(), 0,
           [widths = widths_, &link](std::uint64_t* words) {
             trace::pack_lanes(*widths, link.bits, words);
           },
           [widths = widths_, kept, &link](const std::uint64_t* words) {
             unpack_lanes(*widths, words, kept->data());
             link.bits = kept->data();
           }}};
}

std::vector<PinField> PinList::payload_fields(Link<VectorRef>& link, ByteCount size) {
  return {byte_field("bits", size.count, [&link]() -> const std::uint8_t*& { return link.bits; })};
}

std::vector<PinField> PinList::payload_fields(Link<AxiAddress>& link) {
  unsigned size = 0;
  while (8U << size < widths_->beat_bits) ++size;
  std::vector<PinField> fields{constant("id", id_bits, 0)};
  const auto add = [&fields, &link](const char* name, unsigned width, auto AxiAddress::*member) {
    fields.push_back(
        {name, width, 0, [&link, member](std::uint64_t* words) { *words = link.bits.*member; },
         [&link, member](const std::uint64_t* words) {
           link.bits.*member = static_cast<std::decay_t<decltype(link.bits.*member)>>(*words);
         }});
  };
  add("addr", 32, &AxiAddress::address);
  add("len", 8, &AxiAddress::length);
  fields.push_back(constant("size", 3, size));
  fields.push_back(constant("burst", 2, 1));  // INCR
  fields.push_back(constant("lock", 2, 0));
  add("cache", 4, &AxiAddress::cache);
  fields.push_back(constant("prot", 3, 0));
  fields.push_back(constant("qos", 4, 0));
  return fields;
}

/// Write data have the strobes, read data the response.
std::vector<PinField> PinList::payload_fields(Link<AxiBeat>& link, bool write) {
  const unsigned bytes = widths_->beat_bits / 8;
  return {constant("id", id_bits, 0),
          byte_field("data", bytes, [&link]() -> const std::uint8_t*& { return link.bits.data; }),
          write ? ones("strb", bytes) : constant("resp", 2, 0),
          {"last", 1, 0, [&link](std::uint64_t* words) { *words = link.bits.last ? 1 : 0; },
           [&link](const std::uint64_t* words) { link.bits.last = *words != 0; }}};
}

std::vector<PinField> PinList::payload_fields(Link<AxiResponse>& /*link*/) {
  return {constant("id", id_bits, 0), constant("resp", 2, 0)};
}

}  // namespace tactus
