// A schedule file in schedule score: as it stands, or planned anew where options say otherwise.
#pragma once

#include <set>
#include <string>

#include "longhaul/schedule_inputs.hpp"
#include "longhaul/schedule_text.hpp"

namespace longhaul::app {

/// Names of options as typed, such as "--rounds".
using TypedOptions = std::set<std::string, std::less<>>;

/// Of the options that go before what a schedule file says, those that were typed.
[[nodiscard]] TypedOptions typed_options(const CLI::App& command);

/// Why a file is planned anew: "--memory-gb, --rounds", "another network"; empty: it stands.
[[nodiscard]] std::string why_anew(const schedule::TimedSchedule& file,
                                   const TypedOptions& typed,
                                   const LoadedIslands& loaded);

/// Takes pace, payload, memory, guard and forgetting of the file where no option states them.
[[nodiscard]] core::Result<void> take_from_file(const schedule::TimedSchedule& file,
                                                const TypedOptions& typed,
                                                LoadedIslands& loaded);

/// The score of a file. As it stands: with its lengths, offsets, rates and weights. Anew: the same
/// cliques on the trees of the file (unless --trees or streamed rounds choose others) with its
/// weights (unless --best-weights finds others).
[[nodiscard]] core::Result<Scored> scored_file(const schedule::TimedSchedule& file,
                                               const TypedOptions& typed,
                                               schedule::RoundTimes& times,
                                               const LoadedIslands& loaded);

}  // namespace longhaul::app
