// Logs of different stages in certificates, read and written.
#include <algorithm>

#include <fmt/format.h>

#include "longhaul/placement/certificate.hpp"
#include "longhaul/placement/certificate_values.hpp"

namespace longhaul::placement {

using core::Cursor;
using core::Value;

namespace {

/// Class and weight in turn.
std::vector<std::pair<int, double>> read_weights(const Cursor& list, int classes) {
    std::vector<std::pair<int, double>> weights;
    if (!list.is_array() || list.value().size() % 2 != 0) {
        list.report("is no list of pairs", "it must hold a class and its weight in turn");
        return weights;
    }
    for (std::size_t i = 0; i < list.value().size(); i += 2) {
        const auto k = list.item(i).integer(0, classes - 1);
        const auto weight = list.item(i + 1).number_in(0, 1);
        if (!k || !weight) {
            return weights;
        }
        weights.emplace_back(*k, *weight);
    }
    return weights;
}

void read_number(const Cursor& entry, int pp, int classes, DifferentLog& log) {
    const auto different = entry.require("different", "the number of different stages");
    const auto branches = entry.require("branches", "class of every branch, -1 of a leaf");
    const auto weights = entry.require("weights", "weights of every leaf");
    if (!different || !branches || !weights || !weights->is_array()) {
        return;
    }
    DifferentLog::Number number{different->integer(2, pp).value_or(2), {}};
    const std::vector<int> nodes = whole_numbers(branches, -1, classes - 1);
    const auto leaves = static_cast<std::size_t>(std::ranges::count(nodes, -1));
    if (nodes.size() > kMostCertificateNodes || leaves != weights->value().size()) {
        weights->report(fmt::format("holds {} lists", weights->value().size()),
                        fmt::format("there are {} leaves", leaves));
        return;
    }
    std::size_t leaf = 0;
    for (const int branch : nodes) {
        number.nodes.push_back({branch, {}});
        if (branch < 0) {
            number.nodes.back().weights = read_weights(weights->item(leaf++), classes);
        }
    }
    log.numbers.push_back(std::move(number));
}

}  // namespace

Value different_value(const DifferentLog& log) {
    Value numbers = Value::array();
    for (const DifferentLog::Number& number : log.numbers) {
        std::vector<double> branches;
        Value weights = Value::array();
        for (const DifferentLog::Node& node : number.nodes) {
            branches.push_back(node.branch);
            if (node.branch < 0) {
                std::vector<double> pairs;
                for (const auto& [k, weight] : node.weights) {
                    pairs.push_back(k);
                    pairs.push_back(weight);
                }
                weights.append(std::move(pairs));
            }
        }
        numbers.append(Value::object()
                           .set("different", number.different)
                           .set("branches", std::move(branches))
                           .set("weights", std::move(weights)));
    }
    return numbers;
}

void read_different(const Cursor& object, int pp, int classes, DifferentLog& log) {
    const auto list = object.require("numbers", "one entry for each number of different stages");
    for (std::size_t i = 0; list && list->is_array() && i < list->value().size(); ++i) {
        const Cursor entry = list->item(i);
        if (!entry.is_object()) {
            return;
        }
        read_number(entry, pp, classes, log);
    }
}

}  // namespace longhaul::placement
