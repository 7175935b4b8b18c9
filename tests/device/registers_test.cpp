// The registers of a TcuDevice follow their table.
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "tests/device/platform.h"

namespace tactus {
namespace {

TcuDevice::Config machine(bool sampler) {
  TcuDevice::Config config;
  config.system.tcu.architecture.array_size = 8;
  config.system.tcu.architecture.dram0_depth = config.system.tcu.architecture.dram1_depth = 1024;
  config.system.tcu.architecture.local_depth = 256;
  config.system.tcu.architecture.accumulator_depth = 256;
  config.system.sample_block_size = sampler ? 64 : 0;
  return config;
}

/// Calls `run` in the host's thread.
void on_host(bool sampler, const std::function<void(TestHost&)>& run) {
  KernelScope kernel;
  BankedUnit unit(machine(sampler), 5, 5);
  bool done = false;
  unit.host.run = [&](TestHost& host) {
    run(host);
    done = true;
  };
  sc_core::sc_start();
  EXPECT_TRUE(done);
  kernel.end_threads();
}

TEST(TcuDeviceRegisters, HaveTheirResetValues) {
  for (const bool sampler : {true, false}) {
    on_host(sampler, [sampler](TestHost& host) {
      for (const tcu::DeviceRegisterInfo& info : tcu::device_registers) {
        std::uint32_t value = 0;
        const auto status =
            host.access(tlm::TLM_READ_COMMAND, static_cast<std::uint64_t>(info.address), value);
        if (info.of_samples && !sampler) {
          EXPECT_EQ(status, tlm::TLM_ADDRESS_ERROR_RESPONSE) << info.name;
        } else {
          EXPECT_EQ(status, tlm::TLM_OK_RESPONSE) << info.name;
          EXPECT_EQ(value, info.reset) << info.name;
        }
      }
    });
  }
}

TEST(TcuDeviceRegisters, WrongAccessesAreErrorsAndChangeNothing) {
  on_host(true, [](TestHost& host) {
    std::uint32_t value = 0xFFFFFFFF;
    for (std::uint64_t address = 0; address < tcu::device_register_bytes; ++address) {
      if (tcu::find_device_register(address) != nullptr) continue;
      ASSERT_EQ(host.access(tlm::TLM_READ_COMMAND, address, value),
                tlm::TLM_ADDRESS_ERROR_RESPONSE);
      ASSERT_EQ(host.access(tlm::TLM_WRITE_COMMAND, address, value),
                tlm::TLM_ADDRESS_ERROR_RESPONSE);
    }
    for (const tcu::DeviceRegisterInfo& info : tcu::device_registers) {
      const auto address = static_cast<std::uint64_t>(info.address);
      for (const unsigned bytes : {1U, 2U, 8U}) {
        std::uint64_t wide = ~std::uint64_t{0};
        EXPECT_EQ(host.access_bytes(tlm::TLM_READ_COMMAND, address, &wide, bytes),
                  tlm::TLM_BURST_ERROR_RESPONSE);
        EXPECT_EQ(wide, ~std::uint64_t{0});
      }
      std::uint32_t all = 0xFFFFFFFF;
      EXPECT_EQ(host.access_bytes(tlm::TLM_READ_COMMAND, address, &value, 4, &all),
                tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
      if (info.access == tcu::DeviceAccess::read) {
        EXPECT_EQ(host.access(tlm::TLM_WRITE_COMMAND, address, value),
                  tlm::TLM_COMMAND_ERROR_RESPONSE)
            << info.name;
      }
    }
    // A DMA channel that does not run cannot be started.
    EXPECT_EQ(host.write(DeviceRegister::mm2s_length, 64), tlm::TLM_GENERIC_ERROR_RESPONSE);
    host.write(DeviceRegister::mm2s_dmacr, tcu::dmacr_run);
    EXPECT_EQ(host.write(DeviceRegister::mm2s_length, 0), tlm::TLM_GENERIC_ERROR_RESPONSE);
    EXPECT_EQ(host.write(DeviceRegister::mm2s_length, 3), tlm::TLM_GENERIC_ERROR_RESPONSE);
    EXPECT_EQ(host.write(DeviceRegister::mm2s_length, 1U << 26), tlm::TLM_GENERIC_ERROR_RESPONSE);
    host.write(DeviceRegister::mm2s_sa, 3);
    EXPECT_EQ(host.write(DeviceRegister::mm2s_length, 64), tlm::TLM_GENERIC_ERROR_RESPONSE);
    host.write(DeviceRegister::mm2s_sa, 0);
    EXPECT_EQ(host.read(DeviceRegister::mm2s_length), 0U);
    EXPECT_EQ(host.read(DeviceRegister::status), tcu::status_idle);
    // A busy DMA channel cannot be started either.
    EXPECT_EQ(host.write(DeviceRegister::mm2s_length, 64), tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(host.write(DeviceRegister::mm2s_length, 64), tlm::TLM_GENERIC_ERROR_RESPONSE);
    EXPECT_EQ(host.write(DeviceRegister::mm2s_sa, 64), tlm::TLM_GENERIC_ERROR_RESPONSE);
    EXPECT_EQ(host.read(DeviceRegister::mm2s_sa), 0U);
  });
}

/// An access takes effect after its annotated delay.
TEST(TcuDeviceRegisters, WaitForAnnotatedDelays) {
  on_host(false, [](TestHost& host) {
    std::uint32_t value = 0;
    EXPECT_EQ(host.access(tlm::TLM_READ_COMMAND, static_cast<std::uint64_t>(DeviceRegister::cycle),
                          value, 4, sc_core::sc_time(1, sc_core::SC_US)),
              tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(value, 100U);
    EXPECT_EQ(sc_core::sc_time_stamp(), sc_core::sc_time(1, sc_core::SC_US));
  });
}

TEST(TcuDeviceRegisters, ArePrintedInTheirPage) {
  std::ifstream file(TACTUS_SOURCE_DIR "/models/tcu/device/README.md");
  std::ostringstream page;
  page << file.rdbuf();
  EXPECT_NE(page.str().find(to_markdown(tcu::device_register_table())), std::string::npos)
      << "models/tcu/device/README.md should have\n"
      << to_markdown(tcu::device_register_table());
}

}  // namespace
}  // namespace tactus
