#include "longhaul/measure/utc.hpp"

#include <algorithm>
#include <chrono>

namespace longhaul::measure {
namespace {

/// Digits of text[at, at + count) as a number, or -1.
int digits(const std::string& text, std::size_t at, std::size_t count) {
    if (at + count > text.size()) {
        return -1;
    }
    int value = 0;
    for (std::size_t i = at; i < at + count; ++i) {
        if (text[i] < '0' || text[i] > '9') {
            return -1;
        }
        value = 10 * value + (text[i] - '0');
    }
    return value;
}

std::optional<double> days_of(const std::string& text) {
    const int year = digits(text, 0, 4);
    const int month = digits(text, 5, 2);
    const int day = digits(text, 8, 2);
    const int hour = digits(text, 11, 2);
    const int minute = digits(text, 14, 2);
    const int second = text.size() > 17 && text[16] == ':' ? digits(text, 17, 2) : 0;
    const bool separators = text.size() >= 17 && text[4] == '-' && text[7] == '-' &&
                            (text[10] == 'T' || text[10] == ' ') && text[13] == ':' &&
                            text.back() == 'Z';
    const std::chrono::year_month_day date{
        std::chrono::year(year),
        std::chrono::month(static_cast<unsigned>(std::max(month, 0))),
        std::chrono::day(static_cast<unsigned>(std::max(day, 0)))};
    const bool clock = hour >= 0 && hour < 24 && minute >= 0 && minute < 60 && second >= 0 &&
                       second <= 60;  // 60: a leap second
    if (!separators || year < 0 || !clock || !date.ok()) {
        return std::nullopt;
    }
    const auto days = std::chrono::sys_days(date).time_since_epoch().count();
    return static_cast<double>(days) + (hour * 3600 + minute * 60 + second) / 86400.0;
}

}  // namespace

bool is_utc(const std::string& text) {
    return days_of(text).has_value();
}

std::optional<double> days_between(const std::string& from, const std::string& to) {
    const std::optional<double> a = days_of(from);
    const std::optional<double> b = days_of(to);
    return a && b ? std::optional<double>(*b - *a) : std::nullopt;
}

}  // namespace longhaul::measure
