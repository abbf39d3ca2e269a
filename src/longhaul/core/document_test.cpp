#include "longhaul/core/document.hpp"

#include <chrono>

#include <gtest/gtest.h>

namespace longhaul::core {
namespace {

using Parser = Result<Document> (*)(std::string_view, std::string_view);

std::string first_problem(const Result<Document>& result) {
    return result ? "no problem" : to_string(result.error().front());
}

std::string json_problem(std::string_view text) {
    return first_problem(parse_json(text, "f.json"));
}

std::string toml_problem(std::string_view text) {
    return first_problem(parse_toml(text, "f.toml"));
}

std::string place_of_value(const Value* value) {
    return value == nullptr ? "absent"
                            : std::to_string(value->line) + ":" + std::to_string(value->column);
}

std::string repeated(std::string_view part, std::size_t times) {
    std::string text;
    text.reserve(part.size() * times);
    for (std::size_t i = 0; i < times; ++i) {
        text += part;
    }
    return text;
}

TEST(Json, ReadsEveryKind) {
    const auto document = parse_json(
        R"({"n": null, "t": true, "f": false, "i": -12, "r": 2.5e-3, "s": "a\nb", "a": [1, "x"],
            "m": [[1, 2], [3, 4]], "o": {"k": {}}, "e": []})",
        "f.json");
    ASSERT_TRUE(document) << first_problem(document);
    const Value& root = document->root;
    EXPECT_EQ(document->name, "f.json");
    EXPECT_EQ(root.find("n")->kind, Value::Kind::kNull);
    EXPECT_TRUE(root.find("t")->boolean);
    EXPECT_FALSE(root.find("f")->boolean);
    EXPECT_EQ(root.find("i")->number, -12);
    EXPECT_EQ(root.find("r")->number, 0.0025);
    EXPECT_EQ(root.find("s")->string, "a\nb");
    EXPECT_EQ(root.find("a")->items[1].string, "x");
    EXPECT_EQ(root.find("m")->items[1].numbers, (std::vector<double>{3, 4}));
    EXPECT_EQ(root.find("o")->find("k")->members.size(), 0U);
    EXPECT_EQ(root.find("e")->size(), 0U);
}

TEST(Json, PlacesOfValuesAreExact) {
    const auto document = parse_json(
        "{\"a\":1,\"b\":[1,2],\"c\":{\"d\":3},\n"
        "  \"s\" : \"x\\\"]}\\n\" , \"t\":true,\n"
        "\t\"é\":\"日本\",\"u\":null,\n"
        " \"v\":[[7],[8]],\"w\":[ {\"x\":-1.5e3}\n"
        ",\"y\"]}",
        "f.json");
    ASSERT_TRUE(document) << first_problem(document);
    const Value& root = document->root;
    EXPECT_EQ(place_of_value(&root), "1:1");
    EXPECT_EQ(place_of_value(root.find("a")), "1:6");
    EXPECT_EQ(place_of_value(root.find("b")), "1:12");
    EXPECT_EQ(place_of_value(root.find("c")), "1:22");
    EXPECT_EQ(place_of_value(root.find("c")->find("d")), "1:27");
    EXPECT_EQ(place_of_value(root.find("s")), "2:9");
    EXPECT_EQ(place_of_value(root.find("t")), "2:25");
    EXPECT_EQ(place_of_value(root.find("é")), "3:6");  // columns count characters
    EXPECT_EQ(place_of_value(root.find("u")), "3:15");
    EXPECT_EQ(place_of_value(&root.find("v")->items[0]), "4:7");
    EXPECT_EQ(place_of_value(&root.find("v")->items[1]), "4:11");
    EXPECT_EQ(place_of_value(&root.find("w")->items[0]), "4:22");
    EXPECT_EQ(place_of_value(root.find("w")->items[0].find("x")), "4:27");
    EXPECT_EQ(place_of_value(&root.find("w")->items[1]), "5:2");
}

