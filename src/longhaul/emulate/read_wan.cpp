#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "longhaul/core/cursor.hpp"
#include "longhaul/emulate/detail/addresses.hpp"
#include "longhaul/emulate/detail/shapes.hpp"
#include "longhaul/emulate/read.hpp"

namespace longhaul::emulate {
namespace {

using core::Cursor;
using core::shown;

constexpr int kLeastMtu = 576;
constexpr int kMostMtu = 65000;
constexpr int kMostEthernet = 200;
constexpr double kMostBufferMb = 1024;

/// The links of one host. up_down stands for both.
struct Access {
    std::optional<Shape> up, down, up_down;
};

struct Region {
    std::string name;
    std::optional<Shape> inside, site_up, site_down;
    Access access;
    std::vector<int> hosts;
};

/// What lies between two regions.
struct Link {
    int resource = -1;  ///< -1: none
    bool each_pair = false;
    Shape shape;
    std::string name;
};

class Reader {
public:
    explicit Reader(const core::Document& document) : root_(document, problems_) {}
    core::Result<Wan> read();

private:
    void read_top();
    void read_tcp();
    void read_defaults();
    void read_regions();
    void read_region(const Cursor& table);
    void read_hosts();
    void read_links();
    void read_link(const Cursor& table);
    void join(const Cursor& table, int from, int to, const Link& link);
    void read_resources();
    void make_paths();
    void make_path(std::size_t from, std::size_t to);
    void read_paths();
    void read_path(const Cursor& table);
    void check_addresses();

    Access read_access(const Cursor& table, const Access& fallback);
    std::string read_name(const Cursor& table, std::string_view key, std::string_view meaning);
    int add_region(const Cursor& where, const std::string& name);
    int add_host(const Cursor& where, const std::string& name, int region, const Access& access);
    int add_resource(const std::string& name, const Shape& shape);
    std::optional<int> find_region(const Cursor& where, const std::string& name);
    std::vector<int> find_hosts(const Cursor& where, const std::string& name);
    std::optional<int> region_named(const std::string& name) const;

