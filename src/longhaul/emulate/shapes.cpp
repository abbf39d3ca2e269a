#include <algorithm>
#include <array>

#include "longhaul/core/assert.hpp"
#include "longhaul/emulate/detail/shapes.hpp"

namespace longhaul::emulate {
namespace {

using core::Cursor;

constexpr double kLeastRate = 1e-3;  // Mbit/s
constexpr double kMostRate = 1e6;
constexpr double kMostDelay = 6e5;  // ms: ten minutes
constexpr double kMostQueue = 1e7;  // kB
constexpr double kBytesPerKb = 1e3;
constexpr double kBytesPerMbpsMs = 125;

double number_of(const Cursor& table, std::string_view key, double least, double most) {
    const auto cursor = table.find(key);
    return cursor ? cursor->number_in(least, most).value_or(0) : 0;
}

void read_queue(const Cursor& table, Shape& shape) {
    const auto bytes = table.find("queue_kb");
    const auto time = table.find("queue_ms");
    if (bytes && time) {
        table.report("has queue_kb and queue_ms", "one of them says how long the queue is");
    }
    if ((bytes || time) && shape.rate_mbps == 0) {
        table.report("has a queue, but no rate_mbps", "without a rate nothing waits");
    }
    if (bytes) {
        shape.queue_bytes = kBytesPerKb * bytes->number_in(1.6, kMostQueue).value_or(0);
    } else if (time) {
        shape.queue_bytes =
            kBytesPerMbpsMs * shape.rate_mbps * time->number_in(1e-3, kMostDelay).value_or(0);
    }
}

Shape read_keys(const Cursor& table) {
    Shape shape;
    shape.rate_mbps = number_of(table, "rate_mbps", kLeastRate, kMostRate);
    shape.delay_ms = number_of(table, "delay_ms", 0, kMostDelay);
    shape.jitter_ms = number_of(table, "jitter_ms", 0, kMostDelay);
    shape.loss = number_of(table, "loss", 0, 1);
    shape.burst_bytes = kBytesPerKb * number_of(table, "burst_kb", 0, kMostQueue);
    read_queue(table, shape);
    if (const auto reorder = table.find("reorder")) {
        shape.reorder = reorder->boolean().value_or(false);
    }
    if (shape.jitter_ms > shape.delay_ms) {
        table.report("jitter_ms is larger than delay_ms",
                     "the delay varies by +- jitter_ms and cannot be negative");
    }
    if (shape.burst_bytes > 0 && shape.rate_mbps == 0) {
        table.report("has burst_kb, but no rate_mbps", "a bucket fills at a rate");
    }
    return shape;
}

}  // namespace

std::optional<Shape> read_shape(const Cursor& parent, std::string_view key) {
    const auto table = parent.find(key);
    if (!table || !table->is_object()) {
        return std::nullopt;
    }
    return read_shape_keys(*table, {});
}

Shape read_shape_keys(const Cursor& table, std::initializer_list<std::string_view> others) {
    constexpr std::size_t kOthers = 8;
    LONGHAUL_ASSERT(others.size() <= kOthers);
    std::array<std::string_view, kOthers> extra;
    extra.fill("rate_mbps");
    std::ranges::copy(others, extra.begin());
    table.only_keys({"rate_mbps",
                     "delay_ms",
                     "jitter_ms",
                     "loss",
                     "queue_kb",
                     "queue_ms",
                     "burst_kb",
                     "reorder",
                     extra[0],
                     extra[1],
                     extra[2],
                     extra[3],
                     extra[4],
                     extra[5],
                     extra[6],
                     extra[7]});
    return read_keys(table);
}

bool is_network_sysctl(std::string_view key) {
    const auto plain = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '.' || c == '-';
    };
    return key.starts_with("net.") && key.find("..") == std::string_view::npos &&
           std::ranges::all_of(key, plain);
}

}  // namespace longhaul::emulate
