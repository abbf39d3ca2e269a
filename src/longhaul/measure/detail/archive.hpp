// Writes a structure as a JSON object and reads it back, both from one list of its fields.
#pragma once

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "longhaul/core/cursor.hpp"
#include "longhaul/core/value.hpp"

namespace longhaul::measure::detail {

/// All values of an enumeration, in order; its names come from name_of.
template <class E>
struct Enumerators;

/// Whether a field must be there.
enum class Need { kOptional, kRequired };

/// Sets the members of an object. Empty texts and absent optionals are left out.
class Writer {
public:
    [[nodiscard]] core::Value take() { return std::move(object_); }

    void operator()(std::string_view key, std::string& text, Need = Need::kOptional) {
        if (!text.empty()) {
            object_.set(key, text);
        }
    }
    template <class T>
    void operator()(std::string_view key, T& value, Need = Need::kOptional) {
        object_.set(key, value_of(value));
    }
    template <class T>
    void operator()(std::string_view key, std::optional<T>& value, Need = Need::kOptional) {
        if (value) {
            object_.set(key, value_of(*value));
        }
    }
    /// Members that this version does not know.
    void rest(core::Value& unknown) {
        for (const core::Member& member : unknown.members) {
            object_.set(member.key, member.value);
        }
    }

private:
    static core::Value value_of(double& number) { return number; }
    static core::Value value_of(int& number) { return number; }
    static core::Value value_of(bool& flag) { return flag; }
    static core::Value value_of(std::string& text) { return text; }
    static core::Value value_of(core::Value& value) { return value; }
    template <class T>
    static core::Value value_of(std::vector<T>& list) {
        core::Value array = core::Value::array();
        for (T& entry : list) {
            array.append(value_of(entry));
        }
        return array;
    }
    template <class T>
    static core::Value value_of(T& value) {
        if constexpr (std::is_enum_v<T>) {
            return name_of(value);
        } else {
            Writer writer;
            fields(writer, value);
            return writer.take();
        }
    }

    core::Value object_ = core::Value::object();
};

/// Reads the members of an object; problems go to the cursor.
class Reader {
public:
    explicit Reader(const core::Cursor& object) : object_(object) {}

    template <class T>
    void operator()(std::string_view key, T& value, Need need = Need::kOptional) {
        known_.push_back(key);
        const auto found = need == Need::kRequired ? object_.require(key, "every entry has it")
                                                   : object_.find(key);
        if (found) {
            read(*found, value);
        }
    }
    void rest(core::Value& unknown) {
        for (const core::Member& member : object_.value().members) {
            if (std::ranges::find(known_, member.key) == known_.end()) {
                unknown.set(member.key, member.value);
            }
        }
    }

private:
    static void read(const core::Cursor& at, double& number) {
        number = at.number().value_or(number);
    }
    static void read(const core::Cursor& at, int& number) {
        number = at.integer(0, std::numeric_limits<int>::max()).value_or(number);
    }
    static void read(const core::Cursor& at, bool& flag) { flag = at.boolean().value_or(flag); }
    static void read(const core::Cursor& at, std::string& text) {
        text = at.string().value_or(std::move(text));
    }
    static void read(const core::Cursor& at, core::Value& value) { value = at.value(); }
    template <class T>
    static void read(const core::Cursor& at, std::optional<T>& value) {
        read(at, value.emplace());
    }
    template <class T>
    static void read(const core::Cursor& at, std::vector<T>& list) {
        for (std::size_t i = 0; at.is_array() && i < at.value().size(); ++i) {
            read(at.item(i), list.emplace_back());
        }
    }
    template <class T>
    static void read(const core::Cursor& at, T& value) {
        if constexpr (std::is_enum_v<T>) {
            read_name(at, value);
        } else if (at.is_object()) {
            Reader reader(at);
            fields(reader, value);
        }
    }
    template <class E>
    static void read_name(const core::Cursor& at, E& value) {
        const auto name = at.string();
        std::string names;
        for (const E candidate : Enumerators<E>::kAll) {
            if (name && *name == name_of(candidate)) {
                value = candidate;
                return;
            }
            names += (names.empty() ? "" : ", ") + std::string(name_of(candidate));
        }
        if (name) {
            at.report("is " + core::shown(*name), "it must be one of " + names);
        }
    }

    core::Cursor object_;
    std::vector<std::string_view> known_;
};

}  // namespace longhaul::measure::detail
