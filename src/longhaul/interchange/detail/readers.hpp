// The readers of all formats: what the table in import.cpp points to.
#pragma once

#include "longhaul/interchange/detail/records.hpp"

namespace longhaul::interchange::detail {

// One file at a time; samples and groups. Format facts: docs/formats/imports.md.
void read_nccl_text(const SourceText&, const ImportOptions&, Imported&, const Report&);
void read_nccl_json(const SourceText&, const ImportOptions&, Imported&, const Report&);
void read_iperf3(const SourceText&, const ImportOptions&, Imported&, const Report&);
void read_perftest(const SourceText&, const ImportOptions&, Imported&, const Report&);
void read_osu(const SourceText&, const ImportOptions&, Imported&, const Report&);
void read_ping(const SourceText&, const ImportOptions&, Imported&, const Report&);
void read_sockperf(const SourceText&, const ImportOptions&, Imported&, const Report&);
void read_qperf(const SourceText&, const ImportOptions&, Imported&, const Report&);
void read_netperf(const SourceText&, const ImportOptions&, Imported&, const Report&);
void read_deepspeed(const SourceText&, const ImportOptions&, Imported&, const Report&);
void read_skyplane(const SourceText&, const ImportOptions&, Imported&, const Report&);
void read_intercloud(const SourceText&, const ImportOptions&, Imported&, const Report&);
void read_nccl_topology(const SourceText&, const ImportOptions&, Imported&, const Report&);
void read_nvidia_topology(const SourceText&, const ImportOptions&, Imported&, const Report&);

// A whole fabric from one file.
[[nodiscard]] core::Result<Imported> read_dtfm(const SourceText&, const ImportOptions&);
[[nodiscard]] core::Result<Imported> read_plain_fabric(const SourceText&, const ImportOptions&);
[[nodiscard]] core::Result<Imported> read_simgrid(const SourceText&, const ImportOptions&);
[[nodiscard]] core::Result<Imported> read_simgrid_calibration(const SourceText&,
                                                              const ImportOptions&);
[[nodiscard]] core::Result<Imported> read_astra(const SourceText&, const ImportOptions&);
[[nodiscard]] core::Result<Imported> read_hpcc(const SourceText&, const ImportOptions&);

}  // namespace longhaul::interchange::detail
