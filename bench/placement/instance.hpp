// The rows of the table: what is placed, and what is asked of the answer.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "longhaul/placement/shape.hpp"

namespace longhaul::bench {

/// What a row must reach. Seconds are CPU seconds of one core; 0: not asked.
struct Bar {
    std::optional<double> optimum;  ///< published, to six decimals: neither more nor less
    bool proved = false;
    bool best_known = false;    ///< every seed at least as good as best_known.json says
    double best_within_s = 0;   ///< best known value when stopped after this time
    std::optional<double> gap;  ///< largest
    double first_s = 0;         ///< first plan
    double final_s = 0;         ///< final answer
    bool beats_seeds = false;   ///< less than any seed of the dendrograms
    double memory_gb = 0;       ///< peak of the process
};

struct Instance {
    std::string id;      ///< unique; names the row in best_known.json
    std::string group;   ///< heading in the table
    std::string fabric;  ///< see fabrics.hpp
    placement::Shape shape;
    double c_pp_gb = 0;
    double c_dp_gb = 0;
    double search_effort = 1;  ///< times the default budget of the search
    double proof_effort = 1;   ///< times the default work of the proof
    double limit_s = 60;       ///< search and proof are told to stop after this CPU time
    Bar bar;
};

/// Rows in the order of the table.
[[nodiscard]] std::vector<Instance> all_instances();

}  // namespace longhaul::bench