    core::Diagnostics problems_;
    Cursor root_;
    Wan wan_;
    std::uint32_t control_network_ = kDefaultControlNetwork;
    int control_prefix_ = kDefaultPrefix;
    Access default_access_;
    std::optional<Shape> default_inside_;
    std::optional<Shape> default_link_;
    std::vector<Region> regions_;
    std::vector<Path> up_, down_;         // of each host
    std::vector<Link> links_;             // regions x regions
    std::map<std::string, int> by_name_;  // resources
    std::set<std::string> host_names_;
};

std::string Reader::read_name(const Cursor& table, std::string_view key, std::string_view meaning) {
    const std::optional<Cursor> cursor = table.require(key, meaning);
    const std::string name = cursor ? cursor->string().value_or("") : "";
    if (cursor && cursor->value().kind == core::Value::Kind::kString) {
        if (const std::string problem = name_problem(name); !problem.empty()) {
            cursor->report("found " + shown(name), problem);
            return "";
        }
    }
    return name;
}

void Reader::read_top() {
    root_.only_keys({"format",
                     "network",
                     "control_network",
                     "mtu",
                     "ethernet",
                     "seed",
                     "tcp",
                     "sysctl",
                     "defaults",
                     "region",
                     "host",
                     "link",
                     "resource",
                     "path",
                     "provenance"});
    core::check_format(root_, "longhaul.wan", 1, false);
    const auto network = [&](std::string_view key, std::uint32_t& address, int& prefix) {
        const std::optional<Cursor> cursor = root_.find(key);
        const auto text = cursor ? cursor->string() : std::nullopt;
        const auto parsed = text ? parse_network(*text) : std::nullopt;
        if (text && !parsed) {
            cursor->report("found " + shown(*text),
                           "it must be an IPv4 network of /8 to /22, such as 10.77.0.0/16");
        } else if (parsed) {
            address = parsed->address;
            prefix = parsed->prefix;
        }
    };
    wan_.network = kDefaultNetwork;
    wan_.prefix = kDefaultPrefix;
    network("network", wan_.network, wan_.prefix);
    network("control_network", control_network_, control_prefix_);
    if (const auto cursor = root_.find("mtu")) {
        wan_.mtu = cursor->integer(kLeastMtu, kMostMtu).value_or(kDefaultMtu);
    }
    if (const auto cursor = root_.find("ethernet")) {
        wan_.ethernet = cursor->integer(0, kMostEthernet).value_or(0);
    }
    if (const auto cursor = root_.find("seed")) {
        wan_.seed = static_cast<std::uint64_t>(cursor->integer(0, 2'000'000'000).value_or(0));
    }
    if (const auto cursor = root_.find("provenance")) {
        static_cast<void>(cursor->string());
    }
}

void Reader::read_tcp() {
    if (const auto tcp = root_.find("tcp"); tcp && tcp->is_object()) {
        tcp->only_keys({"congestion", "buffer_mb"});
        if (tcp->find("congestion")) {
            wan_.tcp.congestion = read_name(*tcp, "congestion", "");
        }
        if (const auto cursor = tcp->find("buffer_mb")) {
            wan_.tcp.buffer_mb = cursor->number_in(0, kMostBufferMb).value_or(0);
        }
    }
    const auto sysctl = root_.find("sysctl");
    if (!sysctl || !sysctl->is_object()) {
        return;
    }
    for (const core::Member& member : sysctl->value().members) {
        const Cursor cursor = *sysctl->find(member.key);
        if (!is_network_sysctl(member.key)) {
            cursor.report("found " + shown(member.key),
                          "only keys of the network can be set, such as "
                          "\"net.ipv4.tcp_slow_start_after_idle\"");
        } else if (member.value.kind == core::Value::Kind::kNumber) {
            const double number = cursor.number().value_or(0);
            wan_.sysctl[member.key] = fmt::format("{:.0f}", number);
        } else {
            wan_.sysctl[member.key] = cursor.string().value_or("");
        }
    }
}

Access Reader::read_access(const Cursor& table, const Access& fallback) {
    Access access{read_shape(table, "up"), read_shape(table, "down"), read_shape(table, "up_down")};
    if (access.up_down && (access.up || access.down)) {
        table.report("has up_down beside up or down",
                     "up_down is one resource that both directions share; leave the others out");
    }
    if (access.up_down) {
        return access;
    }
    if (!access.up && !access.down) {
        return fallback;
    }
    access.up = access.up ? access.up : fallback.up;
    access.down = access.down ? access.down : fallback.down;
    return access;
}

void Reader::read_defaults() {
    const auto defaults = root_.find("defaults");
    if (!defaults || !defaults->is_object()) {
        return;
    }
    defaults->only_keys({"up", "down", "up_down", "inside", "link"});
    default_access_ = read_access(*defaults, {});
    default_inside_ = read_shape(*defaults, "inside");
    default_link_ = read_shape(*defaults, "link");
}

std::optional<int> Reader::region_named(const std::string& name) const {
    const auto at = std::ranges::find(regions_, name, &Region::name);
    return at == regions_.end() ? std::nullopt
                                : std::optional(static_cast<int>(at - regions_.begin()));
}

int Reader::add_region(const Cursor& where, const std::string& name) {
    if (!name.empty() && region_named(name)) {
        where.report("region " + shown(name) + " occurs twice", "every region has one name");
    }
    regions_.push_back({name, default_inside_, {}, {}, default_access_, {}});
    return static_cast<int>(regions_.size()) - 1;
}

int Reader::add_resource(const std::string& name, const Shape& shape) {
    const auto index = static_cast<int>(wan_.resources.size());
    wan_.resources.push_back({name, shape});
    by_name_.emplace(name, index);
    return index;
}

int Reader::add_host(const Cursor& where,
                     const std::string& name,
                     int region,
                     const Access& access) {
    if (!name.empty() && !host_names_.insert(name).second) {
        where.report("host " + shown(name) + " occurs twice", "every host has one name");
    }
    const auto index = static_cast<int>(wan_.hosts.size());
    wan_.hosts.push_back({name, regions_[region].name, 0, 0});
    regions_[region].hosts.push_back(index);
    up_.emplace_back();
    down_.emplace_back();
    if (access.up_down) {
        const int both = add_resource("up_down:" + name, *access.up_down);
        up_.back() = down_.back() = {both};
        return index;
    }
    if (access.up) {
        up_.back() = {add_resource("up:" + name, *access.up)};
    }
    if (access.down) {
        down_.back() = {add_resource("down:" + name, *access.down)};
    }
    return index;
}

void Reader::read_region(const Cursor& table) {
    table.only_keys({"name", "hosts", "inside", "up", "down", "up_down", "site_up", "site_down"});
    const std::string name = read_name(table, "name", "the name of the region");
    const int index = add_region(table, name);
    Region& region = regions_[index];
    region.access = read_access(table, default_access_);
    if (auto inside = read_shape(table, "inside")) {
        region.inside = inside;
    }
    region.site_up = read_shape(table, "site_up");
    region.site_down = read_shape(table, "site_down");
    const auto hosts = table.find("hosts");
    if (!hosts) {
        return;
    }
    if (hosts->value().kind == core::Value::Kind::kNumber) {
        const int count = hosts->integer(1, static_cast<int>(kMaxHosts)).value_or(0);
        for (int k = 1; k <= count; ++k) {
            add_host(*hosts, fmt::format("{}-{}", name, k), index, region.access);
        }
    } else if (hosts->is_array()) {
        for (std::size_t k = 0; k < hosts->value().size(); ++k) {
            const Cursor item = hosts->item(k);
            const std::string host = item.string().value_or("");
            if (const std::string problem = name_problem(host); !problem.empty()) {
                item.report("found " + shown(host), problem);
            }
            add_host(item, host, index, region.access);
        }
    }
}

void Reader::read_regions() {
    const auto tables = root_.find("region");
    if (!tables || !tables->is_array()) {
        return;
    }
    for (std::size_t i = 0; i < tables->value().size(); ++i) {
        if (const Cursor table = tables->item(i); table.is_object()) {
            read_region(table);
        }
    }
}

void Reader::read_hosts() {
    const auto tables = root_.find("host");
    if (!tables || !tables->is_array()) {
        return;
    }
    for (std::size_t i = 0; i < tables->value().size(); ++i) {
        const Cursor table = tables->item(i);
        if (!table.is_object()) {
            continue;
        }
        table.only_keys({"name", "region", "address", "up", "down", "up_down"});
        const std::string name = read_name(table, "name", "the name of the host");
        std::optional<int> region;
        if (const auto cursor = table.find("region")) {
            region = find_region(*cursor, cursor->string().value_or(""));
        } else {
            region = add_region(table, name);
        }
        if (!region) {
            continue;
        }
        const int host =
            add_host(table, name, *region, read_access(table, regions_[*region].access));
        if (const auto cursor = table.find("address")) {
            const auto address = parse_address(cursor->string().value_or(""));
            wan_.hosts[host].address = address.value_or(0);
            if (!address || ((*address ^ wan_.network) >> (32 - wan_.prefix)) != 0) {
                cursor->report("is no address of the WAN network",
                               fmt::format("it must be an IPv4 address in {}/{}",
                                           address_text(wan_.network),
                                           wan_.prefix));
            }
        }
    }
}

std::optional<int> Reader::find_region(const Cursor& where, const std::string& name) {
    const auto region = region_named(name);
    if (!region) {
        where.report("unknown region " + shown(name),
                     "it must be the name of a [[region]], or of a "
                     "[[host]] without region");
    }
    return region;
}

/// Two regions by from and to, or both ways by between.
void Reader::read_link(const Cursor& table) {
    std::optional<int> from;
    std::optional<int> to;
    const auto between = table.find("between");
    if (between) {
        if (!between->is_array() || between->value().size() != 2) {
            between->report("names no two regions", "it must be a list of two regions");
            return;
        }
        from = find_region(between->item(0), between->item(0).string().value_or(""));
        to = find_region(between->item(1), between->item(1).string().value_or(""));
    } else {
        const auto first = table.require("from", "the region that sends (or use between)");
        const auto second = table.require("to", "the region that receives");
        from = first ? find_region(*first, first->string().value_or("")) : std::nullopt;
        to = second ? find_region(*second, second->string().value_or("")) : std::nullopt;
    }
    const Shape shape =
        read_shape_keys(table, {"between", "from", "to", "half_duplex", "each_pair"});
    const auto flag = [&](std::string_view key) {
        const auto cursor = table.find(key);
        return cursor && cursor->boolean().value_or(false);
    };
    const bool half_duplex = flag("half_duplex");
    const bool each_pair = flag("each_pair");
    if (half_duplex && (!between || each_pair)) {
        table.report("half_duplex needs between, and no each_pair",
                     "half_duplex is one resource for both directions of two regions");
    }
    if (!from || !to) {
        return;
    }
    if (*from == *to) {
        table.report("joins region " + shown(regions_[*from].name) + " with itself",
                     "what lies inside a region is its key inside");
        return;
    }
    Link link{-1, each_pair, shape, fmt::format("{}>{}", regions_[*from].name, regions_[*to].name)};
    if (half_duplex) {
        link.name = fmt::format("{}={}", regions_[*from].name, regions_[*to].name);
        link.resource = add_resource("link:" + link.name, shape);
    }
    join(table, *from, *to, link);
    if (between) {
        if (!half_duplex) {
            link.name = fmt::format("{}>{}", regions_[*to].name, regions_[*from].name);
        }
        join(table, *to, *from, link);
    }
}

void Reader::join(const Cursor& table, int from, int to, const Link& link) {
    Link& place = links_[from * regions_.size() + to];
    if (!place.name.empty()) {
        table.report(fmt::format("a link from {} to {} exists already",
                                 shown(regions_[from].name),
                                 shown(regions_[to].name)),
                     "every ordered pair of regions has one link");
        return;
    }
    place = link;
    if (!link.each_pair && link.resource < 0) {
        place.resource = add_resource("link:" + link.name, link.shape);
    }
}

void Reader::read_links() {
    links_.resize(regions_.size() * regions_.size());
    const auto tables = root_.find("link");
    if (tables && tables->is_array()) {
        for (std::size_t i = 0; i < tables->value().size(); ++i) {
            if (const Cursor table = tables->item(i); table.is_object()) {
                read_link(table);
            }
        }
    }
    if (!default_link_) {
        return;
    }
    for (std::size_t a = 0; a < regions_.size(); ++a) {
        for (std::size_t b = 0; b < regions_.size(); ++b) {
            if (a != b && links_[a * regions_.size() + b].name.empty()) {
                join(root_,
                     static_cast<int>(a),
                     static_cast<int>(b),
                     {-1,
                      false,
                      *default_link_,
                      fmt::format("{}>{}", regions_[a].name, regions_[b].name)});
            }
        }
    }
}

void Reader::read_resources() {
    const auto tables = root_.find("resource");
    if (!tables || !tables->is_array()) {
        return;
    }
    for (std::size_t i = 0; i < tables->value().size(); ++i) {
        const Cursor table = tables->item(i);
        if (!table.is_object()) {
            continue;
        }
        const std::string name = read_name(table, "name", "what paths call the resource");
        const Shape shape = read_shape_keys(table, {"name"});
        if (by_name_.contains(name)) {
            table.report("resource " + shown(name) + " occurs twice",
                         "every resource has one name");
        }
        add_resource(name, shape);
    }
}

void Reader::make_path(std::size_t from, std::size_t to) {
    Path& path = wan_.paths[from * wan_.hosts.size() + to];
    path = up_[from];
    const auto a = *region_named(wan_.hosts[from].region);
    const auto b = *region_named(wan_.hosts[to].region);
    const std::string pair = fmt::format("{}>{}", wan_.hosts[from].name, wan_.hosts[to].name);
    if (a == b) {
        if (regions_[a].inside) {
            path.push_back(add_resource("inside:" + pair, *regions_[a].inside));
        }
    } else {
        const Link& link = links_[a * regions_.size() + b];
        const auto site_up = by_name_.find("site_up:" + regions_[a].name);
        const auto site_down = by_name_.find("site_down:" + regions_[b].name);
        if (site_up != by_name_.end()) {
            path.push_back(site_up->second);
        }
        path.push_back(link.each_pair ? add_resource("link:" + pair, link.shape) : link.resource);
        if (site_down != by_name_.end()) {
            path.push_back(site_down->second);
        }
    }
    for (const int index : down_[to]) {
        if (std::ranges::find(path, index) == path.end()) {
            path.push_back(index);
        }
    }
}

void Reader::make_paths() {
    for (const Region& region : regions_) {
        if (region.site_up) {
            add_resource("site_up:" + region.name, *region.site_up);
        }
        if (region.site_down) {
            add_resource("site_down:" + region.name, *region.site_down);
        }
    }
    for (std::size_t a = 0; a < regions_.size(); ++a) {
        for (std::size_t b = 0; b < regions_.size(); ++b) {
            if (a != b && links_[a * regions_.size() + b].name.empty()) {
                root_.report(
                    fmt::format("there is no link from region {} to region {}",
                                shown(regions_[a].name),
                                shown(regions_[b].name)),
                    "add a [[link]], or link under [defaults] for all that are not listed");
            }
        }
    }
    if (!problems_.empty()) {
        return;
    }
    wan_.paths.resize(wan_.hosts.size() * wan_.hosts.size());
    for (std::size_t from = 0; from < wan_.hosts.size(); ++from) {
        for (std::size_t to = 0; to < wan_.hosts.size(); ++to) {
            if (from != to) {
                make_path(from, to);
            }
        }
    }
}

/// A host of that name, or all hosts of a region.
std::vector<int> Reader::find_hosts(const Cursor& where, const std::string& name) {
    const auto host = std::ranges::find(wan_.hosts, name, &Host::name);
    if (host != wan_.hosts.end()) {
        return {static_cast<int>(host - wan_.hosts.begin())};
    }
    const auto region = region_named(name);
    if (!region) {
        where.report("unknown host " + shown(name), "it must be the name of a host or a region");
        return {};
    }
    return regions_[*region].hosts;
}

void Reader::read_path(const Cursor& table) {
    table.only_keys({"from", "to", "through"});
    const auto from = table.require("from", "the host or region that sends");
    const auto to = table.require("to", "the host or region that receives");
    const auto through = table.require("through", "the resources that packets cross, in order");
    if (!from || !to || !through || !through->is_array()) {
        return;
    }
    Path path;
    for (std::size_t i = 0; i < through->value().size(); ++i) {
        const Cursor item = through->item(i);
        const std::string name = item.string().value_or("");
        const auto at = by_name_.find(name);
        if (at == by_name_.end()) {
            item.report(
                "unknown resource " + shown(name),
                "it must be the name of a [[resource]], or one that the file makes, such as "
                "up:HOST, down:HOST, link:REGION>REGION");
        } else if (std::ranges::find(path, at->second) != path.end()) {
            item.report("resource " + shown(name) + " occurs twice",
                        "a path crosses every resource once");
        } else {
            path.push_back(at->second);
        }
    }
    const std::vector<int> senders = find_hosts(*from, from->string().value_or(""));
    const std::vector<int> receivers = find_hosts(*to, to->string().value_or(""));
    for (const int a : senders) {
        for (const int b : receivers) {
            if (a != b) {
                wan_.paths[a * wan_.hosts.size() + b] = path;
            }
        }
    }
}

void Reader::read_paths() {
    const auto tables = root_.find("path");
    if (!tables || !tables->is_array()) {
        return;
    }
    for (std::size_t i = 0; i < tables->value().size(); ++i) {
        if (const Cursor table = tables->item(i); table.is_object()) {
            read_path(table);
        }
    }
}

void Reader::check_addresses() {
    number_hosts(wan_, control_network_, control_prefix_);
    std::map<std::uint32_t, std::string> owners;
    for (const Host& host : wan_.hosts) {
        const auto [owner, fresh] = owners.emplace(host.address, host.name);
        if (!fresh) {
            root_.report(fmt::format("hosts {} and {} have the address {}",
                                     shown(owner->second),
                                     shown(host.name),
                                     address_text(host.address)),
                         "every host has an address of its own");
        }
    }
    const int shorter = std::min(wan_.prefix, control_prefix_);
    if (((wan_.network ^ control_network_) >> (32 - shorter)) == 0) {
        root_.report("network and control_network overlap", "they must be different networks");
    }
}

core::Result<Wan> Reader::read() {
    read_top();
    read_tcp();
    read_defaults();
    read_regions();
    read_hosts();
    if (wan_.hosts.size() < 2 || wan_.hosts.size() > kMaxHosts) {
        root_.report(
            fmt::format("there are {} hosts", wan_.hosts.size()),
            fmt::format("2 to {} hosts make a WAN; add hosts to a [[region]], or a [[host]]",
                        kMaxHosts));
    }
    read_links();
    read_resources();
    if (problems_.empty()) {
        make_paths();
    }
    if (problems_.empty()) {
        read_paths();
        check_addresses();
    }
    if (!problems_.empty()) {
        return tl::unexpected(std::move(problems_));
    }
    return std::move(wan_);
}

}  // namespace

core::Result<Wan> read_wan(const core::Document& document) {
    return Reader(document).read();
}

}  // namespace longhaul::emulate
