// How --help looks: one line an option, with its range and default behind the description.
#include "longhaul/options.hpp"

namespace longhaul::app {
namespace {

/// Type and condition of an option, which CLI11 keeps as one text: "INT:INT in [1 - 16]".
struct Accepts {
    std::string type;
    std::string range;  ///< "1 to 16", "from 0", "additive, other", or nothing
};

Accepts accepts(const CLI::Option& option) {
    const std::string all = option.get_type_name();
    const std::size_t colon = all.find(':');
    Accepts parts{all.substr(0, colon), ""};
    if (colon == std::string::npos) {
        return parts;
    }
    std::string range = all.substr(colon + 1);
    if (const std::size_t open = range.find_first_of("[{"); open != std::string::npos) {
        range = range.substr(open + 1, range.find_last_of("]}") - open - 1);
    }
    if (const std::size_t dash = range.find(" - "); dash != std::string::npos) {
        constexpr std::size_t kTellingDigits = 9;  // a longer upper end only keeps out slips
        const std::string upper = range.substr(dash + 3);
        range = upper.size() > kTellingDigits ? "from " + range.substr(0, dash)
                                              : range.substr(0, dash) + " to " + upper;
    }
    parts.range = range;
    return parts;
}

class HelpFormatter : public CLI::Formatter {
public:
    HelpFormatter() {
        column_width(34);
        label("SUBCOMMAND", "COMMAND");
        label("Positionals", "Arguments");
    }

    std::string make_option_opts(const CLI::Option* option) const override {
        if (option->get_type_size() == 0) {
            return "";
        }
        const bool repeats = option->get_expected_max() == CLI::detail::expected_max_vector_size;
        return " " + accepts(*option).type + (repeats ? " ..." : "");
    }

    std::string make_option_desc(const CLI::Option* option) const override {
        const Accepts parts = accepts(*option);
        const std::string preset = option->get_default_str();
        std::string notes = option->get_required() ? "needed" : "";
        const auto add = [&notes](const std::string& note) {
            notes += (notes.empty() || note.empty() ? "" : "; ") + note;
        };
        add(parts.range == preset ? "" : parts.range);
        add(preset.empty() ? "" : "default " + preset);
        return option->get_description() + (notes.empty() ? "" : " [" + notes + "]");
    }
};

}  // namespace

std::shared_ptr<CLI::FormatterBase> help_formatter() {
    return std::make_shared<HelpFormatter>();
}

}  // namespace longhaul::app
