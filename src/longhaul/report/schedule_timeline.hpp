// One period of a schedule over time: who sends when, what arrives when, what memory bears.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace longhaul::report {

/// What one island does in a round; ms from the start of the round, negative where rounds overlap.
struct TimelineExchange {
    int island = 0;
    std::size_t clique = 0;  ///< number among the cliques of its round that have two members or
                             ///< more; the colour, the same as in a ScheduleMap
    double offset_ms = 0;    ///< first byte leaves
    double sending_ms = 0;   ///< until the last byte leaves
    double first_ms = 0;     ///< first byte of the first sender arrives
    double last_ms = 0;      ///< first byte of the last sender arrives
    double end_ms = 0;       ///< last byte of the last sender arrives
};

struct TimelineRound {
    double length_ms = 0;  ///< from its start to the start of the next, finite, >= 0
    std::vector<TimelineExchange> exchanges;  ///< islands without one are alone
};

/// A time in which an island, its aggregator or a link does not work.
struct TimelineSpan {
    int island = -1;     ///< its lane; -1: a lane of its own below the islands, named `name`
    std::string name;    ///< such as "NYC>LON"; spans of one name share a lane
    std::string what;    ///< such as "down", "left", "aggregator closed"
    double from_ms = 0;  ///< from the start of the first round
    double to_ms = 0;    ///< may be infinite
};

struct ScheduleTimeline {
    std::string title;
    std::string subtitle;
    std::vector<std::string> islands;  ///< names of lanes; at least one
    std::vector<TimelineRound> rounds;
    bool streamed = false;  ///< rounds overlap: lanes are split, rounds take turns
    std::vector<TimelineSpan> spans{};
};

/// An SVG picture: a lane an island with a bar for sending, in the colour of its clique and with
/// the names of the others, underneath a pale bar for arriving and in it a dark one from the first
/// byte of the first sender to that of the last: the spread that the memory of the aggregator
/// bears. Lines part the rounds. Lanes of a streamed schedule are split in two, or more (at most
/// four) where more rounds are under way at once; a period of one round is drawn twice then. Spans
/// are shaded behind the bars, with what they are where there is room, and cut off at the axis.
/// Bars with a time that is not finite, or of no length, are left out. O(rounds islands^2).
[[nodiscard]] std::string draw(const ScheduleTimeline& timeline);

}  // namespace longhaul::report
