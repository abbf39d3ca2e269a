#include "longhaul/measure/check.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "longhaul/core/statistics.hpp"
#include "longhaul/measure/outliers.hpp"

namespace longhaul::measure {
namespace {

std::string percent(double share) {
    return fmt::format("{:.3g} %", 100 * share);
}

double share_of(std::size_t part, std::size_t all) {
    return all == 0 ? 0 : static_cast<double>(part) / static_cast<double>(all);
}

void no(CheckReport& report, std::string kind, std::string what, std::string advice) {
    report.remarks.push_back(
        {Severity::kNo, std::move(kind), "", std::move(what), std::move(advice)});
}

void remark(CheckReport& report,
            std::string kind,
            std::string where,
            std::string what,
            std::string advice) {
    report.remarks.push_back({Severity::kWarning,
                              std::move(kind),
                              std::move(where),
                              std::move(what),
                              std::move(advice)});
}

double cost_s(const PairFacts& facts, std::size_t i, std::size_t j, double payload_gb) {
    return facts.alpha_ms(i, j) / 1000 + 8 * payload_gb / facts.beta_gbps(i, j);
}

void count_pairs(const PairFacts& facts, CheckReport& report) {
    report.hosts = facts.size();
    report.suspect = facts.suspects;
    for (std::size_t i = 0; i < facts.size(); ++i) {
        for (std::size_t j = 0; j < facts.size(); ++j) {
            report.pairs += i == j ? 0 : 1;
            report.missing += i != j && facts.beta_gbps(i, j) <= 0 ? 1 : 0;
            report.estimated += i != j && facts.estimated(i, j) != 0 ? 1 : 0;
        }
    }
}

void judge_costs(const PairFacts& facts, const CheckOptions& options, CheckReport& report) {
    std::vector<double> costs;
    std::vector<double> asymmetries;
    for (std::size_t i = 0; i < facts.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j) {
            const double forth = facts.beta_gbps(i, j);
            const double back = facts.beta_gbps(j, i);
            if (forth > 0 && back > 0) {
                costs.push_back((cost_s(facts, i, j, options.payload_gb) +
                                 cost_s(facts, j, i, options.payload_gb)) /
                                2);
                asymmetries.push_back(std::max(forth / back, back / forth));
            }
        }
    }
    if (costs.empty()) {
        return;
    }
    const auto beyond = static_cast<std::size_t>(std::ranges::count_if(
        asymmetries, [&](double ratio) { return ratio > options.asymmetric; }));
    report.asymmetric_share = share_of(beyond, asymmetries.size());
    const core::Summary cost = core::summarise(std::move(costs));
    const core::Summary ratio = core::summarise(std::move(asymmetries));
    report.least_s = cost.min;
    report.median_s = cost.median;
    report.most_s = cost.max;
    report.asymmetry_median = ratio.median;
    report.asymmetry_most = ratio.max;
    if (facts.size() == 2) {
        no(report,
           "uniform",
           "two hosts have one pair, so there is nothing to choose between",
           "use its costs as they are: no placement is better than another");
    } else if (report.most_s <= options.uniform * report.least_s) {
        no(report,
           "uniform",
           fmt::format("pair costs differ by {:.3g}x at most", report.most_s / report.least_s),
           fmt::format("any placement will do: none sends faster by more than {}",
                       percent(1 - report.least_s / report.most_s)));
    }
    if (beyond > 0) {
        report.remarks.push_back(
            {Severity::kNote,
             "asymmetric",
             "",
             fmt::format(
                 "the directions of {} of the pairs differ by more than {:.3g}x, at most {:.3g}x",
                 percent(report.asymmetric_share),
                 options.asymmetric,
                 report.asymmetry_most),
             "that is no fault: costs use the mean of both directions"});
    }
}

void judge_coverage(const PairFacts& facts, const CheckOptions& options, CheckReport& report) {
    if (report.pairs == 0) {
        no(report, "pairs", "there are no two devices", "give a fabric or fits of two or more");
    }
    if (report.missing > 0) {
        no(report,
           "missing",
           fmt::format("{} of {} ordered pairs have no bandwidth", report.missing, report.pairs),
           "measure them, or have them estimated (longhaul measure fit --complete --fabric FILE)");
    }
    const double estimated = share_of(report.estimated, report.pairs);
    if (estimated > options.max_estimated) {
        no(report,
           "estimated",
           fmt::format("{} of the pairs are estimates", percent(estimated)),
           fmt::format("measure more pairs, or allow it (at most {} now)",
                       percent(options.max_estimated)));
    }
    const double suspect = share_of(report.suspect.value_or(0), report.pairs);
    if (suspect > options.max_suspect) {
        no(report,
           "suspect",
           fmt::format("{} of the pairs have a suspect fit", percent(suspect)),
           facts.gates.empty()
               ? "the file of fits says which and why (longhaul measure check LINKS); measure them "
                 "again"
               : "see the gates below and measure these pairs again");
    }
    for (const FailedGate& gate : facts.gates) {
        remark(report,
               "gate",
               gate.pair,
               fmt::format("{}: {}", gate.finding.gate, gate.finding.reason),
               gate.finding.advice);
    }
}

void judge_context(const CheckOptions& options, const CheckContext& context, CheckReport& report) {
    report.age_days = context.age_days;
    if (!context.unknown_time.empty()) {
        no(report,
           "stale",
           fmt::format("{} is not the time of a measurement", core::shown(context.unknown_time)),
           "it must be in UTC and in the past, such as 2026-11-29T12:00:00Z");
    }
    if (context.age_days && *context.age_days > options.max_age_days) {
        no(report,
           "stale",
           fmt::format("measured {:.3g} days ago", *context.age_days),
           fmt::format("measure again: rates of many links change within {:.3g} days",
                       options.max_age_days));
    }
    for (const Event& event : context.events) {
        if (event.kind == "busy") {
            remark(report,
                   "busy",
                   event.host,
                   "the audit found transfers slowed by others that have nothing in common: " +
                       event.detail,
                   "a machine or a queue was busy; measure again at a quieter time");
        }
        if (event.kind == "hidden_sharing") {
            report.remarks.push_back({Severity::kNo,
                                      "sharing",
                                      event.host,
                                      "the audit found a shared resource that was not declared" +
                                          (event.detail.empty() ? "" : ": " + event.detail),
                                      "declare the group and measure the pairs over it again"});
        }
    }
    if (context.shared && !context.shared->trusted) {
        remark(report,
               "shared_model",
               "",
               fmt::format("fans are predicted to x{:.3g} only", context.shared->left_out_factor),
               "measure fans of more widths and peer sets; until then leave wide margins");
    }
}

std::string effect_text(double factor, std::string_view verb) {
    return fmt::format("{} at {:.2f}x of comparable hosts", verb, factor);
}

void judge_outliers(const PairFacts& facts, const CheckOptions& options, CheckReport& report) {
    const std::vector<HostEffect> hosts = host_effects(facts, options.outlier);
    for (const HostEffect& effect : hosts) {
        if (effect.outlier) {
            const bool slow =
                std::min(effect.send, effect.receive) < 1 / std::sqrt(options.outlier);
            remark(
                report,
                "host",
                facts.names[effect.host],
                effect_text(effect.send, "sends") + ", " + effect_text(effect.receive, "receives"),
                slow ? "look at its network card, cable, cpu and congestion control"
                     : "faster than the others: check that it is what it should be");
        }
    }
    for (const PairEffect& pair : pair_outliers(facts, hosts, options.outlier)) {
        remark(report,
               "pair",
               fmt::format("{}>{}", facts.names[pair.pair.from], facts.names[pair.pair.to]),
               fmt::format("runs at {:.2f}x of comparable pairs", pair.ratio),
               pair.ratio < 1 ? "measure it again; if it stays, look at its route"
                              : "measure it again");
    }
}

}  // namespace

