#include "best_known.hpp"

#include "longhaul/core/cursor.hpp"

namespace longhaul::bench {

core::Result<BestKnownTable> read_best_known(std::string_view text, std::string_view name) {
    const core::Result<core::Document> document = core::parse_json(text, name);
    if (!document) {
        return tl::unexpected(document.error());
    }
    core::Diagnostics problems;
    const core::Cursor root(*document, problems);
    core::check_format(root, "longhaul.best-known", 1, true);
    root.only_keys({"format", "rows"});
    BestKnownTable table;
    const auto rows = root.require("rows", "the best score of every row");
    if (rows && rows->is_object()) {
        for (const core::Member& member : rows->value().members) {
            const core::Cursor row = *rows->find(member.key);
            row.only_keys({"score", "proved", "runs"});
            BestKnown& best = table[member.key];
            if (const auto score = row.require("score", "seconds")) {
                best.score = score->positive_number().value_or(0);
            }
            if (const auto proved = row.require("proved", "true or false")) {
                best.proved = proved->boolean().value_or(false);
            }
            if (const auto runs = row.require("runs", "the number of long runs")) {
                best.runs = runs->integer(0, 1'000'000).value_or(0);
            }
        }
    }
    return problems.empty() ? core::Result<BestKnownTable>(std::move(table))
                            : tl::unexpected(problems);
}

std::string best_known_text(const BestKnownTable& table) {
    core::Value rows = core::Value::object();
    for (const auto& [id, best] : table) {
        rows.set(id,
                 core::Value::object()
                     .set("score", best.score)
                     .set("proved", best.proved)
                     .set("runs", best.runs));
    }
    return core::write_json(
        core::Value::object().set("format", "longhaul.best-known/1").set("rows", rows));
}

}  // namespace longhaul::bench
