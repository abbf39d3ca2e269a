// What must hold for any job file: clear problems, or a job whose every number is finite.
#pragma once

#include "longhaul/workload/size.hpp"
#include "round_trip.hpp"

namespace longhaul::fuzz {

/// Empty when all holds, else what does not. write_json throws on a number that is not finite.
inline std::string broken_job_promise(std::string_view text) {
    const auto job = workload::read_job(text, "input");
    if (!job) {
        return clear_problems(job.error()) ? "" : "problems that are not lines of text";
    }
    const workload::Sizing sizing = workload::size(*job);
    const std::string written = core::write_json(workload::to_value(sizing, *job));
    return core::parse_json(written, "written") ? "" : "the sizes do not read back";
}

}  // namespace longhaul::fuzz
