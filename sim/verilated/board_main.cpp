// Drives the Verilated broker behind the host link, over a pipe: bytes of the line go in and come out when asked for.
//
// usage: board [PACE]     bytes go in at most one every PACE clocks
// On standard input, commands of a byte and a 32-bit little-endian number n:
//   W n and n bytes   queue bytes for the board
//   R n               run until bytes have come from the board and no more follow for a while, or for n clocks
//   Z 0               hold the reset for some clocks and forget the queue
// Each is answered on standard output with the number of bytes (32 bits), the clock (64 bits) and the bytes.

#include <cstdint>
#include <cstdio>
#include <deque>
#include <vector>

#include "model.h"

namespace {

constexpr unsigned QUIET = 64;

bool read_exactly(void *place, std::size_t size) { return std::fread(place, 1, size, stdin) == size; }

} // namespace

int main(int argc, char **argv) {
    uint64_t pace = argc > 1 ? std::strtoull(argv[1], nullptr, 0) : 1;
    driver::Model top;
    std::deque<uint8_t> queue;
    std::vector<uint8_t> came;
    uint64_t next_byte = 0;
    auto step = [&] {
        bool gives = !queue.empty() && top.clock() >= next_byte;
        top->rx___05Fvalid = gives;
        if (gives)
            top->rx___05Fpayload = queue.front();
        top->tx___05Fready = 1;
        top.settle();
        bool took = gives && top->rx___05Fready;
        bool out = top->tx___05Fvalid;
        if (out)
            came.push_back(uint8_t(top->tx___05Fpayload));
        top.rise();
        if (took) {
            queue.pop_front();
            next_byte = top.clock() - 1 + pace;
        }
        return out || gives;
    };
    auto reset = [&] {
        queue.clear();
        top->rx___05Fvalid = 0;
        top.reset();
        came.clear();
    };
    reset();
    char command;
    uint32_t number;
    while (read_exactly(&command, 1) && read_exactly(&number, 4)) {
        if (command == 'W') {
            std::vector<uint8_t> bytes(number);
            if (number && !read_exactly(bytes.data(), number))
                return 1;
            queue.insert(queue.end(), bytes.begin(), bytes.end());
        } else if (command == 'R') {
            unsigned quiet = 0;
            for (uint64_t end = top.clock() + number; top.clock() < end || !queue.empty();) {
                quiet = step() ? 0 : quiet + 1;
                if (!came.empty() && quiet >= QUIET && queue.empty())
                    break;
            }
        } else if (command == 'Z') {
            reset();
        } else {
            driver::fail("unknown command");
        }
        uint32_t size = 0;
        if (command == 'R')
            size = uint32_t(came.size());
        std::fwrite(&size, 4, 1, stdout);
        uint64_t clock = top.clock();
        std::fwrite(&clock, 8, 1, stdout);
        std::fwrite(came.data(), 1, size, stdout);
        std::fflush(stdout);
        if (command == 'R')
            came.clear();
    }
    top.close();
    return 0;
}
