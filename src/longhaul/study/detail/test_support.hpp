// Jobs for the tests of this module.
#pragma once

#include <fstream>
#include <iterator>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "longhaul/core/random.hpp"
#include "longhaul/fabric/fabric.hpp"
#include "longhaul/placement/costs.hpp"
#include "longhaul/schedule/islands.hpp"
#include "longhaul/study/build_step.hpp"

namespace longhaul::study::testing {

struct Job {
    placement::Problem problem;
    fabric::Fabric fabric;
    placement::Placement placement;
};

inline fabric::Fabric make_fabric(std::vector<std::string> labels,
                                  const core::Grid<double>& alpha_ms,
                                  const core::Grid<double>& beta_gbps,
                                  std::vector<fabric::SharedCapacity> shared = {}) {
    fabric::FabricParts parts;
    parts.labels = std::move(labels);
    parts.alpha_ms = alpha_ms;
    parts.beta_gbps = beta_gbps;
    parts.shared = std::move(shared);
    auto fabric = fabric::Fabric::make(std::move(parts), "test");
    EXPECT_TRUE(fabric.has_value());
    return std::move(*fabric);
}

/// A shipped network of islands.
inline schedule::Islands shipped_islands(const std::string& file) {
    std::ifstream in(std::string(LONGHAUL_SOURCE_DIR) + "/islands/" + file);
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    const auto document = core::parse_document(text, file);
    EXPECT_TRUE(document.has_value());
    auto islands = schedule::read_islands(*document);
    EXPECT_TRUE(islands.has_value());
    return std::move(*islands);
}

/// Host order, pipelines of contiguous devices; no payloads.
inline Job make_job(placement::Shape shape, fabric::Fabric fabric) {
    workload::Workload workload;
    placement::Terms terms;
    terms.objective = fabric.parts().shared.empty() ? placement::Objective::kPipelined
                                                    : placement::Objective::kAdditive;
    std::vector<int> devices(shape.devices());
    std::iota(devices.begin(), devices.end(), 0);
    placement::Placement placement(shape, devices);
    auto problem = placement::make_problem(fabric, "test", workload, shape, terms);
    EXPECT_TRUE(problem.has_value());
    return {std::move(*problem), std::move(fabric), std::move(placement)};
}

/// The same job with its payloads, terms and speeds, costs made anew.
inline Job remade(Job job) {
    auto problem = placement::make_problem(
        job.fabric, "test", job.problem.workload, job.problem.shape, job.problem.terms);
    EXPECT_TRUE(problem.has_value());
    problem->speed = job.problem.speed;
    job.problem = std::move(*problem);
    return job;
}

inline Job equal_links(placement::Shape shape, double latency_s, double slowness) {
    const std::size_t n = shape.devices();
    constexpr double kFastest = 1e6;  // Gbit/s: no time at all
    const double gbps = slowness > 0 ? 8 / slowness : kFastest;
    return make_job(shape,
                    make_fabric(std::vector<std::string>(n, "site"),
                                core::Grid<double>(n, n, 1000 * latency_s),
                                core::Grid<double>(n, n, gbps)));
}

/// Symmetric random links, messages of equal number both ways, random compute.
inline Job random_job(placement::Shape shape, int batches, core::Random& random) {
    const std::size_t n = shape.devices();
    core::Grid<double> alpha(n, n, 0.0);
    core::Grid<double> beta(n, n, 1.0);
    std::vector<std::string> labels;
    for (std::size_t i = 0; i < n; ++i) {
        labels.push_back(random.below(2) == 0 ? "east" : "west");
        for (std::size_t j = 0; j < i; ++j) {
            alpha(i, j) = alpha(j, i) = 200 * random.uniform();
            beta(i, j) = beta(j, i) = 0.1 + 2 * random.uniform();
        }
    }
    Job job = make_job(shape, make_fabric(std::move(labels), alpha, beta));
    std::vector<int> devices = job.placement.device_of_rank();
    if (shape.tp == 1) {
        random.shuffle(std::span(devices));
    }
    job.placement = placement::Placement(shape, devices);
    job.problem.workload.c_pp = core::Gigabytes(0.1 + random.uniform());
    job.problem.workload.c_pp_backward = core::Gigabytes(0.1 + random.uniform());
    job.problem.workload.c_dp = core::Gigabytes(0.1 + random.uniform());
    job.problem.workload.pp_messages = batches;
    for (int s = 0; s < shape.pp; ++s) {
        job.problem.workload.stage_seconds.push_back(3 * random.uniform());
    }
    return remade(std::move(job));
}

inline Job without_latency(Job job) {
    const std::size_t n = job.fabric.size();
    job.fabric = make_fabric(
        job.fabric.labels(), core::Grid<double>(n, n, 0.0), core::Grid<double>(n, n, 1.0));
    return remade(std::move(job));
}

/// Two sites of `pairs` devices each, pipelines of two stages across them, 1 GB each way, pairs at
/// `gbps`; with `shared`, one uplink of the same rate between the sites.
inline Job two_sites(int pairs, double gbps, bool shared) {
    const placement::Shape shape{2, pairs};
    const std::size_t n = shape.devices();
    std::vector<std::string> labels;
    for (std::size_t i = 0; i < n; ++i) {
        labels.emplace_back(i % 2 == 0 ? "east" : "west");
    }
    std::vector<fabric::SharedCapacity> resources;
    if (shared) {
        resources.emplace_back(
            "sea", gbps, std::vector<std::string>{"east", "west"}, std::vector<std::string>{});
    }
    Job job = make_job(shape,
                       make_fabric(std::move(labels),
                                   core::Grid<double>(n, n, 0.0),
                                   core::Grid<double>(n, n, gbps),
                                   std::move(resources)));
    job.problem.workload.c_pp = core::Gigabytes(1);
    return remade(std::move(job));
}

}  // namespace longhaul::study::testing
