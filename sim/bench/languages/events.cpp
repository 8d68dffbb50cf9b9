// Matching of events with filters as published: SFF [Carzaniga and Wolf 2003; P 4, 5], PCM on several cores [P 3.1, 3.2] and BE-Tree
// [Sadoghi and Jacobsen 2011; P 4]. Each finds the interfaces of an event.
//
// usage: events sff|pcm|betree FILE ROUNDS THREADS
// FILE has lines of words. "F interface" begins a filter and "E" an event; "C name operator value" is a constraint of the filter, "A name value"
// an attribute of the event. A value is a number, or a word in single quotes. Operators are = != < <= > >= prefix substring suffix.
// Prints the interfaces of each event, a line an event, and at last: seconds of one event in the fastest round, seconds of building, bytes
// held.

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <iostream>
#include <limits>
#include <map>
#include <malloc.h>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <vector>

#include <omp.h>

using std::string;
using std::vector;

enum class Op : uint8_t { EQ, NE, LT, LE, GT, GE, PREFIX, SUBSTRING, SUFFIX };

struct Value {
    bool text;
    double number;
    string word;
    bool operator==(const Value &other) const { return text == other.text && (text ? word == other.word : number == other.number); }
};

struct Constraint {
    string name;
    Op op;
    Value value;
};

struct Filter {
    uint32_t interface;
    vector<Constraint> constraints;
};

struct Attribute {
    string name;
    Value value;
};

using Event = vector<Attribute>;

static bool satisfies(const Value &given, Op op, const Value &wanted) {
    if (given.text != wanted.text)
        return false;
    if (given.text) {
        const string &a = given.word, &b = wanted.word;
        switch (op) {
        case Op::EQ: return a == b;
        case Op::NE: return a != b;
        case Op::PREFIX: return a.compare(0, b.size(), b) == 0;
        case Op::SUBSTRING: return a.find(b) != string::npos;
        case Op::SUFFIX: return a.size() >= b.size() && a.compare(a.size() - b.size(), b.size(), b) == 0;
        default: return false;
        }
    }
    double a = given.number, b = wanted.number;
    switch (op) {
    case Op::EQ: return a == b;
    case Op::NE: return a != b;
    case Op::LT: return a < b;
    case Op::LE: return a <= b;
    case Op::GT: return a > b;
    case Op::GE: return a >= b;
    default: return false;
    }
}

struct Matcher {
    virtual ~Matcher() = default;
    virtual void match(const Event &event, vector<uint8_t> &interfaces) = 0;
};

// SFF: constraints are indexed by name, operator and value; equal constraints of several filters are one. What an attribute satisfies adds
// to the counters of the filters. A matched interface is purged: its filters are not counted any more, and when all are matched the search
// ends.
class Sff : public Matcher {
    struct Index {
        std::unordered_map<double, uint32_t> equal_number;
        std::unordered_map<string, uint32_t> equal_word, prefix, substring, suffix;
        vector<std::pair<double, uint32_t>> unequal_number, below, to, above, from;
        vector<std::pair<string, uint32_t>> unequal_word;
        vector<size_t> prefix_sizes, substring_sizes, suffix_sizes;
    };
    std::unordered_map<string, Index> indices;
    vector<vector<uint32_t>> users;
    vector<uint32_t> interfaces;
    vector<uint8_t> sizes;
    vector<uint64_t> counts; // the number of the event, and the count in the last byte
    uint64_t number = 0;
    size_t all = 0;

    uint32_t add(const Constraint &one) {
        Index &index = indices[one.name];
        uint32_t fresh = users.size();
        auto keyed = [&](auto &map, const auto &key) { return map.try_emplace(key, fresh).first->second; };
        auto sized = [&](auto &map, vector<size_t> &sizes) {
            size_t size = one.value.word.size();
            if (std::find(sizes.begin(), sizes.end(), size) == sizes.end())
                sizes.push_back(size);
            return keyed(map, one.value.word);
        };
        auto listed = [&](auto &list, const auto &key) {
            auto place = std::lower_bound(list.begin(), list.end(), key, [](const auto &pair, const auto &k) { return pair.first < k; });
            if (place == list.end() || place->first != key)
                place = list.insert(place, {key, fresh});
            return place->second;
        };
        uint32_t found = 0;
        switch (one.op) {
        case Op::EQ: found = one.value.text ? keyed(index.equal_word, one.value.word) : keyed(index.equal_number, one.value.number); break;
        case Op::NE:
            found = one.value.text ? listed(index.unequal_word, one.value.word) : listed(index.unequal_number, one.value.number);
            break;
        case Op::LT: found = listed(index.above, one.value.number); break;
        case Op::LE: found = listed(index.from, one.value.number); break;
        case Op::GT: found = listed(index.below, one.value.number); break;
        case Op::GE: found = listed(index.to, one.value.number); break;
        case Op::PREFIX: found = sized(index.prefix, index.prefix_sizes); break;
        case Op::SUBSTRING: found = sized(index.substring, index.substring_sizes); break;
        case Op::SUFFIX: found = sized(index.suffix, index.suffix_sizes); break;
        }
        if (found == fresh)
            users.emplace_back();
        return found;
    }

