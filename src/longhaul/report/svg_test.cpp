#include "longhaul/report/svg.hpp"

#include <gtest/gtest.h>

namespace longhaul::report {
namespace {

TEST(Svg, EscapesMarkupAndWhatXmlForbids) {
    EXPECT_EQ(escaped("a<b>&\"'"), "a&lt;b&gt;&amp;&quot;&apos;");
    EXPECT_EQ(escaped("caf\xC3\xA9 \xF0\x9F\x8C\x8D"), "caf\xC3\xA9 \xF0\x9F\x8C\x8D");
    const std::string bad = "\xEF\xBF\xBD";  // U+FFFD
    EXPECT_EQ(escaped(std::string("x\0y", 3)), "x" + bad + "y");
    EXPECT_EQ(escaped("\x1b[31m"), bad + "[31m");
    EXPECT_EQ(escaped("\xE2\x80\xAEgnp\xC2\x85"), bad + "gnp" + bad);  // U+202E, U+0085
    EXPECT_EQ(escaped("x\xFFy"), "x" + bad + "y");
    EXPECT_EQ(escaped("\xC3"), bad);
    EXPECT_EQ(escaped("\xEF\xBF\xBF"), bad);  // U+FFFF is no XML character
}

TEST(Svg, WritesADocument) {
    Svg svg({10, 20}, "a & b", "text");
    svg.rectangle({1, 2}, {3, 4}, "#fff");
    svg.line({0, 0.125}, {1, -0.001});
    svg.text({1, 1}, "<script>", {.anchor = "middle"});
    const std::string text = svg.document();
    EXPECT_TRUE(text.starts_with("<svg "));
    EXPECT_TRUE(text.ends_with("</svg>\n"));
    EXPECT_NE(text.find("<title id=\"title\">a &amp; b</title>"), std::string::npos);
    EXPECT_NE(text.find("x=\"1\" y=\"2\" width=\"3\" height=\"4\""), std::string::npos);
    EXPECT_NE(text.find("y1=\"0.12\" x2=\"1\" y2=\"0\""), std::string::npos);
    EXPECT_NE(text.find("&lt;script&gt;</text>"), std::string::npos);
    EXPECT_EQ(text.find("<script>"), std::string::npos);
}

TEST(Svg, DrawsShapesAndHalos) {
    Svg svg({10, 20}, "", "");
    const std::vector<Point> points{{1, 2}, {3, 4.5}};
    svg.polyline(points, {.dash = "2 4", .opacity = 0.5});
    svg.polyline(std::span(points).first(1));  // nothing
    svg.polygon(points, {.fill = "#fff", .stroke = "#000", .width = 3, .opacity = 0.25});
    svg.polygon({}, {});  // nothing
    svg.disc({1, 1}, 2, {.fill = "#abc"});
    svg.text({1, 1}, "a\xE2\x80\xA6", {.halo = true, .full = "a & b"});
    svg.text({1, 1}, "whole", {.full = "whole"});
    const std::string text = svg.document();
    EXPECT_NE(text.find("<polyline points=\"1,2 3,4.5\" fill=\"none\" stroke=\"#1f2933\" "
                        "stroke-width=\"1\" stroke-linejoin=\"round\" stroke-dasharray=\"2 4\" "
                        "opacity=\"0.5\"/>"),
              std::string::npos);
    EXPECT_NE(text.find("<polygon points=\"1,2 3,4.5\" fill=\"#fff\" stroke=\"#000\" "
                        "stroke-width=\"3\" stroke-linejoin=\"round\" opacity=\"0.25\"/>"),
              std::string::npos);
    EXPECT_NE(text.find("<circle cx=\"1\" cy=\"1\" r=\"2\" fill=\"#abc\"/>"), std::string::npos);
    EXPECT_NE(text.find("paint-order=\"stroke\">a\xE2\x80\xA6<title>a &amp; b</title></text>"),
              std::string::npos);
    EXPECT_NE(text.find(">whole</text>"), std::string::npos);
    EXPECT_EQ(text.find("<polyline"), text.rfind("<polyline"));
    EXPECT_EQ(text.find("<polygon"), text.rfind("<polygon"));
}

}  // namespace
}  // namespace longhaul::report
