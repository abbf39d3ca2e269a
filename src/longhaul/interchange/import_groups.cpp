// What NVIDIA tools say of the inside of a host: which devices share a switch, a socket or a NIC.
// No alpha and no beta.
#include <algorithm>
#include <array>
#include <map>
#include <numeric>

#include <fmt/format.h>

#include "longhaul/interchange/detail/readers.hpp"
#include "longhaul/interchange/detail/xml.hpp"

namespace longhaul::interchange::detail {
namespace {

constexpr std::size_t kMostGpus = 4096;

std::string host_name(const ImportOptions& options) {
    return options.from.empty() ? "host" : options.from;
}

/// What the walk down the tree has passed.
struct Passed {
    std::string numa;
    std::vector<std::string> switches;  ///< outer to inner
};

/// Collects the GPUs and NICs of a topology tree.
struct Found {
    std::map<std::string, std::vector<std::string>> groups_of_gpu;
    std::map<std::string, std::string> nics_of_switch;  ///< innermost switch -> names
};

std::string gpu_id(const std::string& host, std::string_view dev) {
    return fmt::format("{}/{}", host, dev);
}

// NOLINTNEXTLINE(misc-no-recursion): parse_xml limits the depth
void walk(const XmlNode& node,
          const std::string& host,
          Passed passed,
          Found& found,
          const Report& report) {
    if (node.name == "cpu") {
        passed.numa = std::string(node.attribute("numaid"));
    } else if (node.name == "pci") {
        const std::string_view kind = node.attribute("class");
        if (kind.starts_with("0x0604")) {
            passed.switches.emplace_back(node.attribute("busid"));
        }
    } else if (node.name == "gpu") {
        if (!number_of(node.attribute("dev"))) {
            report.at(node.line, "<gpu> has no number dev", "every <gpu> has one");
            return;
        }
        std::vector<std::string> groups;
        if (!passed.numa.empty()) {
            groups.push_back(fmt::format("{}:numa{}", host, passed.numa));
        }
        for (const std::string& bus : passed.switches) {
            groups.push_back(fmt::format("{}:pci-{}", host, bus));
        }
        const bool nvlink = std::ranges::any_of(
            node.children, [](const XmlNode& child) { return child.name == "nvlink"; });
        if (nvlink) {
            groups.push_back(host + ":nvlink");
        }
        found.groups_of_gpu[gpu_id(host, node.attribute("dev"))] = std::move(groups);
    } else if (node.name == "net" && !passed.switches.empty()) {
        std::string& names = found.nics_of_switch[passed.switches.back()];
        names += (names.empty() ? "" : "+") + std::string(node.attribute("name"));
    }
    for (const XmlNode& child : node.children) {
        walk(child, host, passed, found, report);
    }
}

// ---- nvidia-smi topo -m
// --------------------------------------------------------------------------

/// Text without ANSI escape sequences (underlined heads).
std::string without_escapes(std::string_view text) {
    std::string plain;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '\x1b' && i + 1 < text.size() && text[i + 1] == '[') {
            while (i < text.size() && !(text[i] >= '@' && text[i] <= '~' && text[i] != '[')) {
                ++i;
            }
            continue;
        }
        plain += text[i];
    }
    return plain;
}

struct TopoMatrix {
    std::vector<std::string> columns;  ///< GPU0, GPU1, ..., NIC0, mlx5_0, ...
    std::vector<std::pair<std::string, std::vector<std::string>>> rows;  ///< name, relations
    std::map<std::string, std::string> affinity;  ///< GPU -> cores and NUMA nodes near it
};

bool is_gpu(const std::string& name) {
    return name.starts_with("GPU") && number_of(name.substr(3)).has_value();
}

/// Names of the head "GPU0 GPU1 NIC0 CPU Affinity ...", without what stands behind the devices.
std::vector<std::string> topo_columns(const std::vector<std::string_view>& words) {
    std::vector<std::string> columns;
    if (words.empty() || words[0] != "GPU0") {
        return columns;
    }
    for (const std::string_view word : words) {
        if (word == "CPU" || word == "NUMA" || word == "GPU") {
            break;
        }
        columns.emplace_back(word);
    }
    return columns;
}

TopoMatrix read_matrix_text(const SourceText& file, const Report& report) {
    TopoMatrix matrix;
    const std::string plain = without_escapes(file.text);
    for (const Line& line : lines_of(plain)) {
        const std::vector<std::string_view> words = words_of(line.text);
        if (matrix.columns.empty()) {
            matrix.columns = topo_columns(words);
            continue;
        }
        const std::size_t count = matrix.columns.size();
        if (words.empty() || std::ranges::find(matrix.columns, words[0]) == matrix.columns.end()) {
            if (matrix.rows.empty()) {
                continue;
            }
            break;  // the legend
        }
        if (words.size() < count + 1) {
            report.at(line.number,
                      fmt::format("has {} relations for {} devices", words.size() - 1, count),
                      "give the whole matrix of nvidia-smi topo -m");
            continue;
        }
        const auto first = words.begin() + 1;
        matrix.rows.push_back(
            {std::string(words[0]), {first, first + static_cast<std::ptrdiff_t>(count)}});
        if (words.size() > count + 1 && words[count + 1] != "N/A") {
            matrix.affinity[std::string(words[0])] = fmt::format(
                "{} {}", words[count + 1], words.size() > count + 2 ? words[count + 2] : "");
        }
    }
    return matrix;
}

