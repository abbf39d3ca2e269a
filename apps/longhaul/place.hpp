// What the modes of `place` share: options, a clock that ends the search, the plan file. Includes
// CLI11: for cmd_place.cpp and place_*.cpp only.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "longhaul/certificates.hpp"
#include "longhaul/command.hpp"
#include "longhaul/fabric/sample.hpp"
#include "longhaul/inputs.hpp"
#include "longhaul/placement/shapes.hpp"
#include "longhaul/placement/solve.hpp"
#include "longhaul/progress.hpp"

namespace longhaul::app {

struct PlaceOptions {
    PlacementInputs inputs;
    placement::SolveOptions solve;
    double time_limit_s = 0;
    std::string output;
    std::string certificate;
    std::size_t certificate_nodes = placement::CertificateOptions().most_nodes;
    bool json = false;
    bool quiet = false;
    std::vector<std::string> phase;  ///< place_phase.cpp
    std::string picture;
    std::string from;  ///< place_from.cpp
    std::optional<int> moves;
    bool robust = false;  ///< place_robust.cpp
    int samples = 32;
    fabric::Noise noise;
};

/// Time since it was made. Ends search, proof and baselines at the time limit and shows
/// that they work.
class Watch {
public:
    Watch(PlaceOptions& options, std::string what);
    Watch(const Watch&) = delete;
    Watch& operator=(const Watch&) = delete;
    [[nodiscard]] double elapsed_s() const;
    void end_progress() { progress_.reset(); }
    /// Shares the time of the search over shapes and shows which one is worked on. Lives no longer
    /// than this.
    [[nodiscard]] placement::ShapeWatch of_shapes();

private:
    double limit_s_;
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
    std::optional<Progress> progress_;
};

/// The command line as typed, for the provenance of a plan.
[[nodiscard]] std::string command_line(const Session& session);

// Modes, each in place_<mode>.cpp: adds its options; runs, and returns the exit code.
void add_phase_options(CLI::App& command, PlaceOptions& options);
[[nodiscard]] core::Result<int> place_phase(PlaceOptions options);
void add_from_options(CLI::App& command, PlaceOptions& options);
[[nodiscard]] core::Result<int> place_from(const Session& session, PlaceOptions options);
void add_robust_options(CLI::App& command, PlaceOptions& options);
[[nodiscard]] core::Result<int> place_robust(const Session& session, PlaceOptions options);

}  // namespace longhaul::app
