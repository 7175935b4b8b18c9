// Makers of all kinds of passes; one source file each.
#pragma once

#include <memory>

#include "firmware/compiler/stripe/passes/pass.h"

namespace tactus::stripe {

std::unique_ptr<Pass> make_aggrinit();
std::unique_ptr<Pass> make_autotile();
std::unique_ptr<Pass> make_cache();
std::unique_ptr<Pass> make_compute_deps();
std::unique_ptr<Pass> make_dce();
std::unique_ptr<Pass> make_fix_strides();
std::unique_ptr<Pass> make_fusion();
std::unique_ptr<Pass> make_ilp_cstr_reduction();
std::unique_ptr<Pass> make_light_cstr_reduction();
std::unique_ptr<Pass> make_localize();
std::unique_ptr<Pass> make_locate_block();
std::unique_ptr<Pass> make_locate_inner_block();
std::unique_ptr<Pass> make_locate_memory();
std::unique_ptr<Pass> make_memory_placement();
std::unique_ptr<Pass> make_pad();
std::unique_ptr<Pass> make_partition_compute();
std::unique_ptr<Pass> make_partition_memory();
std::unique_ptr<Pass> make_prune_idxs();
std::unique_ptr<Pass> make_prune_refs();
std::unique_ptr<Pass> make_scalarize();
std::unique_ptr<Pass> make_schedule();
std::unique_ptr<Pass> make_stencil();
std::unique_ptr<Pass> make_transpose();
std::unique_ptr<Pass> make_unroll();
std::unique_ptr<Pass> make_vector_layout();

}  // namespace tactus::stripe
