#include "isa/support/link_values.h"

#include <cstdint>

namespace tactus {
namespace {

using L = LinkValues;

std::vector<Parameter<L>> parameters() {
  constexpr WholeRange rate{1, 1000000000000};
  constexpr WholeRange bytes{0, 1 << 30};
  std::vector<Parameter<L>> all{
      whole("out_bytes_per_second", &L::out_bytes_per_second, rate, "bytes/s",
            "rate of data to the device"),
      whole("in_bytes_per_second", &L::in_bytes_per_second, rate, "bytes/s",
            "rate of data from the device"),
      whole("fixed_ps", &L::fixed_ps, {0, 1000000000000}, "ps",
            "time that every request takes on the host, whatever it transfers"),
      boolean("outfeed_blocks_infeed", &L::outfeed_blocks_infeed,
              "data to the device wait until an output listed before them has been received"),
      boolean("needs_hints", &L::needs_hints,
              "the host has to know all transfers ahead, so that only packages with fully "
              "deterministic hints run"),
      whole("core_hz", &L::core_hz, {1, 1000000000000}, "Hz",
            "clock of the device, which turns estimated cycles into time"),
      whole("wire_bytes_per_second", &L::wire_bytes_per_second, rate, "bytes/s",
            "rate of the bare link each way, after coding"),
      whole("packet_bytes", &L::packet_bytes, bytes, "bytes",
            "payload of a packet on the wire; 0: no packets"),
      whole("packet_overhead_bytes", &L::packet_overhead_bytes, bytes, "bytes",
            "bytes that a packet takes on the wire in addition to its payload"),
      boolean("device_fetches", &L::device_fetches,
              "true: the device reads the host's memory, with a request for each transfer; false: "
              "the host sends"),
      whole("header_bytes", &L::header_bytes, bytes, "bytes",
            "header sent ahead of a DMA to the device; if the device fetches, the descriptor of an "
            "instruction chunk"),
      whole("ring_descriptors", &L::ring_descriptors, {0, 1 << 20}, "",
            "descriptors of instruction chunks that fit into the host's ring; the host waits while "
            "it is full; 0: no limit"),
      whole("status_bytes", &L::status_bytes, bytes, "bytes",
            "status written to the host when a descriptor is complete, which frees its place in "
            "the ring; 0: none"),
      whole("page_bytes", &L::page_bytes, bytes, "bytes",
            "page size of the device's page table; no transfer crosses a page; 0: no page table"),
      whole("pages", &L::pages, {0, std::uint64_t{1} << 40}, "",
            "pages that the page table maps at a time; 0: no limit"),
      whole("translations", &L::translations, {0, 4096}, "",
            "entries of the page table that the device keeps, those used last; 0: all"),
      whole("translation_bytes", &L::translation_bytes, bytes, "bytes",
            "size of a page table entry; the device reads an entry that it does not keep from the "
            "host's memory"),
      whole("transfer_bytes", &L::transfer_bytes, bytes, "bytes",
            "longest transfer to the device; if the device fetches, no transfer crosses a multiple "
            "of it; 0: no limit"),
      whole("transfers_outstanding", &L::transfers_outstanding, {0, 4096}, "",
            "transfers to the device under way at a time; 0: no limit"),
      whole("chunk_bytes", &L::chunk_bytes, bytes, "bytes",
            "longest transfer from the device; 0: no limit"),
      whole("chunks_queued", &L::chunks_queued, {0, 4096}, "",
            "transfers from the device under way at a time; 0: no limit"),
      whole("event_bytes", &L::event_bytes, bytes, "bytes",
            "size of the message that announces the interrupt to the host; 0: no message"),
      whole("device_bus_hz", &L::device_bus_hz, {0, 1000000000000}, "Hz",
            "clock of the bus in the device; 0: the bus takes no time"),
      whole("device_bus_bytes", &L::device_bus_bytes, {1, 4096}, "bytes",
            "width of the bus in the device")};
  for (Parameter<L>& parameter : all) parameter = parameter.without_option();
  return all;
}

}  // namespace

const ParameterTable<LinkValues>& link_parameters() {
  static const ParameterTable<LinkValues> table(
      "link",
      "A host link. A file of configs/links has every key, beside \"name\", \"title\" and "
      "\"provenance\".",
      parameters());
  return table;
}

}  // namespace tactus