    size_t matched = 0;
    void count(uint32_t constraint, vector<uint8_t> &marked) {
        for (uint32_t filter : users[constraint]) {
            if (marked[interfaces[filter]])
                continue;
            uint64_t &counter = counts[filter];
            if (counter >> 8 != number)
                counter = number << 8;
            if (uint8_t(++counter) == sizes[filter]) {
                marked[interfaces[filter]] = 1;
                matched++;
            }
        }
    }

  public:
    Sff(const vector<Filter> &filters, size_t all) : all(all) {
        for (const Filter &filter : filters) {
            vector<uint32_t> own;
            for (const Constraint &one : filter.constraints)
                own.push_back(add(one));
            std::sort(own.begin(), own.end());
            own.erase(std::unique(own.begin(), own.end()), own.end());
            for (uint32_t one : own)
                users[one].push_back(interfaces.size());
            sizes.push_back(own.size());
            interfaces.push_back(filter.interface);
        }
        counts.assign(interfaces.size(), 0);
    }

    void match(const Event &event, vector<uint8_t> &marked) override {
        number++;
        matched = 0;
        for (const Attribute &attribute : event) {
            auto place = indices.find(attribute.name);
            if (place == indices.end())
                continue;
            if (matched == all)
                return;
            const Index &index = place->second;
            if (attribute.value.text)
                words(index, attribute.value.word, marked);
            else
                numbers(index, attribute.value.number, marked);
        }
    }

  private:
    void numbers(const Index &index, double value, vector<uint8_t> &marked) {
        if (auto found = index.equal_number.find(value); found != index.equal_number.end())
            count(found->second, marked);
        for (const auto &[literal, one] : index.unequal_number)
            if (literal != value)
                count(one, marked);
        for (auto one = index.below.begin(); one != index.below.end() && one->first < value; one++)
            count(one->second, marked);
        for (auto one = index.to.begin(); one != index.to.end() && one->first <= value; one++)
            count(one->second, marked);
        for (auto one = index.above.rbegin(); one != index.above.rend() && one->first > value; one++)
            count(one->second, marked);
        for (auto one = index.from.rbegin(); one != index.from.rend() && one->first >= value; one++)
            count(one->second, marked);
    }

    void words(const Index &index, const string &value, vector<uint8_t> &marked) {
        auto look = [&](const auto &map, const string &key) {
            if (auto found = map.find(key); found != map.end())
                count(found->second, marked);
        };
        look(index.equal_word, value);
        for (const auto &[literal, one] : index.unequal_word)
            if (literal != value)
                count(one, marked);
        for (size_t size : index.prefix_sizes)
            if (size <= value.size())
                look(index.prefix, value.substr(0, size));
        for (size_t size : index.suffix_sizes)
            if (size <= value.size())
                look(index.suffix, value.substr(value.size() - size));
        for (size_t size : index.substring_sizes) {
            vector<string> pieces;
            for (size_t start = 0; start + size <= value.size(); start++)
                pieces.push_back(value.substr(start, size));
            std::sort(pieces.begin(), pieces.end());
            pieces.erase(std::unique(pieces.begin(), pieces.end()), pieces.end());
            for (const string &piece : pieces)
                look(index.substring, piece);
        }
    }
};

// PCM: filters with one NameVector make a table; its constraints lie by name in arrays of operators, values, filters and Bloom filters
// [P Fig 2]. The tables that an event selects are evaluated side by side.
class Pcm : public Matcher {
    static constexpr unsigned VECTOR_BITS = 16;
    struct Row {
        vector<Op> ops;
        vector<Value> values;
        vector<uint32_t> filters;
        vector<uint64_t> blooms;
    };
    using Table = std::map<string, Row>;
    std::map<uint32_t, Table> tables;
    vector<uint8_t> counts, sizes;
    vector<uint32_t> interfaces;

