#include <cmath>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "longhaul/core/document.hpp"

namespace longhaul::core {
namespace detail {
Result<Document> reject_unreadable(std::string_view& text, std::string_view name);
}  // namespace detail

namespace {

/// Iterator that lets the handler see how far the lexer has read: the library gives no places.
class CountingIterator {
public:
    using iterator_category = std::forward_iterator_tag;
    using value_type = char;
    using difference_type = std::ptrdiff_t;
    using pointer = const char*;
    using reference = const char&;

    CountingIterator() = default;
    CountingIterator(const char* at, const char** seen) : at_(at), seen_(seen) {}
    reference operator*() const { return *at_; }
    CountingIterator& operator++() {
        ++at_;
        *seen_ = std::max(*seen_, at_);
        return *this;
    }
    CountingIterator operator++(int) {
        const CountingIterator before = *this;
        ++*this;
        return before;
    }
    bool operator==(const CountingIterator& other) const { return at_ == other.at_; }

private:
    const char* at_ = nullptr;
    const char** seen_ = nullptr;
};

/// Text of the library in a message: without its code and position, and not longer than a line.
std::string library_text(std::string_view what) {
    constexpr std::size_t kLongest = 160;
    if (const auto syntax = what.find("syntax error"); syntax != std::string_view::npos) {
        what.remove_prefix(syntax);
    } else if (const auto bracket = what.find("] "); bracket != std::string_view::npos) {
        what.remove_prefix(bracket + 2);
    }
    if (what.size() <= kLongest) {
        return std::string(what);
    }
    std::size_t cut = kLongest;
    while (cut > 0 && (static_cast<unsigned char>(what[cut]) & 0xC0U) == 0x80U) {
        --cut;
    }
    return std::string(what.substr(0, cut)) + " ...";
}

/// What a key that appears twice in an object is: a mistake, or an older value.
enum class Duplicates { kRefuse, kLast };

/// SAX handler that builds the tree. A token starts at the first byte after the previous token's
/// end that is neither blank nor a separator.
class JsonBuilder {
public:
    JsonBuilder(std::string_view text, std::string_view name, int first_line, Duplicates duplicates)
        : end_(text.data() + text.size()),
          seen_(text.data()),
          name_(name),
          at_(text.data()),
          line_(first_line),
          duplicates_(duplicates) {}

    [[nodiscard]] const char** seen() { return &seen_; }
    Value root;
    Diagnostics problems;

    bool null() { return add(Value()); }
    bool boolean(bool value) { return add(Value(value)); }
    bool number_integer(std::int64_t value) { return add(Value(static_cast<double>(value))); }
    bool number_unsigned(std::uint64_t value) { return add(Value(static_cast<double>(value))); }
    bool number_float(double value, const std::string& /*text*/) { return add(Value(value)); }
    bool string(std::string& value) { return add(Value(std::move(value))); }
    bool binary(nlohmann::json::binary_t& /*value*/) { return false; }
    bool start_object(std::size_t /*size*/) { return open(Value::object()); }
    bool start_array(std::size_t /*size*/) { return open(Value::array()); }
    bool end_object() { return close(); }
    bool end_array() { return close(); }

    bool key(std::string& value) {
        place(key_line_, key_column_);
        if (!keys_.back().insert(value).second && duplicates_ == Duplicates::kRefuse) {
            report(key_line_,
                   key_column_,
                   fmt::format("the key {} appears twice", shown(value)),
                   "keep one of them");
            if (problems.size() >= kMaxDuplicates) {
                return false;
            }
        }
        key_ = std::move(value);
        return true;
    }

    template <class Exception>
    bool parse_error(std::size_t /*byte*/, const std::string& /*token*/, const Exception& error) {
        // The token that is wrong may be a separator itself: stop at the last byte read.
        const char* last = seen_ == end_ ? end_ : seen_ - 1;
        while (at_ < last && passes(*at_)) {
            advance();
        }
        report(line_,
               column_,
               "not valid JSON: " + library_text(error.what()),
               "correct it at this place");
        return false;
    }

private:
    static constexpr std::size_t kMaxDuplicates = 20;

    static bool passes(char c) {
        return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == ',' || c == ':';
    }

    /// Moves to the start of the token that the lexer has just read, and tells where that is.
    void place(int& line, int& column) {
        find_token(line, column);
        while (at_ < seen_) {
            advance();
        }
    }

    /// The same for a number. The lexer reads one byte beyond it, which belongs to the next token.
    void place_number(int& line, int& column) {
        find_token(line, column);
        while (at_ < seen_ && ((*at_ >= '0' && *at_ <= '9') || *at_ == '-' || *at_ == '+' ||
                               *at_ == '.' || *at_ == 'e' || *at_ == 'E')) {
            advance();
        }
    }

