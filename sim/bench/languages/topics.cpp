// Hierarchical topics as published [H III-A, III-C]: a tree of edges, and a hash table of subscriptions with counts of wildcards.
//
// usage: topics tree|hash FILE ROUNDS
// FILE has lines: "S destination subscription" and "T topic". Prints the destinations of each topic, a line a topic, and at last: seconds of
// one topic in the fastest round, seconds of adding a subscription and of removing one, nodes, edges, bytes held. A hash table has no nodes,
// and its edges are its entries.

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <limits>
#include <malloc.h>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

using std::string;
using std::vector;

static vector<string> split(const string &text) {
    vector<string> found(1);
    for (char one : text)
        if (one == '/')
            found.emplace_back();
        else
            found.back().push_back(one);
    return found;
}

struct Table {
    virtual ~Table() = default;
    virtual void add(const string &subscription, uint32_t destination) = 0;
    virtual void remove(const string &subscription, uint32_t destination) = 0;
    virtual void find(const string &topic, vector<uint32_t> &destinations) const = 0;
    virtual std::pair<size_t, size_t> size() const = 0;
};

static void take(vector<uint32_t> &destinations, uint32_t one) {
    auto place = std::find(destinations.begin(), destinations.end(), one);
    *place = destinations.back();
    destinations.pop_back();
}

// Each edge has its destinations and the number of destinations that are reached over it; an edge without any is pruned.
class Tree : public Table {
    struct Edge {
        vector<uint32_t> destinations, exact;
        std::unordered_map<string, std::unique_ptr<Edge>> edges;
        size_t references = 0;
    };
    Edge root;

    static vector<uint32_t> &list(Edge &edge, bool exact) { return exact ? edge.exact : edge.destinations; }

    static void search(const Edge &edge, const vector<string> &levels, size_t depth, vector<uint32_t> &found) {
        if (depth)
            found.insert(found.end(), edge.destinations.begin(), edge.destinations.end());
        if (depth == levels.size()) {
            found.insert(found.end(), edge.exact.begin(), edge.exact.end());
            return;
        }
        static const string any = "*";
        if (auto next = edge.edges.find(levels[depth]); next != edge.edges.end())
            search(*next->second, levels, depth + 1, found);
        if (levels[depth] != any)
            if (auto next = edge.edges.find(any); next != edge.edges.end())
                search(*next->second, levels, depth + 1, found);
    }

    static void count(const Edge &edge, size_t &nodes, size_t &edges) {
        nodes += !edge.edges.empty();
        edges += edge.edges.size();
        for (const auto &next : edge.edges)
            count(*next.second, nodes, edges);
    }

    // Removes the rest of the levels; the caller prunes this edge when nothing refers to it any more.
    static void take_back(Edge &edge, const vector<string> &levels, size_t depth, bool exact, uint32_t destination) {
        if (depth == levels.size())
            return take(list(edge, exact), destination);
        auto next = edge.edges.find(levels[depth]);
        take_back(*next->second, levels, depth + 1, exact, destination);
        if (!--next->second->references)
            edge.edges.erase(next);
    }

  public:
    void add(const string &subscription, uint32_t destination) override {
        vector<string> levels = split(subscription);
        bool exact = levels.back() == "#";
        levels.resize(levels.size() - exact);
        Edge *edge = &root;
        for (const string &level : levels) {
            auto &next = edge->edges[level];
            if (!next)
                next = std::make_unique<Edge>();
            edge = next.get();
            edge->references++;
        }
        list(*edge, exact).push_back(destination);
    }

    void remove(const string &subscription, uint32_t destination) override {
        vector<string> levels = split(subscription);
        bool exact = levels.back() == "#";
        levels.resize(levels.size() - exact);
        take_back(root, levels, 0, exact, destination);
    }

    void find(const string &topic, vector<uint32_t> &found) const override { search(root, split(topic), 0, found); }

    std::pair<size_t, size_t> size() const override {
        size_t nodes = 0, edges = 0;
        count(root, nodes, edges);
        return {nodes, edges};
    }
};

// The subscriptions that could match a topic are made from it and looked up; counts of wildcards by first level and place tell which ones.
class Hash : public Table {
    static constexpr size_t DEPTH = 33;
    std::unordered_map<string, vector<uint32_t>> destinations;
    std::unordered_map<string, std::array<uint32_t, DEPTH>> wildcards; // by place from 1; at 0 the subscriptions