    static uint32_t bit(const string &name) { return 1u << std::hash<string>{}(name) % VECTOR_BITS; }
    static uint64_t bloom(const string &name) {
        size_t code = std::hash<string>{}(name) / VECTOR_BITS;
        return uint64_t(1) << code % 64 | uint64_t(1) << code / 64 % 64;
    }

  public:
    explicit Pcm(const vector<Filter> &filters) {
        for (const Filter &filter : filters) {
            uint32_t vector = 0, number = interfaces.size();
            uint64_t bits = 0;
            for (const Constraint &one : filter.constraints) {
                vector |= bit(one.name);
                bits |= bloom(one.name);
            }
            Table &table = tables[vector];
            for (const Constraint &one : filter.constraints) {
                Row &row = table[one.name];
                row.ops.push_back(one.op);
                row.values.push_back(one.value);
                row.filters.push_back(number);
                row.blooms.push_back(bits);
            }
            sizes.push_back(filter.constraints.size());
            interfaces.push_back(filter.interface);
        }
        counts.assign(interfaces.size(), 0);
    }

    void match(const Event &event, vector<uint8_t> &marked) override {
        std::fill(counts.begin(), counts.end(), 0);
        uint32_t vector = 0;
        uint64_t bits = 0;
        for (const Attribute &attribute : event) {
            vector |= bit(attribute.name);
            bits |= bloom(attribute.name);
        }
        std::vector<const Table *> selected;
        for (const auto &[key, table] : tables)
            if (!(key & ~vector))
                selected.push_back(&table);
#pragma omp parallel for schedule(dynamic)
        for (size_t place = 0; place < selected.size(); place++)
            for (const Attribute &attribute : event)
                if (auto found = selected[place]->find(attribute.name); found != selected[place]->end())
                    evaluate(found->second, attribute.value, bits, marked);
    }

  private:
    void evaluate(const Row &row, const Value &value, uint64_t bits, vector<uint8_t> &marked) {
        for (size_t one = 0; one < row.ops.size(); one++) {
            if (row.blooms[one] & ~bits || !satisfies(value, row.ops[one], row.values[one]))
                continue;
            uint32_t filter = row.filters[one];
            if (++counts[filter] == sizes[filter]) {
                uint8_t &mark = marked[interfaces[filter]];
#pragma omp atomic write
                mark = 1;
            }
        }
    }
};

// BE-Tree: numbers only. A cluster holds expressions, and partitions for some attributes. A partition cuts the attribute's range in halves,
// again and again; an expression lies in the smallest range that its constraint fits into. A cluster that is too full gets a partition for
// the attribute that most of its expressions have. The paper weighs attributes by what they cost and gain.
class BeTree : public Matcher {
    static constexpr size_t CAPACITY = 20;
    struct Range {
        double low, high;
    };
    struct Cluster;
    struct Bucket {
        Range range;
        std::unique_ptr<Cluster> cluster;
        std::unique_ptr<Bucket> left, right;
    };
    struct Cluster {
        vector<uint32_t> expressions;
        std::map<uint32_t, std::unique_ptr<Bucket>> partitions; // by attribute
    };
    struct Test {
        uint32_t attribute;
        Op op;
        double value;
    };
    std::unordered_map<string, uint32_t> attributes;
    vector<vector<Test>> tests;
    vector<uint32_t> interfaces;
    vector<Range> domains;
    Cluster root;
    vector<double> given; // by attribute, NaN where the event has none

    Range range_of(const Test &test) const {
        Range whole = domains[test.attribute];
        switch (test.op) {
        case Op::EQ: return {test.value, test.value};
        case Op::LT:
        case Op::LE: return {whole.low, test.value};
        case Op::GT:
        case Op::GE: return {test.value, whole.high};
        default: return whole;
        }
    }

    // The range of an attribute that an expression can match in: that of its first constraint on it.
    const Test *test_on(uint32_t expression, uint32_t attribute) const {
        for (const Test &test : tests[expression])
            if (test.attribute == attribute)
                return &test;
        return nullptr;
    }