std::string_view name_of(Severity severity) {
    return severity == Severity::kNo ? "no" : severity == Severity::kWarning ? "warning" : "note";
}

CheckReport check(const PairFacts& facts,
                  const CheckOptions& options,
                  const CheckContext& context) {
    CheckReport report;
    report.payload_gb = options.payload_gb;
    count_pairs(facts, report);
    judge_context(options, context, report);
    judge_coverage(facts, options, report);
    judge_costs(facts, options, report);
    judge_outliers(facts, options, report);
    std::ranges::stable_sort(report.remarks, {}, &Remark::severity);
    report.worth = report.remarks.empty() || report.remarks.front().severity != Severity::kNo;
    return report;
}

core::Value to_value(const CheckReport& report) {
    core::Value remarks = core::Value::array();
    for (const Remark& remark : report.remarks) {
        remarks.append(core::Value::object()
                           .set("severity", name_of(remark.severity))
                           .set("kind", remark.kind)
                           .set("where", remark.where)
                           .set("what", remark.what)
                           .set("advice", remark.advice));
    }
    core::Value root = core::Value::object();
    root.set("worth", report.worth)
        .set("hosts", static_cast<double>(report.hosts))
        .set("pairs", static_cast<double>(report.pairs))
        .set("missing", static_cast<double>(report.missing))
        .set("estimated", static_cast<double>(report.estimated))
        .set("suspect",
             report.suspect ? core::Value(static_cast<double>(*report.suspect)) : core::Value())
        .set("payload_gb", report.payload_gb)
        .set("cost_s",
             core::Value::object()
                 .set("min", report.least_s)
                 .set("median", report.median_s)
                 .set("max", report.most_s))
        .set("asymmetry",
             core::Value::object()
                 .set("median", report.asymmetry_median)
                 .set("max", report.asymmetry_most)
                 .set("share", report.asymmetric_share));
    if (report.age_days) {
        root.set("age_days", *report.age_days);
    }
    return root.set("remarks", std::move(remarks));
}

}  // namespace longhaul::measure
