// What the numbers of nccl-tests mean, for both of its output formats.
#pragma once

#include <string>
#include <vector>

#include "longhaul/interchange/detail/records.hpp"

namespace longhaul::interchange::detail {

/// One size of a run.
struct NcclRow {
    double bytes = 0;             ///< as printed in the column "size"
    int root = 0;                 ///< of gather and scatter
    std::vector<double> seconds;  ///< one mean, or one a iteration
    int line = 0;
};

struct NcclRun {
    std::string test;                ///< "sendrecv", "gather", "all_reduce", ...
    std::vector<std::string> ranks;  ///< name of the process of each rank
    std::vector<NcclRow> rows;
};

/// Name of the test in text such as "./build/sendrecv_perf -b 8"; empty when there is none.
[[nodiscard]] std::string nccl_test_in(std::string_view text);

/// The test that ran: as given ("sendrecv" or "sendrecv_perf"), else as found.
[[nodiscard]] std::string nccl_test_of(const ImportOptions& options, std::string_view found);

/// "host/device", made different from those before.
[[nodiscard]] std::string nccl_rank_name(const std::vector<std::string>& before,
                                         std::string_view host,
                                         std::string_view device);

/// sendrecv: relay, or both ways between two ranks; gather and scatter: fans. Anything else is
/// refused: the bus bandwidth of a collective is no link.
void add_nccl_run(const NcclRun& run, Imported& imported, const Report& report);

}  // namespace longhaul::interchange::detail
