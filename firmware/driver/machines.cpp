#include "firmware/driver/machines.h"

#include "isa/support/error.h"
#include "isa/support/text.h"
#include "models/dpas/machine_info.h"
#include "models/tcu/machine_info.h"

namespace tactus {

const std::vector<const MachineInfo*>& machines() {
  static const std::vector<const MachineInfo*> all{&tcu_machine_info(), &dpas_machine_info()};
  return all;
}

const MachineInfo& machine_info(std::string_view name) {
  std::vector<std::string_view> names;
  for (const MachineInfo* machine : machines()) {
    if (machine->name == name) return *machine;
    names.push_back(machine->name);
  }
  user_error("--machine {} is not allowed; allowed: {}{}", quote(name), quote_list(names),
             suggestion(name, names));
}

}  // namespace tactus
