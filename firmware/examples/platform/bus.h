// The platform's bus. The targets lie in an address map. The bus takes no time. It routes blocking,
// debug and DMI calls; this platform uses no others.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>
#include <systemc>
#include <tlm>

#include "models/axi/bus_map.h"

class Bus final : public sc_core::sc_module {
 public:
  using In = tlm_utils::simple_target_socket<Bus>;
  using Out = tlm_utils::simple_initiator_socket<Bus>;

  struct Target {
    std::string name;
    std::uint64_t base, size;  ///< the target has bus addresses [base, base + size), in bytes
  };

  /// Throws tactus::UserError if targets overlap.
  Bus(const sc_core::sc_module_name& name, const std::vector<std::string>& initiators,
      const std::vector<Target>& targets)
      : sc_module(name) {
    for (const std::string& initiator : initiators) {
      in_.push_back(std::make_unique<In>((initiator + "_in").c_str()));
      in_.back()->register_b_transport(this, &Bus::b_transport);
      in_.back()->register_transport_dbg(this, &Bus::transport_dbg);
      in_.back()->register_get_direct_mem_ptr(this, &Bus::get_direct_mem_ptr);
    }
    for (const Target& target : targets) {
      map_.add(target.name, target.base, target.size);
      out_.push_back(std::make_unique<Out>((target.name + "_out").c_str()));
    }
  }

  // Sockets, numbered as in the constructor's lists.
  In& initiator(std::size_t i) { return *in_[i]; }
  Out& target(std::size_t i) { return *out_[i]; }

 private:
  /// Finds the target of an access and calls `call` with it and its base, while the access has the
  /// target's own address. Returns `none` with an address error if no target has all `bytes`.
  template <typename Result, typename Call>
  Result route(tlm::tlm_generic_payload& access, std::uint64_t bytes, Result none,
               const Call& call) {
    const std::uint64_t address = access.get_address();
    const std::size_t target = map_.find(address, bytes);
    if (target == tactus::BusMap::npos) {
      access.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
      return none;
    }
    const std::uint64_t base = map_[target].base;
    access.set_address(address - base);
    const Result result = call(*out_[target], base);
    access.set_address(address);
    return result;
  }
  void b_transport(tlm::tlm_generic_payload& access, sc_core::sc_time& delay) {
    route(access, access.get_data_length(), 0, [&](Out& out, std::uint64_t) {
      out->b_transport(access, delay);
      return 0;
    });
  }
  unsigned transport_dbg(tlm::tlm_generic_payload& access) {
    return route(access, access.get_data_length(), 0U,
                 [&](Out& out, std::uint64_t) { return out->transport_dbg(access); });
  }
  bool get_direct_mem_ptr(tlm::tlm_generic_payload& access, tlm::tlm_dmi& dmi) {
    return route(access, 1, false, [&](Out& out, std::uint64_t base) {
      const bool granted = out->get_direct_mem_ptr(access, dmi);
      dmi.set_start_address(dmi.get_start_address() + base);
      dmi.set_end_address(dmi.get_end_address() + base);
      return granted;
    });
  }

  tactus::BusMap map_;
  std::vector<std::unique_ptr<In>> in_;
  std::vector<std::unique_ptr<Out>> out_;
};
