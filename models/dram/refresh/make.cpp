#include "isa/support/error.h"
#include "models/dram/refresh/all_bank.h"
#include "models/dram/refresh/none.h"
#include "models/dram/refresh/refresh_manager.h"

namespace tactus {

std::unique_ptr<DdrRefreshManager> make_refresh_manager(const DdrConfig& config) {
  switch (config.refresh) {
    case DdrRefresh::all_bank:
      return std::make_unique<DdrAllBankRefresh>(config.t_refi, config.t_rfc);
    case DdrRefresh::none:
      return std::make_unique<DdrNoRefresh>();
  }
  internal_error("a DRAM controller has no such refresh");
}

}  // namespace tactus