    void insert(Cluster &cluster, uint32_t expression, vector<uint32_t> &used) {
        for (auto &[attribute, bucket] : cluster.partitions)
            if (const Test *test = test_on(expression, attribute)) {
                used.push_back(attribute);
                insert(*bucket, expression, range_of(*test), used);
                used.pop_back();
                return;
            }
        cluster.expressions.push_back(expression);
    }

    void insert(Bucket &bucket, uint32_t expression, Range range, vector<uint32_t> &used) {
        if (bucket.left && range.high < bucket.right->range.low)
            return insert(*bucket.left, expression, range, used);
        if (bucket.right && range.low >= bucket.right->range.low)
            return insert(*bucket.right, expression, range, used);
        insert(*bucket.cluster, expression, used);
        if (bucket.cluster->expressions.size() > CAPACITY && !bucket.left && bucket.range.low < bucket.range.high)
            cut(bucket, used);
        if (bucket.cluster->expressions.size() > CAPACITY)
            partition(*bucket.cluster, used);
    }

    // Gives the bucket two halves and moves down what fits into one of them. Values are whole numbers.
    void cut(Bucket &bucket, vector<uint32_t> &used) {
        double middle = bucket.range.low + double(int64_t(bucket.range.high - bucket.range.low) / 2) + 1;
        bucket.left = make({bucket.range.low, middle - 1});
        bucket.right = make({middle, bucket.range.high});
        vector<uint32_t> all;
        all.swap(bucket.cluster->expressions);
        for (uint32_t one : all) {
            Range range = range_of(*test_on(one, used.back()));
            if (range.high < middle || range.low >= middle)
                insert(range.high < middle ? *bucket.left : *bucket.right, one, range, used);
            else
                bucket.cluster->expressions.push_back(one);
        }
    }

    static std::unique_ptr<Bucket> make(Range range) {
        auto bucket = std::make_unique<Bucket>();
        bucket->range = range;
        bucket->cluster = std::make_unique<Cluster>();
        return bucket;
    }

    void partition(Cluster &cluster, vector<uint32_t> &used) {
        std::map<uint32_t, size_t> popular;
        for (uint32_t one : cluster.expressions)
            for (const Test &test : tests[one])
                if (test_on(one, test.attribute) == &test && std::find(used.begin(), used.end(), test.attribute) == used.end() &&
                    !cluster.partitions.count(test.attribute))
                    popular[test.attribute]++;
        if (popular.empty())
            return;
        uint32_t best = std::max_element(popular.begin(), popular.end(), [](auto &a, auto &b) { return a.second < b.second; })->first;
        Bucket &bucket = *(cluster.partitions[best] = make(domains[best]));
        vector<uint32_t> all;
        all.swap(cluster.expressions);
        used.push_back(best);
        for (uint32_t one : all)
            if (const Test *test = test_on(one, best))
                insert(bucket, one, range_of(*test), used);
            else
                cluster.expressions.push_back(one);
        used.pop_back();
    }

    void search(const Cluster &cluster, vector<uint8_t> &marked) const {
        for (uint32_t one : cluster.expressions)
            if (holds(one))
                marked[interfaces[one]] = 1;
        for (const auto &[attribute, bucket] : cluster.partitions)
            if (given[attribute] == given[attribute])
                search(*bucket, given[attribute], marked);
    }

    void search(const Bucket &bucket, double value, vector<uint8_t> &marked) const {
        search(*bucket.cluster, marked);
        if (bucket.left)
            search(value < bucket.right->range.low ? *bucket.left : *bucket.right, value, marked);
    }

    bool holds(uint32_t expression) const {
        for (const Test &test : tests[expression]) {
            double value = given[test.attribute];
            bool fine = false;
            switch (test.op) {
            case Op::EQ: fine = value == test.value; break;
            case Op::NE: fine = value == value && value != test.value; break;
            case Op::LT: fine = value < test.value; break;
            case Op::LE: fine = value <= test.value; break;
            case Op::GT: fine = value > test.value; break;
            case Op::GE: fine = value >= test.value; break;
            default: break;
            }
            if (!fine)
                return false;
        }
        return true;
    }

