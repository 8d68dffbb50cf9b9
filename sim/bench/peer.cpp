// The same publications and subscriptions through pugixml: parse each document, evaluate every expression, count those that select something.
//
// usage: peer DOCUMENTS EXPRESSIONS ROUNDS
// Both files hold items, each a 32-bit little-endian length and the bytes. Expressions are compiled once. Prints the matches of one round
// and the processor seconds of the fastest one.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <string>
#include <vector>

#include <pugixml.hpp>

static std::vector<std::string> items(const char *path) {
    std::ifstream file(path, std::ios::binary);
    std::vector<std::string> found;
    uint32_t length;
    while (file.read(reinterpret_cast<char *>(&length), 4)) {
        std::string item(length, '\0');
        file.read(item.data(), length);
        found.push_back(std::move(item));
    }
    return found;
}

int main(int argc, char **argv) {
    if (argc != 4)
        return 2;
    std::vector<std::string> documents = items(argv[1]);
    std::vector<pugi::xpath_query> queries;
    for (const std::string &text : items(argv[2]))
        queries.emplace_back(text.c_str());
    double best = 1e9;
    unsigned long matches = 0;
    for (int round = 0; round < std::atoi(argv[3]); round++) {
        std::clock_t started = std::clock();
        matches = 0;
        for (const std::string &text : documents) {
            pugi::xml_document document;
            if (!document.load_buffer(text.data(), text.size(), pugi::parse_default | pugi::parse_ws_pcdata))
                return 1;
            for (const pugi::xpath_query &query : queries)
                matches += bool(query.evaluate_node(document));
        }
        double seconds = double(std::clock() - started) / CLOCKS_PER_SEC;
        if (seconds < best)
            best = seconds;
    }
    std::printf("%lu %.9f\n", matches, best);
    return 0;
}
