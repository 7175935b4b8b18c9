// Rules of legal programs.
#pragma once

#include <string>

#include "firmware/compiler/stripe/ir.h"

namespace tactus::stripe {

/// Throws UserError with every broken rule, a line each: "WHERE: block NAME / block NAME: what".
///
///  - names are given, and once: indexes and refinements of a block, scalars of a position;
///  - names have the form of is_name(); scalars begin with "$", refinements do not;
///  - the entry block has a buffer, and buffers tagged "user" are in no other;
///  - a refinement has no `from` exactly if it is an allocation; `from` is one of the enclosing
///    block's; an access per dimension, of as many dimensions as the buffer has;
///  - ranges are at least 1, a computed index has range 1 and uses the enclosing block's indexes;
///  - constraints, accesses and load_index use the block's own indexes;
///  - scalars are defined before they are used; loads read, stores write refinements that allow it;
///  - a view that is written is a view of something that may be written;
///  - functions are those of interpret(), with their numbers of inputs and one output;
///  - positions that the constraints leave touch elements of the buffers only (not if `open`);
///  - dependencies are earlier statements of the block;
///  - aggregation, direction and type are known; sizes, strides and affines fit 64 bits;
///  - blocks are at most max_block_depth deep.
///
/// WHERE has the line of the statement, refinement or index where the program came from a text.
/// `open`: the entry block may be given buffers from outside, and views may leave out leading
/// dimensions, as in hand-written fragments.
void verify(const Program& program, const std::string& where, bool open = false);

/// All rules but that of the elements which positions touch. Programs that the compiler makes of
/// networks break that one: they copy whole vectors, also where these reach beyond a buffer's last
/// channel. What passes make of a program that was verified is not judged by it again.
void verify_form(const Program& program, const std::string& where);

}  // namespace tactus::stripe
