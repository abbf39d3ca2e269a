// Reads a WAN file part by part: regions and hosts, what lies between them, then paths.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "longhaul/core/cursor.hpp"
#include "longhaul/emulate/detail/addresses.hpp"
#include "longhaul/emulate/wan.hpp"

namespace longhaul::emulate {

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

class WanReader {
public:
    explicit WanReader(const core::Document& document) : root_(document, problems_) {}
    core::Result<Wan> read();

private:
    void read_top();
    void read_tcp();
    void read_defaults();
    void read_regions();
    void read_region(const core::Cursor& table);
    void read_hosts();
    void read_links();
    void read_link(const core::Cursor& table);
    void join(const core::Cursor& table, int from, int to, const Link& link);
    void read_resources();
    void make_paths();
    void make_path(std::size_t from, std::size_t to);
    void read_paths();
    void read_path(const core::Cursor& table);
    void check_addresses();

    Access read_access(const core::Cursor& table, const Access& fallback);
    std::string read_name(const core::Cursor& table,
                          std::string_view key,
                          std::string_view meaning);
    int add_region(const core::Cursor& where, const std::string& name);
    int add_host(const core::Cursor& where,
                 const std::string& name,
                 int region,
                 const Access& access);
    int add_resource(const std::string& name, const Shape& shape);
    std::optional<int> find_region(const core::Cursor& where, const std::string& name);
    std::vector<int> find_hosts(const core::Cursor& where, const std::string& name);
    std::optional<int> region_named(const std::string& name) const;

    core::Diagnostics problems_;
    core::Cursor root_;
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

}  // namespace longhaul::emulate