  public:
    BeTree(const vector<Filter> &filters, const vector<Event> &events) {
        auto known = [&](const string &name, const Value &value) {
            if (value.text || value.number != double(int64_t(value.number)))
                throw std::invalid_argument("BE-Tree takes whole numbers only");
            uint32_t one = attributes.try_emplace(name, attributes.size()).first->second;
            if (one == domains.size())
                domains.push_back({value.number, value.number});
            domains[one].low = std::min(domains[one].low, value.number);
            domains[one].high = std::max(domains[one].high, value.number);
            return one;
        };
        for (const Event &event : events)
            for (const Attribute &attribute : event)
                known(attribute.name, attribute.value);
        for (const Filter &filter : filters) {
            tests.emplace_back();
            for (const Constraint &one : filter.constraints)
                tests.back().push_back({known(one.name, one.value), one.op, one.value.number});
            interfaces.push_back(filter.interface);
        }
        given.assign(domains.size(), std::numeric_limits<double>::quiet_NaN());
        vector<uint32_t> used;
        for (uint32_t one = 0; one < tests.size(); one++) {
            insert(root, one, used);
            if (root.expressions.size() > CAPACITY)
                partition(root, used);
        }
    }

    void match(const Event &event, vector<uint8_t> &marked) override {
        for (const Attribute &attribute : event)
            given[attributes.find(attribute.name)->second] = attribute.value.number;
        search(root, marked);
        for (const Attribute &attribute : event)
            given[attributes.find(attribute.name)->second] = std::numeric_limits<double>::quiet_NaN();
    }
};

static Value value_of(const string &word) {
    if (word[0] == '\'')
        return {true, 0, word.substr(1, word.size() - 2)};
    return {false, std::stod(word), {}};
}

static Op op_of(const string &word) {
    static const std::map<string, Op> ops{{"=", Op::EQ}, {"!=", Op::NE}, {"<", Op::LT}, {"<=", Op::LE}, {">", Op::GT}, {">=", Op::GE},
                                          {"prefix", Op::PREFIX}, {"substring", Op::SUBSTRING}, {"suffix", Op::SUFFIX}};
    return ops.at(word);
}

// Processor time where one thread works, so that others on the machine count little; else wall clock.
static double now(int threads) {
    timespec time;
    clock_gettime(threads == 1 ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &time);
    return double(time.tv_sec) + double(time.tv_nsec) / 1e9;
}

int main(int argc, char **argv) {
    if (argc != 5)
        return 2;
    vector<Filter> filters;
    vector<Event> events;
    size_t all = 0;
    std::ifstream file(argv[2]);
    for (string line; std::getline(file, line);) {
        std::istringstream words(line);
        string kind, name, op, value;
        words >> kind;
        if (kind == "F") {
            filters.emplace_back();
            words >> filters.back().interface;
            all = std::max<size_t>(all, filters.back().interface + 1);
        } else if (kind == "E") {
            events.emplace_back();
        } else if (kind == "C") {
            words >> name >> op >> value;
            filters.back().constraints.push_back({name, op_of(op), value_of(value)});
        } else {
            words >> name >> value;
            events.back().push_back({name, value_of(value)});
        }
    }
    int threads = std::atoi(argv[4]);
    omp_set_num_threads(threads);
    size_t before = mallinfo2().uordblks + mallinfo2().hblkhd;
    double begun = now(threads);
    std::unique_ptr<Matcher> matcher;
    string algorithm = argv[1];
    if (algorithm == "sff")
        matcher = std::make_unique<Sff>(filters, all);
    else if (algorithm == "pcm")
        matcher = std::make_unique<Pcm>(filters);
    else
        matcher = std::make_unique<BeTree>(filters, events);
    double building = now(threads) - begun;
    size_t bytes = mallinfo2().uordblks + mallinfo2().hblkhd - before;
    vector<vector<uint8_t>> marked(events.size(), vector<uint8_t>(all));
    double best = std::numeric_limits<double>::infinity();
    for (int round = 0; round < std::atoi(argv[3]); round++) {
        for (auto &one : marked)
            std::fill(one.begin(), one.end(), 0);
        begun = now(threads);
        for (size_t one = 0; one < events.size(); one++)
            matcher->match(events[one], marked[one]);
        best = std::min(best, (now(threads) - begun) / std::max<size_t>(events.size(), 1));
    }
    for (const auto &one : marked) {
        const char *gap = "";
        for (size_t interface = 0; interface < all; interface++)
            if (one[interface]) {
                std::printf("%s%zu", gap, interface);
                gap = " ";
            }
        std::printf("\n");
    }
    std::printf("%.9f %.6f %zu\n", best, building, bytes);
    return 0;
}
