// The subcommands of measure, one function each, as in command.hpp.
#pragma once

#include <string>
#include <vector>

#include "longhaul/command.hpp"
#include "longhaul/measure/link_fit.hpp"
#include "longhaul/measure/raw.hpp"

namespace longhaul::app {

/// Raw measurements of all files as one, and the hash of each file.
struct LoadedRaw {
    measure::Raw raw;
    std::vector<measure::FitSource> sources;
};

/// Warnings go to standard error.
[[nodiscard]] core::Result<LoadedRaw> load_raw_files(const std::vector<std::string>& files);

/// The measurements only.
[[nodiscard]] core::Result<measure::Raw> load_raw(const std::vector<std::string>& files);

void add_measure_agent(CLI::App& parent, Session& session);
void add_measure_plan(CLI::App& parent, Session& session);
void add_measure_run(CLI::App& parent, Session& session);
void add_measure_check(CLI::App& parent, Session& session);
void add_measure_fit(CLI::App& parent, Session& session);
void add_measure_next(CLI::App& parent, Session& session);
/// "longhaul: note: ..." on standard error, one line each.
void print_notes(const std::vector<std::string>& notes);

void add_measure_export(CLI::App& parent, Session& session);
void add_measure_import(CLI::App& parent, Session& session);
void add_measure_template(CLI::App& parent, Session& session);
void add_measure_show(CLI::App& parent, Session& session);

}  // namespace longhaul::app
