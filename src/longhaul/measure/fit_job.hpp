// One fit to make: whose it is, and the samples that it is made of.
#pragma once

#include <string>
#include <vector>

#include "longhaul/measure/fit_model.hpp"
#include "longhaul/measure/limiter.hpp"
#include "longhaul/measure/link_fit.hpp"

namespace longhaul::measure {

struct FitJob {
    LinkFit fit;  ///< named (from, to, path, transport, state, streams, timing); numbers are filled
    std::string stream;                  ///< name of its random numbers
    std::vector<const Sample*> samples;  ///< for what the kernel and the blocks say; may be empty
    std::vector<Point> points;           ///< times at sizes
    std::vector<SizeGroup> sizes;        ///< the same by size, see prepare
    double rtt_s = 0;                    ///< 0: unknown
    Buffers buffers;
};

/// Groups the points by size, and makes the tables that they need.
void prepare(FitJob& job, MedianTables& tables);

/// Fills the numbers, the limiter, the blocks, the rates of streams and the verdict of job.fit.
void run(FitJob& job, const Bootstrap& bootstrap);

}  // namespace longhaul::measure
