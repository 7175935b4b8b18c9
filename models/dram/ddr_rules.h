// Minimum clocks between two commands of a DRAM channel: JEDEC's rules for one rank.
//
// Each member is the distance from one command to the next. The suffix _s is for banks of different
// groups, _l for banks of one group, no suffix for one bank. After RDA or WRA a bank precharges by
// itself, at the clock at which PRE would have been allowed. Source: JEDEC JESD79-3 (DDR3),
// JESD79-4 (DDR4), in the form of spec section 5.5.
#pragma once

#include "isa/dram/ddr_config.h"
#include "models/dram/ddr_command.h"

namespace tactus {

struct DdrRules {
  explicit DdrRules(const DdrConfig& c)
      : act_to_access(c.t_rcd),
        act_to_pre(c.t_ras),
        act_to_own_precharge(c.t_ras),
        act_to_act(c.t_rc),
        act_to_act_s(c.t_rrd_s),
        act_to_act_l(c.t_rrd_l),
        act_to_fifth_act(c.t_faw),
        act_to_ref(c.t_rc),
        pre_to_act(c.t_rp),
        pre_to_ref(c.t_rp),
        access_to_access_s(c.t_ccd_s),
        access_to_access_l(c.t_ccd_l),
        rd_to_wr(c.cl + c.burst_clocks() + c.t_turn - c.cwl),
        rd_to_pre(c.t_rtp),
        wr_to_rd_s(c.cwl + c.burst_clocks() + c.t_wtr_s),
        wr_to_rd_l(c.cwl + c.burst_clocks() + c.t_wtr_l),
        wr_to_pre(c.cwl + c.burst_clocks() + c.t_wr),
        wr_to_prea(wr_to_pre),
        ref_to_act(c.t_rfc) {}

  DdrClock act_to_access;         ///< to RD or WR
  DdrClock act_to_pre;            ///< to PRE or PREA
  DdrClock act_to_own_precharge;  ///< to the precharge of RDA or WRA
  DdrClock act_to_act;            ///< in one bank
  DdrClock act_to_act_s, act_to_act_l;
  DdrClock act_to_fifth_act;  ///< any window of this many clocks has at most four ACT
  DdrClock act_to_ref;
  DdrClock pre_to_act;
  DdrClock pre_to_ref;
  DdrClock access_to_access_s, access_to_access_l;  ///< RD to RD, WR to WR
  DdrClock rd_to_wr;
  DdrClock rd_to_pre;  ///< to PRE or PREA
  DdrClock wr_to_rd_s, wr_to_rd_l;
  DdrClock wr_to_pre;
  DdrClock wr_to_prea;
  DdrClock ref_to_act;  ///< to ACT or REF
};

}  // namespace tactus
