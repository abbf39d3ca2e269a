// What must hold for any bytes in any format: clear problems, or records and a fabric that are
// written and read back.
#pragma once

#include "longhaul/fabric/read.hpp"
#include "longhaul/interchange/import.hpp"
#include "round_trip.hpp"

namespace longhaul::fuzz {

/// Empty when all holds, else what does not. The first byte chooses the format.
inline std::string broken_import_promise(std::string_view text) {
    if (text.empty()) {
        return "";
    }
    const auto formats = interchange::import_formats();
    const auto first = static_cast<unsigned char>(text.front());
    const interchange::SourceText file{"input", std::string(text.substr(1))};
    const auto imported =
        interchange::import_files(formats[first % formats.size()], {&file, 1}, {});
    if (!imported) {
        return clear_problems(imported.error()) ? "" : "problems that are not lines of text";
    }
    if (imported->fabric) {
        const std::string written = core::write_json(fabric::to_value(*imported->fabric));
        return fabric::read_fabric(written, "written") ? "" : "the fabric does not read back";
    }
    const auto back = measure::read_raw(measure::to_text(imported->raw), "written");
    return back && back->samples.size() == imported->raw.samples.size()
               ? ""
               : "the records do not read back";
}

}  // namespace longhaul::fuzz
