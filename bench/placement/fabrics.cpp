#include "fabrics.hpp"

#include <fstream>
#include <iterator>
#include <sstream>

#include "longhaul/core/random.hpp"
#include "longhaul/fabric/read.hpp"
#include "longhaul/placement/detail/globe.hpp"

namespace longhaul::bench {
namespace {

using core::Result;
using core::Value;
using fabric::Fabric;

const std::string kTable2Path = "/fabrics/dtfm-table2-worldwide.json";

Result<Fabric> uneven(const std::string& source_folder) {
    const Result<std::string> text = read_text(source_folder + kTable2Path);
    if (!text) {
        return tl::unexpected(text.error());
    }
    Result<core::Document> document = core::parse_json(*text, kTable2Path);
    if (!document) {
        return tl::unexpected(document.error());
    }
    document->root.set("gpus_per_region", std::vector<double>{12, 4, 8, 8, 10, 6, 8, 8});
    return fabric::read_fabric(core::write_json(document->root), "uneven regions");
}

Result<Fabric> with_noise(const std::string& source_folder, std::uint64_t seed) {
    const Result<Fabric> plain = make_fabric(source_folder, "dtfm-table2-worldwide.json");
    if (!plain) {
        return plain;
    }
    core::Random random(seed);
    const auto factor = [&] { return 0.9 + 0.2 * random.uniform(); };
    Value labels = Value::array();
    Value delays = Value::array();
    Value rates = Value::array();
    for (std::size_t i = 0; i < plain->size(); ++i) {
        labels.append(plain->labels()[i]);
        std::vector<double> delay(plain->size(), 0.0);
        std::vector<double> rate(plain->size(), 0.0);
        for (std::size_t j = 0; j < plain->size(); ++j) {
            if (i != j) {
                delay[j] = plain->parts().alpha_ms(i, j) * factor();
                rate[j] = plain->parts().beta_gbps(i, j) * factor();
            }
        }
        delays.append(Value(std::move(delay)));
        rates.append(Value(std::move(rate)));
    }
    Value root = Value::object();
    root.set("labels", labels).set("alpha_ms", delays).set("beta_gbps", rates);
    return fabric::read_fabric(core::write_json(root), "noise");
}

}  // namespace

Result<std::string> read_text(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    std::string text{std::istreambuf_iterator<char>(file), {}};
    if (!file.good() && !file.eof()) {
        return core::fail({path, "", "cannot be read", "name a file that exists"});
    }
    return text;
}

Result<Fabric> make_fabric(const std::string& source_folder, const std::string& name) {
    std::istringstream words(name);
    std::string kind;
    words >> kind;
    if (kind == "uneven") {
        return uneven(source_folder);
    }
    if (kind == "noise") {
        std::uint64_t seed = 0;
        words >> seed;
        return with_noise(source_folder, seed);
    }
    if (kind == "globe") {
        int regions = 0;
        int devices = 0;
        words >> regions >> devices;
        return fabric::read_fabric(placement::testing::globe_table(regions, devices), name);
    }
    const Result<std::string> text = read_text(source_folder + "/fabrics/" + name);
    return text ? fabric::read_fabric(*text, name) : tl::unexpected(text.error());
}

}  // namespace longhaul::bench