    void find_token(int& line, int& column) {
        while (at_ < end_ && passes(*at_)) {
            advance();
        }
        line = line_;
        column = column_;
    }

    void advance() {
        const auto byte = static_cast<unsigned char>(*at_++);
        if (byte == '\n') {
            ++line_;
            column_ = 1;
        } else if ((byte & 0xC0U) != 0x80U) {  // not inside a character
            ++column_;
        }
    }

    bool open(Value value) {
        if (open_.size() >= static_cast<std::size_t>(kMaxDepth)) {
            int line = 0;
            int column = 0;
            place(line, column);
            report(line,
                   column,
                   fmt::format("nested deeper than {} levels", kMaxDepth),
                   "no longhaul file nests that deep");
            return false;
        }
        place(value.line, value.column);
        open_.push_back(std::move(value));
        names_.push_back(std::move(key_));
        keys_.emplace_back();
        return true;
    }

    bool close() {
        int line = 0;
        int column = 0;
        place(line, column);
        Value done = std::move(open_.back());
        open_.pop_back();
        if (done.members.size() > keys_.back().size()) {
            keep_last(done.members);
        }
        key_ = std::move(names_.back());
        names_.pop_back();
        keys_.pop_back();
        return attach(std::move(done));
    }

    /// Of members with the same key only the last stays. O(n log n).
    static void keep_last(std::vector<Member>& members) {
        std::set<std::string, std::less<>> later;
        std::vector<Member> kept;
        for (std::size_t i = members.size(); i-- > 0;) {
            if (later.insert(members[i].key).second) {
                kept.push_back(std::move(members[i]));
            }
        }
        members.assign(std::make_move_iterator(kept.rbegin()),
                       std::make_move_iterator(kept.rend()));
    }

    bool add(Value value) {
        if (value.kind == Value::Kind::kNumber) {
            place_number(value.line, value.column);
        } else {
            place(value.line, value.column);
        }
        if (value.kind == Value::Kind::kNumber && !std::isfinite(value.number)) {
            report(value.line, value.column, "the number is too large", "use a finite number");
            value.number = 0;
        }
        return attach(std::move(value));
    }

    bool attach(Value value) {
        if (open_.empty()) {
            root = std::move(value);
        } else if (open_.back().kind == Value::Kind::kArray) {
            open_.back().append(std::move(value));
        } else {
            open_.back().members.push_back({std::move(key_), std::move(value)});
        }
        return true;
    }

    void report(int line, int column, std::string what, std::string fix) {
        problems.push_back({name_,
                            fmt::format("line {}, column {}", line, column),
                            std::move(what),
                            std::move(fix)});
    }

    const char* end_;
    const char* seen_;
    std::string name_;
    const char* at_;
    int line_;
    Duplicates duplicates_;
    int column_ = 1;
    std::string key_;
    int key_line_ = 0;
    int key_column_ = 0;
    std::vector<Value> open_;
    std::vector<std::string> names_;
    std::vector<std::set<std::string>> keys_;
};

/// `unit` is what must hold one object: "file" or "line".
Result<Document> parse(std::string_view text,
                       std::string_view name,
                       int first_line,
                       std::string_view unit,
                       Duplicates duplicates = Duplicates::kRefuse) {
    Result<Document> document = detail::reject_unreadable(text, name);
    if (!document) {
        return document;
    }
    JsonBuilder builder(text, name, first_line, duplicates);
    const char* end = text.data() + text.size();
    // NOLINTNEXTLINE(bugprone-suspicious-stringview-data-usage): a pair of iterators, with an end
    const bool complete = nlohmann::json::sax_parse(CountingIterator(text.data(), builder.seen()),
                                                    CountingIterator(end, builder.seen()),
                                                    &builder);
    if (!builder.problems.empty()) {
        return tl::unexpected(std::move(builder.problems));
    }
    if (!complete || builder.root.kind != Value::Kind::kObject) {
        return fail({std::string(name),
                     "",
                     fmt::format("the {} holds {}", unit, name_of(builder.root.kind)),
                     "it must hold one object {...}"});
    }
    document->root = std::move(builder.root);
    return document;
}

}  // namespace

Result<Document> parse_json(std::string_view text, std::string_view name) {
    return parse(text, name, 1, "file");
}

Result<Document> parse_foreign_json(std::string_view text, std::string_view name) {
    return parse(text, name, 1, "file", Duplicates::kLast);
}

Result<Document> parse_json_line(std::string_view text, std::string_view name, int line) {
    return parse(text, name, line, "line");
}

}  // namespace longhaul::core