    void look(const string &key, vector<uint32_t> &found) const {
        if (auto place = destinations.find(key); place != destinations.end())
            found.insert(found.end(), place->second.begin(), place->second.end());
    }

    void finer(const vector<string> &levels, const std::array<uint32_t, DEPTH> &counts, const string &coarser, size_t level,
               vector<uint32_t> &found) const {
        look(coarser, found);
        if (level == levels.size())
            return look(coarser + "/#", found);
        if (levels[level] != "#" && levels[level] != "*")
            finer(levels, counts, coarser + "/" + levels[level], level + 1, found);
        if (counts[level])
            finer(levels, counts, coarser + "/*", level + 1, found);
    }

    void change(const string &subscription, int by) {
        vector<string> levels = split(subscription);
        auto &counts = wildcards.try_emplace(levels[0]).first->second;
        counts[0] += by;
        for (size_t place = 1; place < levels.size(); place++)
            if (levels[place] == "*")
                counts[place] += by;
        if (!counts[0])
            wildcards.erase(levels[0]);
    }

  public:
    void add(const string &subscription, uint32_t destination) override {
        change(subscription, 1);
        destinations[subscription].push_back(destination);
    }

    void remove(const string &subscription, uint32_t destination) override {
        change(subscription, -1);
        auto place = destinations.find(subscription);
        take(place->second, destination);
        if (place->second.empty())
            destinations.erase(place);
    }

    void find(const string &topic, vector<uint32_t> &found) const override {
        vector<string> levels = split(topic);
        if (auto place = wildcards.find(levels[0]); place != wildcards.end())
            finer(levels, place->second, levels[0], 1, found);
    }

    std::pair<size_t, size_t> size() const override { return {0, destinations.size()}; }
};

// Processor time, so that others on the machine count little.
static double now() {
    timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return double(time.tv_sec) + double(time.tv_nsec) / 1e9;
}

int main(int argc, char **argv) {
    if (argc != 4)
        return 2;
    vector<std::pair<uint32_t, string>> subscriptions;
    vector<string> topics;
    std::ifstream file(argv[2]);
    for (string line; std::getline(file, line);) {
        if (line[0] == 'T') {
            topics.push_back(line.substr(2));
            continue;
        }
        size_t gap = line.find(' ', 2);
        subscriptions.emplace_back(std::stoul(line.substr(2, gap - 2)), line.substr(gap + 1));
    }
    std::unique_ptr<Table> table;
    size_t before = mallinfo2().uordblks + mallinfo2().hblkhd;
    if (string(argv[1]) == "tree")
        table = std::make_unique<Tree>();
    else
        table = std::make_unique<Hash>();
    double begun = now();
    for (const auto &[destination, subscription] : subscriptions)
        table->add(subscription, destination);
    double adding = now() - begun;
    size_t bytes = mallinfo2().uordblks + mallinfo2().hblkhd - before;
    auto [nodes, edges] = table->size();
    vector<vector<uint32_t>> found(topics.size());
    double best = std::numeric_limits<double>::infinity();
    for (int round = 0; round < std::atoi(argv[3]); round++) {
        for (auto &one : found)
            one.clear();
        begun = now();
        for (size_t one = 0; one < topics.size(); one++)
            table->find(topics[one], found[one]);
        best = std::min(best, (now() - begun) / std::max<size_t>(topics.size(), 1));
    }
    begun = now();
    for (const auto &[destination, subscription] : subscriptions)
        table->remove(subscription, destination);
    double removing = now() - begun;
    for (auto &one : found) {
        std::sort(one.begin(), one.end());
        one.erase(std::unique(one.begin(), one.end()), one.end());
        const char *gap = "";
        for (uint32_t destination : one) {
            std::printf("%s%u", gap, destination);
            gap = " ";
        }
        std::printf("\n");
    }
    double count = std::max<size_t>(subscriptions.size(), 1);
    auto left = table->size();
    if (left.first + left.second)
        return 1;
    std::printf("%.9f %.9f %.9f %zu %zu %zu\n", best, adding / count, removing / count, nodes, edges, bytes);
    return 0;
}
