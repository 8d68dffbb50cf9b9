// What the drivers of Verilated models have in common: fields of ports, files of items, sources and random stalls.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <type_traits>
#include <vector>

#include "verilated.h"

#include "layout.h"

namespace driver {

constexpr uint64_t mask(unsigned width) { return width >= 64 ? ~uint64_t(0) : (uint64_t(1) << width) - 1; }

// The bits of a field of up to 64 bits.
template <typename Port, std::enable_if_t<std::is_integral_v<Port>, int> = 0> uint64_t get(const Port &port, Field field) {
    return (uint64_t(port) >> field.low) & mask(field.width);
}
template <std::size_t Words> uint64_t get(const VlWide<Words> &port, Field field) {
    if (field.width > 32)
        return get(port, Field{field.low, 32}) | get(port, Field{field.low + 32, field.width - 32}) << 32;
    std::size_t word = field.low / 32;
    uint64_t value = port[word];
    if (word + 1 < Words)
        value |= uint64_t(port[word + 1]) << 32;
    return (value >> (field.low % 32)) & mask(field.width);
}

// Sets the bits of a field of up to 64 bits and leaves the others.
template <typename Port, std::enable_if_t<std::is_integral_v<Port>, int> = 0> void put(Port &port, Field field, uint64_t value) {
    port = Port((uint64_t(port) & ~(mask(field.width) << field.low)) | (value & mask(field.width)) << field.low);
}
template <std::size_t Words> void put(VlWide<Words> &port, Field field, uint64_t value) {
    for (unsigned k = 0; k < field.width; k++) {
        uint32_t bit = uint32_t(1) << ((field.low + k) % 32);
        uint32_t &word = port[(field.low + k) / 32];
        word = (value >> k) & 1 ? word | bit : word & ~bit;
    }
}

using Item = std::vector<uint8_t>;

[[noreturn]] inline void fail(const std::string &message) {
    std::fprintf(stderr, "%s\n", message.c_str());
    std::exit(1);
}

inline Item read_bytes(const std::string &path) {
    std::ifstream file(path, std::ios::binary);
    if (!file)
        fail("cannot open " + path);
    return Item(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
}

// A file of items: for each a 32-bit little-endian length and the bytes.
inline std::vector<Item> read_items(const std::string &path) {
    std::ifstream file(path, std::ios::binary);
    if (!file)
        fail("cannot open " + path);
    std::vector<Item> items;
    uint32_t length;
    while (file.read(reinterpret_cast<char *>(&length), 4)) {
        Item item(length);
        if (length && !file.read(reinterpret_cast<char *>(item.data()), length))
            fail(path + " ends inside an item");
        items.push_back(std::move(item));
    }
    return items;
}

// A word of an item: up to four bytes, how many, and whether it is the last.
struct Chunk {
    uint32_t data;
    unsigned count;
    bool last;
};

// Hands out items, or those from one up to another, word by word; an empty item is one word without bytes.
class Source {
  public:
    explicit Source(const std::vector<Item> &items) : Source(items, 0, items.size()) {}
    Source(const std::vector<Item> &items, std::size_t first, std::size_t end) : items_(items), end_(end), item_(first) {}
    bool done() const { return item_ == end_; }
    bool at_start() const { return at_ == 0; }
    std::size_t item() const { return item_; }
    Chunk peek() const {
        const Item &item = items_[item_];
        Chunk chunk{0, 0, true};
        while (chunk.count < 4 && at_ + chunk.count < item.size()) {
            chunk.data |= uint32_t(item[at_ + chunk.count]) << (8 * chunk.count);
            chunk.count++;
        }
        chunk.last = at_ + chunk.count == item.size();
        return chunk;
    }
    void finish() { item_ = end_; }
    void pop() {
        Chunk chunk = peek();
        at_ += chunk.count;
        if (chunk.last) {
            item_++;
            at_ = 0;
        }
    }

  private:
    const std::vector<Item> &items_;
    std::size_t end_, item_, at_ = 0;
};

// What a run that is compared byte by byte with another asks for: patience with a model that does nothing, the mutant that is alive, and
// results without clocks; or to watch all mutants and write down those that were reached. The clocks' sum stands at the end instead, so that what came out and how long it took can be told apart. A run that is
// given the results of another ends in an error as soon as its own differ.
struct Trial {
    static constexpr unsigned WATCH = 0xffff;
    uint64_t patience = 200000, limit = ~uint64_t(0);
    unsigned mutant = 0;
    bool timeless = false;
    std::string reached;
    Item expected;
    // Takes the option at this place, and what belongs to it.
    bool take(int &k, int argc, char **argv) {
        std::string option = argv[k];
        if (option == "--timeless")
            timeless = true;
        else if (option == "--expect" && k + 1 < argc)
            expected = read_bytes(argv[++k]);
        else if (option == "--patience" && k + 1 < argc)
            patience = std::strtoull(argv[++k], nullptr, 0);
        else if (option == "--limit" && k + 1 < argc)
            limit = std::strtoull(argv[++k], nullptr, 0);
#ifdef X2CBBR_MUTANTS
        else if (option == "--mutant" && k + 1 < argc)
            mutant = unsigned(std::strtoul(argv[++k], nullptr, 0));
        else if (option == "--reached" && k + 1 < argc) {
            reached = argv[++k];
            mutant = WATCH;
        }
#endif
        else
            return false;
        return true;
    }
    // The run has made no progress for too long, or takes too long.
    bool overdue(uint64_t clock, uint64_t last_progress) const { return clock - last_progress > patience || clock > limit; }
    // The next bytes of the results, which begin at this place of them.
    void check(const void *bytes, std::size_t size, std::size_t &at) const {
        if (!expected.empty() && (at + size > expected.size() || std::memcmp(bytes, expected.data() + at, size) != 0))
            fail("the results differ");
        at += size;
    }
};

// Random stalls, the same for the same seed; without a seed there are none. In bursts each port is open for a while and shut for a while,
// so that the queues before it fill and empty.
class Stalls {
  public:
    void seed(uint64_t seed, bool bursts = false) {
        state_ = seed * 0x9E3779B97F4A7C15ull | 1;
        bursts_ = bursts;
    }
    bool none_now(unsigned one_in, unsigned port) {
        if (!bursts_)
            return state_ == 0 || next() % one_in != 0;
        Burst &burst = ports_[port];
        if (burst.left-- == 0) {
            burst.open = !burst.open;
            burst.left = next() % (burst.open ? 700 : 400);
        }
        return burst.open;
    }

  private:
    uint32_t next() {
        state_ ^= state_ << 13;
        state_ ^= state_ >> 7;
        state_ ^= state_ << 17;
        return uint32_t(state_ >> 32);
    }
    struct Burst {
        bool open = false;
        uint32_t left = 0;
    };
    uint64_t state_ = 0;
    bool bursts_ = false;
    Burst ports_[16];
};

} // namespace driver