/// Groups of columns that are joined by one of the relations: the smallest member names each.
std::vector<int> joined(const TopoMatrix& matrix, const std::vector<std::string_view>& relations) {
    std::vector<int> group(matrix.columns.size());
    std::iota(group.begin(), group.end(), 0);
    for (const auto& [name, row] : matrix.rows) {
        const auto a = std::ranges::find(matrix.columns, name) - matrix.columns.begin();
        for (std::size_t b = 0; b < row.size(); ++b) {
            const bool link = std::ranges::any_of(
                relations, [&](std::string_view relation) { return row[b].starts_with(relation); });
            if (link && group[a] != group[b]) {
                const int low = std::min(group[a], group[b]);
                const int high = std::max(group[a], group[b]);
                std::ranges::replace(group, high, low);
            }
        }
    }
    return group;
}

/// The same groups, joined further: devices near the same cores share a socket. An NVLink between
/// two GPUs stands in the matrix in place of their way over the host.
std::vector<int> joined_by_affinity(const TopoMatrix& matrix, std::vector<int> group) {
    std::map<std::string, int> group_of;
    for (std::size_t i = 0; i < matrix.columns.size(); ++i) {
        const auto near = matrix.affinity.find(matrix.columns[i]);
        if (near == matrix.affinity.end() || !is_gpu(near->first)) {
            continue;
        }
        const int other =
            group[group_of.try_emplace(near->second, static_cast<int>(i)).first->second];
        const auto [low, high] = std::minmax({group[i], other});
        std::ranges::replace(group, high, low);
    }
    return group;
}

void check_relations(const TopoMatrix& matrix, const Report& report) {
    constexpr std::array<std::string_view, 7> kKnown = {
        "X", "NV", "PIX", "PXB", "PHB", "NODE", "SYS"};
    for (const auto& [name, row] : matrix.rows) {
        for (const std::string& relation : row) {
            const bool known = std::ranges::any_of(
                kKnown, [&](std::string_view start) { return relation.starts_with(start); });
            if (!known) {
                report.whole(fmt::format("{} has the relation {}", name, core::shown(relation)),
                             "relations are X, NV#, PIX, PXB, PHB, NODE and SYS");
                return;
            }
        }
    }
}

}  // namespace

void read_nccl_topology(const SourceText& file,
                        const ImportOptions& options,
                        Imported& imported,
                        const Report& report) {
    const auto root = parse_xml(file.text, file.name);
    if (!root) {
        report.problems().insert(report.problems().end(), root.error().begin(), root.error().end());
        return;
    }
    if (root->name != "system") {
        report.at(root->line,
                  fmt::format("the root element is <{}>", core::shown(root->name)),
                  "NCCL's topology file (NCCL_TOPO_DUMP_FILE) has <system>");
        return;
    }
    Found found;
    walk(*root, host_name(options), {}, found, report);
    if (found.groups_of_gpu.empty() || found.groups_of_gpu.size() > kMostGpus) {
        report.whole(fmt::format("has {} <gpu>", found.groups_of_gpu.size()),
                     "files without devices of their own say nothing of groups; dump the topology "
                     "of a run with NCCL_TOPO_DUMP_FILE");
        return;
    }
    for (const auto& [id, groups] : found.groups_of_gpu) {
        measure::HostRecord& host = host_of(imported.raw, id);
        host.site = host_name(options);
        host.groups = groups;
        if (groups.empty()) {
            continue;
        }
        for (const auto& [bus, names] : found.nics_of_switch) {
            if (std::ranges::find(groups, fmt::format("{}:pci-{}", host.site, bus)) !=
                groups.end()) {
                host.groups.push_back(fmt::format("{}:nic-{}", host.site, names));
            }
        }
    }
    note(imported,
         "groups only: speeds of slots and NICs in this file bound a link, they are no "
         "measurement");
}

void read_nvidia_topology(const SourceText& file,
                          const ImportOptions& options,
                          Imported& imported,
                          const Report& report) {
    const std::size_t known = report.problems().size();
    const TopoMatrix matrix = read_matrix_text(file, report);
    if (report.problems().size() == known &&
        (matrix.rows.empty() || matrix.columns.size() > kMostGpus)) {
        report.whole("has no matrix with a head GPU0 ...", "give the output of nvidia-smi topo -m");
    }
    check_relations(matrix, report);
    if (report.problems().size() != known) {
        return;
    }
    const std::string host = host_name(options);
    const std::vector<int> same_switch = joined(matrix, {"PIX", "PXB"});
    const std::vector<int> same_socket =
        joined_by_affinity(matrix, joined(matrix, {"PIX", "PXB", "PHB", "NODE"}));
    const std::vector<int> same_island = joined(matrix, {"NV"});
    for (const auto& [name, row] : matrix.rows) {
        if (!is_gpu(name)) {
            continue;
        }
        measure::HostRecord& record = host_of(imported.raw, gpu_id(host, name.substr(3)));
        const auto column = std::ranges::find(matrix.columns, name) - matrix.columns.begin();
        record.site = host;
        record.groups = {fmt::format("{}:socket-of-{}", host, matrix.columns[same_socket[column]]),
                         fmt::format("{}:switch-of-{}", host, matrix.columns[same_switch[column]])};
        const bool nvlink = std::ranges::any_of(
            row, [](const std::string& relation) { return relation.starts_with("NV"); });
        if (nvlink) {
            record.groups.push_back(
                fmt::format("{}:nvlink-of-{}", host, matrix.columns[same_island[column]]));
        }
    }
    note(imported, "groups only: nvidia-smi topo tells what is near, not how fast it is");
}

}  // namespace longhaul::interchange::detail