TEST(Json, PlacesOfSyntaxErrorsAreExact) {
    const auto at = [](std::string_view text) {
        const std::string problem = json_problem(text);
        return problem.substr(0, problem.find(": not valid"));
    };
    EXPECT_EQ(at("{\"a\": [1}"), "f.json: line 1, column 9");
    EXPECT_EQ(at("{\"a\": [1x]}"), "f.json: line 1, column 9");
    EXPECT_EQ(at("{\"a\":1,,}"), "f.json: line 1, column 8");
    EXPECT_EQ(at("{\"a\":1\n\"b\":2}"), "f.json: line 2, column 1");
    EXPECT_EQ(at("{\"a\":1"), "f.json: line 1, column 7");
    EXPECT_EQ(at("{\"a\":1}\n x"), "f.json: line 2, column 2");
    EXPECT_EQ(at("{\"a\": NaN}"), "f.json: line 1, column 7");
    EXPECT_EQ(at("{\"a\": Infinity}"), "f.json: line 1, column 7");
    EXPECT_EQ(at("{\"a\": -Infinity}"), "f.json: line 1, column 7");
    EXPECT_EQ(at("{'a': 1}"), "f.json: line 1, column 2");
    EXPECT_EQ(at("{\"a\": 1} {}"), "f.json: line 1, column 10");
}

TEST(Json, SyntaxErrorsAreOneShortSentence) {
    EXPECT_EQ(json_problem("{\"a\": [1}"),
              "f.json: line 1, column 9: not valid JSON: syntax error while parsing array - "
              "unexpected '}'; expected ']'; correct it at this place");
    EXPECT_EQ(
        json_problem("{\"a\": 1e999}"),
        "f.json: line 1, column 7: not valid JSON: number overflow parsing '1e999'; correct it "
        "at this place");
}

TEST(Json, RefusesDuplicateKeysAtAnyDepth) {
    EXPECT_EQ(json_problem("{\"a\": 1, \"a\": 2}"),
              "f.json: line 1, column 10: the key \"a\" appears twice; keep one of them");
    EXPECT_EQ(json_problem("{\"x\": [[{\"k\": 1,\n\"b\": 0, \"k\": 2}]]}"),
              "f.json: line 2, column 9: the key \"k\" appears twice; keep one of them");
    // Escapes do not hide that two keys are equal.
    EXPECT_NE(json_problem("{\"a\": 1, \"\\u0061\": 2}"), "no problem");
    EXPECT_EQ(json_problem("{\"a\": {\"a\": {\"a\": 1}}, \"b\": [{\"a\": 1}, {\"a\": 1}]}"),
              "no problem");
    const auto both = parse_json("{\"a\": 1, \"a\": 2, \"b\": 1, \"b\": 2}", "f.json");
    ASSERT_FALSE(both);
    EXPECT_EQ(both.error().size(), 2U);
}

