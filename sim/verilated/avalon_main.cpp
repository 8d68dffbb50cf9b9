// A master of the Avalon bus before the Verilated broker: carries out a list of transfers and says when each was done.
//
// usage: avalon INPUT OUTPUT
// INPUT: for each transfer a byte and two 32-bit little-endian numbers, word address and word:
//   'W' write; 'R' read; 'P' read until the word is the one given; 'M' nothing, a mark
// OUTPUT: for each R, P and M the word (32 bits) and the clock (64 bits) after which it was done.

#include <cstdint>
#include <fstream>

#include "model.h"

namespace {

constexpr uint64_t PATIENCE = 2000000;

struct __attribute__((packed)) Transfer {
    char kind;
    uint32_t address, word;
};

} // namespace

int main(int argc, char **argv) {
    if (argc != 3)
        driver::fail("usage: avalon INPUT OUTPUT");
    std::ifstream input(argv[1], std::ios::binary);
    std::ofstream output(argv[2], std::ios::binary);
    driver::Model top;
    top->avs_chipselect = top->avs_read = top->avs_write = top->avs_begintransfer = 0;
    top->avs_byteenable = 15;
    top.reset();
    // One transfer, from its first clock to the one in which it is not held any more.
    auto transfer = [&](bool writes, uint32_t address, uint32_t word) {
        top->avs_address = address;
        top->avs_writedata = word;
        top->avs_chipselect = top->avs_begintransfer = 1;
        top->avs_write = writes;
        top->avs_read = !writes;
        uint64_t start = top.clock();
        for (;;) {
            top.settle();
            bool held = top->avs_waitrequest;
            uint32_t data = top->avs_readdata;
            top.rise();
            top->avs_begintransfer = 0;
            if (!held) {
                top->avs_chipselect = top->avs_write = top->avs_read = 0;
                return data;
            }
            if (top.clock() - start > PATIENCE)
                driver::fail("a transfer to word " + std::to_string(address) + " is held for good");
        }
    };
    Transfer next;
    while (input.read(reinterpret_cast<char *>(&next), sizeof next)) {
        uint32_t data = 0;
        uint64_t start = top.clock();
        if (next.kind == 'W') {
            transfer(true, next.address, next.word);
            continue;
        }
        if (next.kind == 'R' || next.kind == 'P')
            do
                data = transfer(false, next.address, 0);
            while (next.kind == 'P' && data != next.word && top.clock() - start < PATIENCE);
        if (next.kind == 'P' && data != next.word)
            driver::fail("word " + std::to_string(next.address) + " stays " + std::to_string(data));
        output.write(reinterpret_cast<const char *>(&data), 4);
        uint64_t clock = top.clock();
        output.write(reinterpret_cast<const char *>(&clock), 8);
    }
    top.close();
    return 0;
}
