#include "longhaul/topology/shape.hpp"

#include <algorithm>
#include <utility>

#include "longhaul/core/assert.hpp"

namespace longhaul::topology {
namespace {

std::uint32_t pairs_of(std::uint32_t n) {
    return n * (n - 1) / 2;
}

/// Index of the pair a < b of n: (0,1), (0,2), ..., (1,2), ...
std::uint32_t pair_index(std::uint32_t n, std::uint32_t a, std::uint32_t b) {
    return a * (2 * n - a - 1) / 2 + (b - a - 1);
}

std::pair<std::uint32_t, std::uint32_t> pair_at(std::uint32_t n, std::uint32_t index) {
    std::uint32_t a = 0;
    while (index >= n - 1 - a) {
        index -= n - 1 - a;
        ++a;
    }
    return {a, a + 1 + index};
}

}  // namespace

Shape::Shape(Chain chain) : chain_(std::move(chain)) {
    LONGHAUL_ASSERT(chain_.levels.size() <= kMostLevels);
    Role endpoint;
    for (int level = levels(); level > 0; --level) {
        divisors_[at(level - 1)] = Divisor(chain_.levels[at(level - 1)].count);
        endpoint.axes.push_back(level - 1);
        endpoint.count *= chain_.levels[at(level - 1)].count;
    }
    nodes_ = endpoint.count;
    add_role(std::move(endpoint));
    up_role_.push_back(0);
    label_.emplace_back();
    for (int level = 1; level <= levels(); ++level) {
        add_level(level);
    }
}

void Shape::add_level(int level) {
    const Level& declared = chain_.levels[at(level - 1)];
    const std::vector<int> below = label_.back();
    LinkClass links{level,
                    declared.pattern,
                    up_role_.back(),
                    up_role_.back(),
                    level - 1,
                    {},
                    {},
                    0,
                    0,
                    declared.cable};
    std::vector<int> through = below;
    through.insert(through.begin(), level - 1);
    if (!declared.has_switches()) {
        add_class(std::move(links));
        up_role_.push_back(up_role_.back());
        label_.push_back(std::move(through));
        return;
    }
    const bool rails = declared.pattern == Pattern::kRails;
    std::uint32_t ports = 1;
    for (const int axis : below) {
        ports *= radix(axis);
    }
    const int own = levels() + level - 1;
    divisors_[at(own)] = Divisor(rails ? declared.switches / ports : declared.switches);
    Role role;
    role.level = level;
    for (int outer = levels(); outer > level; --outer) {
        role.axes.push_back(outer - 1);
    }
    std::vector<int> label = rails ? below : std::vector<int>();
    label.push_back(own);
    role.axes.insert(role.axes.end(), label.begin(), label.end());
    for (const int axis : role.axes) {
        role.count *= radix(axis);
    }
    role.base = nodes_;
    nodes_ += role.count;
    links.high = static_cast<int>(roles_.size());
    links.up_free = {own};
    links.down_free = rails ? std::vector<int>{level - 1} : through;
    add_role(std::move(role));
    add_class(std::move(links));
    up_role_.push_back(declared.up_members ? up_role_.back() : static_cast<int>(roles_.size()) - 1);
    label_.push_back(declared.up_members ? std::move(through) : std::move(label));
}

void Shape::add_role(Role role) {
    for (std::size_t k = role.axes.size(); k > 1; --k) {
        const int axis = role.axes[k - 1];
        role.places.push_back({static_cast<std::uint32_t>(axis), divisors_[at(axis)]});
    }
    roles_.push_back(std::move(role));
}

void Shape::add_class(LinkClass links) {
    const std::uint32_t n = radix(links.axis);
    const std::uint32_t low = roles_[at(links.low)].count;
    switch (links.pattern) {
        case Pattern::kTree:
        case Pattern::kRails:
            links.count = low * radix(links.up_free.front());
            break;
        case Pattern::kMesh:
            links.count = low / n * pairs_of(n);
            break;
        case Pattern::kRing:
            links.count = low;
            break;
        case Pattern::kDragonfly:
            links.count = pairs_of(n);
            break;
    }
    links.base = links_;
    links_ += links.count;
    classes_.push_back(std::move(links));
}

void Shape::decode_label(int level, std::uint32_t index, Digits& digits) const {
    const std::vector<int>& axes = label(level);
    for (std::size_t k = axes.size(); k > 0; --k) {
        digits[at(axes[k - 1])] = index % radix(axes[k - 1]);
        index /= radix(axes[k - 1]);
    }
}

std::uint32_t Shape::link(const LinkClass& links,
                          const Digits& from,
                          const Digits& to,
                          bool reverse) const {
    const Digits& low = reverse ? to : from;
    const Digits& high = reverse ? from : to;
    std::uint32_t index = 0;
    switch (links.pattern) {
        case Pattern::kTree:
        case Pattern::kRails: {
            const int own = links.up_free.front();
            index = encode(links.low, low) * radix(own) + high[at(own)];
            break;
        }
        case Pattern::kMesh: {
            for (const int axis : roles_[at(links.low)].axes) {
                index = axis == links.axis ? index : index * radix(axis) + low[at(axis)];
            }
            const std::uint32_t n = radix(links.axis);
            index = index * pairs_of(n) + pair_index(n, low[at(links.axis)], high[at(links.axis)]);
            break;
        }
        case Pattern::kRing:
            index = encode(links.low, low);
            break;
        case Pattern::kDragonfly:
            index = pair_index(radix(links.axis), low[at(links.axis)], high[at(links.axis)]);
            break;
    }
    return 2 * (links.base + index) + (reverse ? 1 : 0);
}

std::pair<std::uint32_t, std::uint32_t> Shape::ends(const LinkClass& links, std::uint32_t i) const {
    Digits digits{};
    const std::uint32_t n = radix(links.axis);
    const std::size_t axis = at(links.axis);
    if (links.high != links.low) {
        const int own = links.up_free.front();
        decode(links.low, i / radix(own), digits);
        digits[at(own)] = i % radix(own);
        return {node(links.low, digits), node(links.high, digits)};
    }
    if (links.pattern == Pattern::kRing) {
        decode(links.low, i, digits);
        const std::uint32_t first = node(links.low, digits);
        digits[axis] = (digits[axis] + 1) % n;
        return {first, node(links.low, digits)};
    }
    if (links.pattern == Pattern::kDragonfly) {
        const auto [a, b] = pair_at(n, i);
        digits[axis] = a;
        decode_label(links.level - 1, port_towards(b - a), digits);
        const std::uint32_t first = node(links.low, digits);
        digits[axis] = b;
        decode_label(links.level - 1, port_towards(n + a - b), digits);
        return {first, node(links.low, digits)};
    }
    std::uint32_t rest = i / pairs_of(n);
    const std::vector<int>& axes = roles_[at(links.low)].axes;
    for (std::size_t k = axes.size(); k > 0; --k) {
        if (axes[k - 1] != links.axis) {
            digits[at(axes[k - 1])] = rest % radix(axes[k - 1]);
            rest /= radix(axes[k - 1]);
        }
    }
    const auto [a, b] = pair_at(n, i % pairs_of(n));
    digits[axis] = a;
    const std::uint32_t first = node(links.low, digits);
    digits[axis] = b;
    return {first, node(links.low, digits)};
}

const LinkClass& Shape::class_of(std::uint32_t link) const {
    std::size_t found = classes_.size() - 1;
    while (link < classes_[found].base) {
        --found;
    }
    return classes_[found];
}

}  // namespace longhaul::topology
