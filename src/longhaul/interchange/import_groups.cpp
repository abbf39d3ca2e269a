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
    std::string bus;                    ///< of the innermost PCI device
    std::vector<std::string> switches;  ///< outer to inner
};

/// Collects the GPUs and NICs of a topology tree.
struct Found {
    std::map<std::string, std::vector<std::string>> groups_of_gpu;
    std::map<std::string, std::string> nics_of_switch;  ///< innermost switch -> names
    std::map<std::string, std::string> gpu_of_bus;      ///< number (dev) of the GPU
    /// Ends of NVLinks: bus of the GPU, and bus of the other GPU or kNvSwitch.
    std::vector<std::pair<std::string, std::string>> nvlinks;
};

/// NVSwitches are one: all of a host are joined.
constexpr std::string_view kNvSwitch = "switch";

std::string gpu_id(const std::string& host, std::string_view dev) {
    return fmt::format("{}/{}", host, dev);
}

/// NVLinks of a GPU. The class of the target tells a GPU (0x03...), an NVSwitch (0x068000) and a
/// CPU (0x068001: no island of GPUs) apart.
void add_nvlinks(const XmlNode& gpu, const std::string& bus, Found& found, const Report& report) {
    for (const XmlNode& link : gpu.children) {
        if (link.name != "nvlink") {
            continue;
        }
        const std::string_view kind = link.attribute("tclass");
        const std::string target = lower(link.attribute("target"));
        if (target.empty()) {
            report.at(
                link.line, "<nvlink> has no target", "every <nvlink> names the bus it leads to");
        } else if (!kind.starts_with("0x068001")) {
            found.nvlinks.emplace_back(bus, target);
            if (kind.starts_with("0x0680")) {
                found.nvlinks.emplace_back(target, kNvSwitch);
            }
        }
    }
}

/// GPUs that NVLinks join, directly or over others, are an island, named after its first GPU. A
/// link to a GPU that the file does not show joins nothing.
void add_islands(const std::string& host, Found& found) {
    std::map<std::string, std::string> island;  // of a bus: the least of those joined
    for (const auto& [bus, dev] : found.gpu_of_bus) {
        island[bus] = bus;
    }
    for (const auto& [one, other] : found.nvlinks) {
        island.try_emplace(one, one);
        island.try_emplace(other, other);
        const std::string low = std::min(island.at(one), island.at(other));
        const std::string high = std::max(island.at(one), island.at(other));
        for (auto& [bus, name] : island) {
            name = name == high ? low : name;
        }
    }
    std::map<std::string, std::vector<int>> members;
    for (const auto& [bus, dev] : found.gpu_of_bus) {
        members[island.at(bus)].push_back(static_cast<int>(number_of(dev).value_or(0)));
    }
    for (const auto& [bus, dev] : found.gpu_of_bus) {
        const std::vector<int>& gpus = members.at(island.at(bus));
        if (gpus.size() > 1) {
            found.groups_of_gpu.at(gpu_id(host, dev))
                .push_back(fmt::format("{}:nvlink-of-GPU{}", host, std::ranges::min(gpus)));
        }
    }
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
        passed.bus = lower(node.attribute("busid"));
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
        found.gpu_of_bus[passed.bus] = std::string(node.attribute("dev"));
        add_nvlinks(node, passed.bus, found, report);
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
    std::map<std::string, std::string> nics;      ///< NIC0 -> mlx5_0, as the legend says
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

/// "NIC0: mlx5_0".
void read_legend(const std::vector<std::string_view>& words, TopoMatrix& matrix) {
    if (words.size() == 2 && words[0].ends_with(':')) {
        const std::string column(words[0].substr(0, words[0].size() - 1));
        if (std::ranges::find(matrix.columns, column) != matrix.columns.end()) {
            matrix.nics[column] = std::string(words[1]);
        }
    }
}

/// Names of the NICs that share a PCI switch with a GPU, joined by "+".
std::string nics_near(const TopoMatrix& matrix,
                      const std::vector<int>& same_switch,
                      std::ptrdiff_t gpu) {
    std::string names;
    for (std::size_t i = 0; i < matrix.columns.size(); ++i) {
        const std::string& column = matrix.columns[i];
        if (!is_gpu(column) && same_switch[i] == same_switch[gpu]) {
            const auto known = matrix.nics.find(column);
            names +=
                (names.empty() ? "" : "+") + (known == matrix.nics.end() ? column : known->second);
        }
    }
    return names;
}

TopoMatrix read_matrix_text(const SourceText& file, const Report& report) {
    TopoMatrix matrix;
    const std::string plain = without_escapes(file.text);
    bool ended = false;
    for (const Line& line : lines_of(plain)) {
        const std::vector<std::string_view> words = words_of(line.text);
        if (ended) {
            read_legend(words, matrix);
            continue;
        }
        if (matrix.columns.empty()) {
            matrix.columns = topo_columns(words);
            continue;
        }
        const std::size_t count = matrix.columns.size();
        if (words.empty() || std::ranges::find(matrix.columns, words[0]) == matrix.columns.end()) {
            if (matrix.rows.empty()) {
                continue;
            }
            ended = true;  // the legend follows
            continue;
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
    add_islands(host_name(options), found);
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
        if (const std::string nics = nics_near(matrix, same_switch, column); !nics.empty()) {
            record.groups.push_back(fmt::format("{}:nic-{}", host, nics));
        }
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
