// Any fabric survives the formats that can say it; a chain of hosts has one way.
#include <cmath>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "longhaul/interchange/export.hpp"
#include "longhaul/interchange/import.hpp"

namespace longhaul::interchange {
namespace {

fabric::Fabric any_fabric(bool symmetric) {
    const auto n = *rc::gen::inRange<std::size_t>(1, 9);
    core::Grid<double> alpha(n, n, 0);
    core::Grid<double> beta(n, n, 0);
    fabric::FabricParts parts;
    for (std::size_t i = 0; i < n; ++i) {
        parts.labels.push_back("site" + std::to_string(*rc::gen::inRange(0, 3)));
        for (std::size_t j = 0; j < n; ++j) {
            alpha(i, j) = symmetric && j < i ? alpha(j, i) : *rc::gen::inRange(0, 100'000) / 97.0;
            beta(i, j) = symmetric && j < i ? beta(j, i) : *rc::gen::inRange(1, 100'000) / 89.0;
        }
    }
    parts.alpha_ms = fabric::PairMatrix(std::move(alpha));
    parts.beta_gbps = fabric::PairMatrix(std::move(beta));
    return *fabric::Fabric::make(std::move(parts), "any");
}

void expect_same_links(const std::string& format, const fabric::Fabric& fabric) {
    const auto exported = find_export_format(format)->write(fabric, "any");
    RC_ASSERT(exported.has_value());
    const SourceText file{"written", exported->text};
    const auto back = import_files(*find_import_format(format), {&file, 1}, {});
    RC_ASSERT(back.has_value());
    RC_ASSERT(back->fabric->size() == fabric.size());
    for (std::size_t i = 0; i < fabric.size(); ++i) {
        for (std::size_t j = 0; j < fabric.size(); ++j) {
            if (i != j) {
                const double alpha = fabric.parts().alpha_ms(i, j);
                const double beta = fabric.parts().beta_gbps(i, j);
                RC_ASSERT(std::abs(back->fabric->parts().alpha_ms(i, j) - alpha) <= 1e-9 * alpha);
                RC_ASSERT(std::abs(back->fabric->parts().beta_gbps(i, j) - beta) <= 1e-9 * beta);
            }
        }
    }
}

RC_GTEST_PROP(InterchangeProperty, SimgridKeepsEveryDirection, ()) {
    expect_same_links("simgrid", any_fabric(false));
}

RC_GTEST_PROP(InterchangeProperty, HpccKeepsEverySymmetricPair, ()) {
    expect_same_links("hpcc", any_fabric(true));
}

/// Any text at all ends in a result or in problems that name the file.
RC_GTEST_PROP(InterchangeProperty, AnyTextIsReadOrRefused, ()) {
    const auto text = *rc::gen::container<std::string>(rc::gen::element('#',
                                                                        '<',
                                                                        '>',
                                                                        '"',
                                                                        '{',
                                                                        '}',
                                                                        '[',
                                                                        ']',
                                                                        ':',
                                                                        ',',
                                                                        '=',
                                                                        '/',
                                                                        ' ',
                                                                        '\n',
                                                                        '0',
                                                                        '1',
                                                                        '.',
                                                                        'e',
                                                                        'a',
                                                                        'G',
                                                                        'P',
                                                                        'U',
                                                                        '-',
                                                                        '\t'));
    const auto which = *rc::gen::inRange<std::size_t>(0, import_formats().size());
    const SourceText file{"any", text};
    const auto imported = import_files(import_formats()[which], {&file, 1}, {});
    if (!imported) {
        for (const core::Diagnostic& problem : imported.error()) {
            RC_ASSERT(!problem.what.empty());
            RC_ASSERT(problem.file == "any");
        }
    }
}

}  // namespace
}  // namespace longhaul::interchange