// As Python's json.loads and JavaScript's JSON.parse read them.
TEST(Json, TheLastOfForeignDuplicatesCounts) {
    const auto read = parse_foreign_json(
        "{\"a\": 1, \"b\": {\"k\": [1], \"k\": {\"z\": 3}, \"c\": 4}, \"a\": 2, \"d\": 5}",
        "f.json");
    ASSERT_TRUE(read) << first_problem(read);
    EXPECT_EQ(write_json_line(read->root),
              "{\"b\": {\"k\": {\"z\": 3}, \"c\": 4}, \"a\": 2, \"d\": 5}\n");
    EXPECT_FALSE(parse_foreign_json("{\"a\": 1, \"a\": }", "f.json"));
    const auto many =
        parse_foreign_json("{" + repeated("\"a\":1,", 100'000) + "\"a\":7}", "f.json");
    ASSERT_TRUE(many);
    EXPECT_EQ(write_json_line(many->root), "{\"a\": 7}\n");
}

TEST(Json, RefusesNumbersBeyondTheRange) {
    EXPECT_EQ(json_problem("{\"a\": 1e999}").substr(0, 24), "f.json: line 1, column 7");
    EXPECT_EQ(json_problem("{\"a\": -1e999}").substr(0, 24), "f.json: line 1, column 7");
    EXPECT_EQ(json_problem("{\"a\": 123456789012345678901234567890}"), "no problem");
    EXPECT_EQ(json_problem("{\"a\": 1e-999}"), "no problem");
}

TEST(Json, RefusesARootThatIsNoObject) {
    EXPECT_EQ(json_problem("[1, 2]"),
              "f.json: the file holds an array; it must hold one object {...}");
    EXPECT_EQ(json_problem("3"), "f.json: the file holds a number; it must hold one object {...}");
    EXPECT_EQ(json_problem("null"), "f.json: the file holds null; it must hold one object {...}");
}

TEST(Json, MessagesStayShort) {
    EXPECT_LT(json_problem("{\"a\": \"" + std::string(1'000'000, 'x')).size(), 300U);
    EXPECT_LT(json_problem("{\"a\": \"" + repeated("é", 100'000)).size(), 300U);
    EXPECT_LT(json_problem("{\"" + std::string(100'000, 'k') + "\":1,\"" +
                           std::string(100'000, 'k') + "\":1}")
                  .size(),
              300U);
    const auto many = parse_json("{" + repeated("\"a\":1,", 10'000) + "\"b\":1}", "f.json");
    ASSERT_FALSE(many);
    EXPECT_LE(many.error().size(), 20U);
}

TEST(Toml, ReadsEveryKind) {
    const auto document = parse_toml(
        "t = true\ni = 1_000\nr = 2.5e-3\ns = \"a\\nb\"\nl = 'a\\nb'\na = [1, 'x']\n"
        "m = [[1, 2], [3, 4]]\nx.y = 1\nhex = 0xff\n[o.k]\nz = 1\n[[list]]\nn = 1\n[[list]]\n"
        "n = 2\n",
        "f.toml");
    ASSERT_TRUE(document) << first_problem(document);
    const Value& root = document->root;
    EXPECT_TRUE(root.find("t")->boolean);
    EXPECT_EQ(root.find("i")->number, 1000);
    EXPECT_EQ(root.find("r")->number, 0.0025);
    EXPECT_EQ(root.find("s")->string, "a\nb");
    EXPECT_EQ(root.find("l")->string, "a\\nb");
    EXPECT_EQ(root.find("a")->items[1].string, "x");
    EXPECT_EQ(root.find("m")->items[1].numbers, (std::vector<double>{3, 4}));
    EXPECT_EQ(root.find("x")->find("y")->number, 1);
    EXPECT_EQ(root.find("hex")->number, 255);
    EXPECT_EQ(root.find("o")->find("k")->find("z")->number, 1);
    EXPECT_EQ(root.find("list")->items[1].find("n")->number, 2);
}

TEST(Toml, PlacesOfValuesAreExact) {
    const auto document = parse_toml(
        "a = 1\n"
        "  b = [ 1, 'x' ]\n"
        "\"é\" = \"日本\" # ]]]\n"
        "[c]\n"
        "\"ü\".d = true\n",
        "f.toml");
    ASSERT_TRUE(document) << first_problem(document);
    const Value& root = document->root;
    EXPECT_EQ(place_of_value(root.find("a")), "1:5");
    EXPECT_EQ(place_of_value(root.find("b")), "2:7");
    EXPECT_EQ(place_of_value(&root.find("b")->items[1]), "2:12");
    EXPECT_EQ(place_of_value(root.find("é")), "3:7");  // columns count characters
    EXPECT_EQ(place_of_value(root.find("c")->find("ü")->find("d")), "5:9");
}

TEST(Toml, RefusesWhatJsonCouldNotHold) {
    EXPECT_EQ(toml_problem("a = nan"),
              "f.toml: line 1, column 5: the number is not finite; use a finite number");
    EXPECT_EQ(toml_problem("a = 1\nb = [1.0, -inf]").substr(0, 25), "f.toml: line 2, column 11");
    EXPECT_EQ(toml_problem("a = 1e999").substr(0, 14), "f.toml: line 1");
    EXPECT_EQ(toml_problem("a = 99999999999999999999").substr(0, 14), "f.toml: line 1");
    EXPECT_EQ(toml_problem("x.y = 1979-05-27").substr(0, 24), "f.toml: line 1, column 7");
    EXPECT_EQ(toml_problem("a = 07:32:00").substr(0, 24), "f.toml: line 1, column 5");
    EXPECT_NE(toml_problem("a = null"), "no problem");
}

TEST(Toml, RefusesDuplicateKeysAtAnyDepth) {
    EXPECT_EQ(toml_problem("a = 1\na = 2").substr(0, 14), "f.toml: line 2");
    EXPECT_EQ(toml_problem("[t]\nx = 1\n[u]\nx = 1\n[t]\ny = 1").substr(0, 14), "f.toml: line 5");
    EXPECT_EQ(toml_problem("a = {b = {c = 1, c = 2}}").substr(0, 14), "f.toml: line 1");
    EXPECT_NE(toml_problem("a.b = 1\n\"a\".'b' = 2"), "no problem");
    EXPECT_EQ(toml_problem("[[a]]\nx = 1\n[[a]]\nx = 1"), "no problem");
}

TEST(Toml, BracketsInStringsAndCommentsDoNotCountAsNesting) {
    std::string text = "s = '" + std::string(200, '[') + "'\n";
    text += "t = \"\\\"" + std::string(200, '{') + "\"\n";
    text += "u = '''\n" + std::string(200, '[') + "''''\n";
    text += "v = \"\"\"" + std::string(200, '[') + "\"\"\"\"\"\n";
    text += repeated("# an interval [0, 1)\n", 200);
    text += "w = '" + std::string(200, '.') + "'\n";
    EXPECT_EQ(toml_problem(text), "no problem");
}

TEST(Documents, AcceptSixtyFourLevelsAndRefuseMore) {
    const auto json = [](std::size_t levels) {  // the root object is one of them
        return json_problem("{\"a\":" + std::string(levels - 1, '[') +
                            std::string(levels - 1, ']') + "}");
    };
    const auto toml = [](std::size_t levels) {
        return toml_problem("a = " + std::string(levels - 1, '[') + std::string(levels - 1, ']'));
    };
    EXPECT_EQ(json(64), "no problem");
    EXPECT_EQ(toml(64), "no problem");
    EXPECT_EQ(json(65),
              "f.json: line 1, column 69: nested deeper than 64 levels; no longhaul file nests "
              "that deep");
    EXPECT_EQ(toml(65), "f.toml: nested deeper than 64 levels; no longhaul file nests that deep");
    // Dotted keys and table headers nest too.
    EXPECT_EQ(toml_problem(repeated("a.", 62) + "a = 1"), "no problem");
    EXPECT_EQ(toml_problem(repeated("a.", 64) + "a = 1").substr(0, 21), "f.toml: nested deeper");
    EXPECT_EQ(toml_problem("[" + repeated("a.", 40) + "a]\n" + repeated("b.", 40) + "b = 1")
                  .substr(0, 21),
              "f.toml: nested deeper");
    EXPECT_EQ(
        toml_problem("x = [ '''a'''', {" + repeated("a.", 1'000'000) + "a = 1}]").substr(0, 21),
        "f.toml: nested deeper");
}

struct Hostile {
    std::string name;
    std::string text;
};

TEST(Documents, TenMegabytesOfBracketsAreRefusedAtOnce) {
    constexpr std::size_t kBytes = 10'000'000;
    const std::vector<Hostile> texts = {
        {"open", std::string(kBytes, '[')},
        {"braces", std::string(kBytes, '{')},
        {"close", std::string(kBytes, ']')},
        {"pairs", repeated("[]", kBytes / 2)},
        {"key and open", "a = " + std::string(kBytes, '[')},
        {"key and braces", "a = " + repeated("{a=", kBytes / 3)},
        {"json objects", repeated("{\"a\":", kBytes / 5)},
        {"json arrays", "{\"a\":" + std::string(kBytes, '[')},
        {"dots", repeated("a.", kBytes / 2)},
    };
    for (const Hostile& hostile : texts) {
        for (const Parser parse : {&parse_json, &parse_toml}) {
            const auto start = std::chrono::steady_clock::now();
            const auto result = parse(hostile.text, "f");
            const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
            EXPECT_FALSE(result) << hostile.name;
            EXPECT_LT(first_problem(result).size(), 1000U) << hostile.name;
            EXPECT_LT(spent.count(), 10) << hostile.name;  // far below a second without sanitizers
        }
    }
}

TEST(Documents, TextCutAnywhereIsRefusedOrWhole) {
    const std::string json =
        "{\"s\": \"a\\u00e9\\n\", \"n\": [1.5e3, -2], \"o\": {\"t\": true, \"u\": null}}";
    for (std::size_t cut = 0; cut < json.size(); ++cut) {
        EXPECT_FALSE(parse_json(std::string_view(json).substr(0, cut), "f.json")) << cut;
    }
    EXPECT_TRUE(parse_json(json, "f.json"));
    // A TOML file may end after any whole line, so that only "no crash" can be asked of a cut.
    const std::string toml = "s = \"a\\u00e9\"\nn = [1.5e3, -2]\n[o]\nt = true\nd = {e = '''x'''}";
    for (std::size_t cut = 0; cut < toml.size(); ++cut) {
        const auto result = parse_toml(std::string_view(toml).substr(0, cut), "f.toml");
        EXPECT_TRUE(result || !result.error().front().what.empty()) << cut;
    }
    EXPECT_FALSE(parse_toml(std::string_view(toml).substr(0, toml.size() - 1), "f.toml"));
}

TEST(Documents, RefuseEmptyTextAndBadUtf8) {
    for (const Parser parse : {&parse_json, &parse_toml}) {
        EXPECT_EQ(first_problem(parse("", "f")), "f: the file is empty; it must hold one object");
        EXPECT_EQ(first_problem(parse(" \r\n\t", "f")),
                  "f: the file is empty; it must hold one object");
        EXPECT_EQ(first_problem(parse("\xEF\xBB\xBF\n", "f")),
                  "f: the file is empty; it must hold one object");
        EXPECT_EQ(first_problem(parse("a\xFF", "f")),
                  "f: byte 1: not UTF-8 text (byte 0xff); save the file as UTF-8 text");
        EXPECT_EQ(first_problem(parse("\xFF\xFE{\0}\0", "f")),  // UTF-16
                  "f: byte 0: not UTF-8 text (byte 0xff); save the file as UTF-8 text");
        EXPECT_EQ(first_problem(parse(std::string_view("{}\0x", 4), "f")),
                  "f: byte 2: not text (a zero byte); save the file as UTF-8 text");
    }
}

TEST(Documents, SkipAByteOrderMark) {
    const auto json = parse_json("\xEF\xBB\xBF{\"a\": 1}", "f");
    ASSERT_TRUE(json) << first_problem(json);
    EXPECT_EQ(place_of_value(json->root.find("a")), "1:7");
    const auto toml = parse_toml(
        "\xEF\xBB\xBF"
        "a = 1",
        "f");
    ASSERT_TRUE(toml) << first_problem(toml);
    EXPECT_EQ(place_of_value(toml->root.find("a")), "1:5");
}

TEST(Documents, FormatFollowsTheName) {
    EXPECT_TRUE(parse_document("a = 1", "x.toml"));
    EXPECT_TRUE(parse_document("{\"a\": 1}", "x.json"));
    EXPECT_TRUE(parse_document("{\"a\": 1}", "standard input"));
    EXPECT_FALSE(parse_document("a = 1", "x.json"));
    EXPECT_FALSE(parse_document("a = 1", "x.txt"));
    for (const char* toml : {"a = 1",
                             "\n# one\na = 1",
                             "[t]\na = 1",
                             " [[ t ]]\na = 1",
                             "_a = 1",
                             "\xEF\xBB\xBF_a = 1"}) {
        EXPECT_TRUE(parse_document(toml, "standard input")) << toml;
        EXPECT_TRUE(parse_document(toml, "/tmp/a.b/pipe")) << toml;
    }
    EXPECT_EQ(to_string(parse_document("a = ", "standard input").error().front()),
              to_string(parse_toml("a = ", "standard input").error().front()));
    for (const char* json : {"", " ", "[1]", "[[1]]", "[", "1", "\"a\"", "{"}) {
        const auto read = parse_document(json, "standard input");
        ASSERT_FALSE(read) << json;
        EXPECT_EQ(to_string(read.error().front()),
                  to_string(parse_json(json, "standard input").error().front()));
    }
}

}  // namespace
}  // namespace longhaul::core
