// Drives the fronts and the host link before mirrors, see sim/mutants/mirror.py: carries out a list of operations and writes what came out.
//
// usage: fronts INPUT OUTPUT [--timeless] [--expect FILE] [--patience N] [--limit N] [--mutant N | --reached FILE]
// INPUT: for each operation a byte that says which, a 32-bit length and as many bytes, all numbers little-endian:
//   all      'i' clocks32                        let so many clocks pass
//            'z' clocks32                        hold the reset; everything queued is forgotten
//   Avalon   'a' pins32 word32                   a transfer with these pins, until it is not held. pins: address in bits 12..0, chipselect 16,
//                                                read 17, write 18, begintransfer 19, byteenable 23..20. Gives 'a' word32 held16 irq8
//            'c' pins32 word32                   these pins for one clock. Gives 'c' held8 irq8 word32
//            'f' state32 data32                  read a frame through these registers. Gives 'f' bytes
//            'p' address32 mask32 value32        read until the bits under the mask are these. Gives 'p' word32
//            'j' level32                         wait until the interrupt has this level. Gives 'j'
//   Wishbone 'w' pins32 word32                   a request, until it is not stalled. pins: address, cyc 16, stb 17, we 18, sel 23..20
//            'x' cyc32 clocks32                  so many clocks with stb 0. Each answer gives 'w' ack8 err8 irq8 word32
//   AXI      'A' address32 delay32               queue a write's address, to be offered so many clocks after the one before was taken
//            'D' word32 strb32 delay32           queue a write's data
//            'R' address32 delay32               queue a read
//            'S' stream32 word32 keep32 last32 delay32     queue a word of the input stream 0 publication, 1 subscription, 2 skeleton
//            'K' channel32 pattern32             ready of B, R or the output streams 2 result, 3 verdict, 4.. notifications: a bit a clock
//            'E' quiet32                         run until everything queued is taken and nothing came for so many clocks. Gives for each
//                                                channel what came: 'B' resp8.., 'r' (word32 resp8).., '2'.. (word32 keep8 last8)..; 'e' irq8 error8
//   line     'L' bytes                           queue bytes for the board
//            'P' clocks32                        the least distance of bytes to the board
//            'T' pattern32                       ready of the line, a bit a clock
//            'U' count32                         run until the queue is empty and so many segments with bytes came
//            'Q' quiet32                         run until the queue is empty and no byte came for so many clocks
//            'H' on32 session32 expected32       acknowledge each DATA of this session that comes in order, or do not
//            'O'                                 Gives 'o' open8 fault8. Each flag that the board sends gives 't' with the bytes before it
//   UART     'V' (level8 clocks16)..             levels of the receiver's pin. Each byte received gives 'v' byte8
//            'M' (byte8 gap16)..                 bytes for the transmitter, each so many clocks after the one before was taken. Gives 'm' with
//                                                the pin's levels from the first 0 to the last: (level8 clocks16)..
//            'N' byte32                          a byte for the transmitter, which is not waited for
// OUTPUT: the same form. With --timeless the clocks of the run stand behind it in 64 bits.

#include <deque>

#include "model.h"

namespace {

using namespace driver;

constexpr unsigned OUTPUTS = 4, SILENCE = 12 * 8;
constexpr uint8_t FLAG = 0x7E, ESCAPE = 0x7D, DATA = 3, ACK = 4;

#define EACH_INPUT(part) &top->s_axis_publication_##part, &top->s_axis_subscription_##part, &top->s_axis_skeleton_##part
#define EACH_OUTPUT(part)                                                                                                                  \
    &top->m_axis_result_##part, &top->m_axis_verdict_##part, &top->m_axis_notification_0_##part, &top->m_axis_notification_1_##part

uint32_t crc32(const Item &bytes, std::size_t size) {
    uint32_t crc = ~0u;
    for (std::size_t k = 0; k < size; k++) {
        crc ^= bytes[k];
        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (crc & 1 ? 0xEDB88320u : 0);
    }
    return ~crc;
}

// The bytes of a record, read in order.
class Reader {
  public:
    explicit Reader(const Item &bytes) : bytes_(bytes) {}
    bool done() const { return at_ >= bytes_.size(); }
    uint32_t number(unsigned size = 4) {
        if (at_ + size > bytes_.size())
            fail("an operation is too short");
        uint32_t value = 0;
        for (unsigned k = 0; k < size; k++)
            value |= uint32_t(bytes_[at_++]) << (8 * k);
        return value;
    }

  private:
    const Item &bytes_;
    std::size_t at_ = 0;
};

void append(Item &bytes, uint32_t value, unsigned size) {
    for (unsigned k = 0; k < size; k++)
        bytes.push_back(uint8_t(value >> (8 * k)));
}

// A ready signal that follows a pattern of 32 clocks.
class Pattern {
  public:
    void set(uint32_t pattern) { pattern_ = pattern; }
    bool next() {
        pattern_ = pattern_ >> 1 | pattern_ << 31;
        return pattern_ >> 31;
    }

  private:
    uint32_t pattern_ = ~0u;
};

// What is offered on a channel, each so many clocks after the one before was taken.
struct Offer {
    uint32_t word, more, last, delay;
};
class Channel {
  public:
    void push(Offer offer) { offers_.push_back(offer); }
    bool empty() const { return offers_.empty(); }
    bool valid() const { return !offers_.empty() && waited_ >= offers_.front().delay; }
    const Offer &front() const { return offers_.front(); }
    void clock(bool taken) {
        waited_ = taken ? 0 : waited_ + 1;
        if (taken)
            offers_.pop_front();
    }
    void clear() { offers_.clear(); }

  private:
    std::deque<Offer> offers_;
    uint64_t waited_ = ~uint64_t(0) >> 1;
};

// What a producer offered in the clock before without its being taken must still be there.
class Steady {
  public:
    void clock(bool valid, bool ready, uint64_t payload) {
        if (waiting_ && (!valid || payload != payload_))
            fail("an offer was withdrawn");
        waiting_ = valid && !ready;
        payload_ = payload;
    }
    void clear() { waiting_ = false; }

  private:
    bool waiting_ = false;
    uint64_t payload_ = 0;
};

class Bench {
  public:
    Bench(const std::string &output, const Trial &trial) : output_(output, std::ios::binary), trial_(trial) {
        idle_pins();
        top.choose(trial.mutant);
        top.reset();
    }
    void run(char kind, const Item &bytes) {
        Reader in(bytes);
        progress_ = top.clock();
        switch (kind) {
        case 'i':
            clocks(in.number());
            break;
        case 'z':
            reset(in.number());
            break;
        case 'a':
        case 'c': {
            uint32_t pins = in.number(), word = in.number();
            if (kind == 'a')
                record_transfer(pins, word);
            else
                raw_clock(pins, word);
            break;
        }
        case 'f': {
            uint32_t state = in.number(), data = in.number();
            read_frame(state, data);
            break;
        }
        case 'p': {
            uint32_t address = in.number(), wanted = in.number(), value = in.number(), word;
            while (((word = read(address)) & wanted) != value)
                patience();
            record('p', word, 4);
            break;
        }
        case 'j': {
            uint32_t level = in.number();
            while (irq_ != level)
                tick(), patience();
            record('j', {});
            break;
        }
        case 'w': {
            uint32_t pins = in.number(), word = in.number();
            request(pins, word);
            break;
        }
        case 'x':
            top->wb_cyc_i = in.number();
            clocks(in.number());
            break;
        case 'A': {
            uint32_t address = in.number();
            aw_.push({address, 0, 0, in.number()});
            due_b_++;
            break;
        }
        case 'D': {
            uint32_t word = in.number(), strobes = in.number();
            w_.push({word, strobes, 0, in.number()});
            break;
        }
        case 'R': {
            uint32_t address = in.number();
            ar_.push({address, 0, 0, in.number()});
            due_r_++;
            break;
        }
        case 'S': {
            uint32_t stream = in.number(), word = in.number(), keep = in.number(), last = in.number();
            inputs_.at(stream).push({word, keep, last, in.number()});
            break;
        }
        case 'K': {
            uint32_t channel = in.number();
            ready_.at(channel).set(in.number());
            break;
        }
        case 'E':
            exchange(in.number());
            break;
        case 'L':
            line_.insert(line_.end(), bytes.begin(), bytes.end());
            break;
        case 'P':
            pace_ = in.number();
            break;
        case 'T':
            line_ready_.set(in.number());
            break;
        case 'U':
            for (uint64_t end = segments_ + in.number(); segments_ < end || !line_.empty();)
                tick(), patience();
            break;
        case 'Q':
            line_moved_ = top.clock();
            for (uint32_t quiet = in.number(); !line_.empty() || top.clock() - line_moved_ < quiet;)
                tick(), patience();
            break;
        case 'H':
            acknowledging_ = in.number();
            session_ = uint8_t(in.number());
            expected_ = uint8_t(in.number());
            break;
        case 'O':
            top.settle();
            record('o', uint32_t(top->open) | uint32_t(top->fault) << 8, 2);
            break;
        case 'V':
            while (!in.done()) {
                top->uart_rx = in.number(1);
                clocks(in.number(2));
            }
            break;
        case 'M':
            transmit(in);
            break;
        case 'N':
            send(in.number());
            break;
        default:
            fail("an operation is unknown");
        }
    }
    void close() {
        uint64_t clock = top.clock();
        if (trial_.timeless)
            output_.write(reinterpret_cast<const char *>(&clock), 8);
        if (!trial_.reached.empty())
            top.write_reached(trial_.reached);
        top.close();
    }

  private:
    Model top;
    std::ofstream output_;
    const Trial &trial_;
    std::size_t checked_ = 0;
    uint64_t progress_ = 0;
    bool irq_ = false;
    Channel aw_, w_, ar_;
    std::vector<Channel> inputs_ = std::vector<Channel>(3);
    std::vector<Pattern> ready_ = std::vector<Pattern>(2 + OUTPUTS);
    std::vector<Item> came_ = std::vector<Item>(2 + OUTPUTS);
    std::vector<Steady> steady_ = std::vector<Steady>(3 + OUTPUTS);
    uint32_t due_b_ = 0, due_r_ = 0;
    uint64_t stream_moved_ = 0, line_moved_ = 0, next_byte_ = 0, pace_ = 1, segments_ = 0;
    std::deque<uint8_t> line_;
    Pattern line_ready_;
    Item segment_;
    bool acknowledging_ = false;
    uint8_t session_ = 0, expected_ = 0;
    bool transmitting_ = false;
    uint8_t level_ = 1;
    uint64_t level_clocks_ = 0;
    Item levels_;

    void record(char kind, const Item &bytes) {
        Item head{uint8_t(kind)};
        append(head, uint32_t(bytes.size()), 4);
        head.insert(head.end(), bytes.begin(), bytes.end());
        trial_.check(head.data(), head.size(), checked_);
        output_.write(reinterpret_cast<const char *>(head.data()), std::streamsize(head.size()));
        progress_ = top.clock();
    }
    void record(char kind, uint32_t value, unsigned size) {
        Item bytes;
        append(bytes, value, size);
        record(kind, bytes);
    }
    void patience() const {
        if (trial_.overdue(top.clock(), progress_))
            fail("no progress since clock " + std::to_string(progress_));
    }
    void idle_pins() {
        top->avs_chipselect = top->avs_read = top->avs_write = top->avs_begintransfer = 0;
        top->avs_byteenable = 0;
        top->wb_cyc_i = top->wb_stb_i = 0;
        top->s_axi_awvalid = top->s_axi_wvalid = top->s_axi_arvalid = 0;
        for (CData *valid : {EACH_INPUT(tvalid)})
            *valid = 0;
        top->rx___05Fvalid = 0;
        top->uart_rx = 1;
        top->received___05Fready = 1;
        top->transmitted___05Fvalid = 0;
    }
    void reset(uint32_t count) {
        idle_pins();
        for (Channel *channel : {&aw_, &w_, &ar_, &inputs_[0], &inputs_[1], &inputs_[2]})
            channel->clear();
        for (Steady &steady : steady_)
            steady.clear();
        for (Item &came : came_)
            came.clear();
        line_.clear();
        segment_.clear();
        due_b_ = due_r_ = 0;
        top.reset(int(count));
    }
    void clocks(uint64_t count) {
        for (uint64_t k = 0; k < count; k++)
            tick();
    }
    // One clock of everything that is queued, and of all that comes by itself.
    void tick() {
        bool line = offer();
        top.settle();
        irq_ = top->avalon_irq;
        watch_wishbone();
        bool took_aw = aw_.valid() && top->s_axi_awready, took_w = w_.valid() && top->s_axi_wready, took_ar = ar_.valid() && top->s_axi_arready;
        bool took[3];
        unsigned k = 0;
        for (const CData *ready : {EACH_INPUT(tready)}) {
            took[k] = inputs_[k].valid() && *ready;
            k++;
        }
        watch_axi();
        bool took_byte = line && top->rx___05Fready;
        watch_line(line);
        watch_uart();
        top.rise();
        aw_.clock(took_aw);
        w_.clock(took_w);
        ar_.clock(took_ar);
        for (k = 0; k < 3; k++)
            inputs_[k].clock(took[k]);
        if (took_aw || took_w || took_ar || took[0] || took[1] || took[2])
            stream_moved_ = progress_ = top.clock();
        if (took_byte) {
            line_.pop_front();
            next_byte_ = top.clock() - 1 + pace_;
            progress_ = top.clock();
        }
    }
    bool offer() {
        top->s_axi_awvalid = aw_.valid();
        if (aw_.valid())
            top->s_axi_awaddr = aw_.front().word;
        top->s_axi_wvalid = w_.valid();
        if (w_.valid()) {
            top->s_axi_wdata = w_.front().word;
            top->s_axi_wstrb = w_.front().more;
        }
        top->s_axi_arvalid = ar_.valid();
        if (ar_.valid())
            top->s_axi_araddr = ar_.front().word;
        IData *data[] = {EACH_INPUT(tdata)};
        CData *keep[] = {EACH_INPUT(tkeep)}, *last[] = {EACH_INPUT(tlast)}, *valid[] = {EACH_INPUT(tvalid)};
        for (unsigned k = 0; k < 3; k++) {
            *valid[k] = inputs_[k].valid();
            if (inputs_[k].valid()) {
                *data[k] = inputs_[k].front().word;
                *keep[k] = inputs_[k].front().more;
                *last[k] = inputs_[k].front().last;
            }
        }
        top->s_axi_bready = ready_[0].next();
        top->s_axi_rready = ready_[1].next();
        unsigned k = 2;
        for (CData *ready : {EACH_OUTPUT(tready)})
            *ready = ready_[k++].next();
        bool line = !line_.empty() && top.clock() >= next_byte_;
        top->rx___05Fvalid = line;
        if (line)
            top->rx___05Fpayload = line_.front();
        top->tx___05Fready = line_ready_.next();
        return line;
    }

    // --- Avalon
    static constexpr uint32_t CHIPSELECT = 1 << 16, READ = 1 << 17, WRITE = 1 << 18, BEGIN = 1 << 19, ALL = 15 << 20;
    void set_avalon(uint32_t pins, uint32_t word) {
        top->avs_address = pins & 0x1FFF;
        top->avs_chipselect = pins >> 16 & 1;
        top->avs_read = pins >> 17 & 1;
        top->avs_write = pins >> 18 & 1;
        top->avs_begintransfer = pins >> 19 & 1;
        top->avs_byteenable = pins >> 20 & 15;
        top->avs_writedata = word;
    }
    void clear_avalon() { top->avs_chipselect = top->avs_read = top->avs_write = top->avs_begintransfer = 0; }
    // The word, and for how many clocks the transfer was held.
    uint32_t transfer(uint32_t pins, uint32_t word, unsigned &held) {
        set_avalon(pins, word);
        for (held = 0;; held++) {
            top.settle();
            bool waits = top->avs_waitrequest;
            uint32_t data = top->avs_readdata;
            tick();
            top->avs_begintransfer = 0;
            if (!waits) {
                clear_avalon();
                return data;
            }
            patience();
        }
    }
    uint32_t read(uint32_t address) {
        unsigned held;
        return transfer(address | CHIPSELECT | READ | BEGIN | ALL, 0, held);
    }
    void record_transfer(uint32_t pins, uint32_t word) {
        unsigned held;
        Item bytes;
        append(bytes, transfer(pins, word, held), 4);
        append(bytes, held, 2);
        append(bytes, irq_, 1);
        record('a', bytes);
    }
    void raw_clock(uint32_t pins, uint32_t word) {
        set_avalon(pins, word);
        top.settle();
        Item bytes;
        append(bytes, top->avs_waitrequest, 1);
        append(bytes, top->avalon_irq, 1);
        append(bytes, top->avs_readdata, 4);
        tick();
        clear_avalon();
        record('c', bytes);
    }
    void read_frame(uint32_t state, uint32_t data) {
        Item frame;
        for (bool last = false; !last;) {
            uint32_t found = read(state);
            if (found & 1) {
                uint32_t word = read(data);
                append(frame, word, found >> 2 & 7);
                last = found >> 1 & 1;
                progress_ = top.clock();
            }
            patience();
            if (frame.size() > 100000)
                fail("a frame does not end");
        }
        record('f', frame);
    }

    // --- Wishbone
    void request(uint32_t pins, uint32_t word) {
        top->wb_adr_i = pins & 0x1FFF;
        top->wb_cyc_i = pins >> 16 & 1;
        top->wb_stb_i = pins >> 17 & 1;
        top->wb_we_i = pins >> 18 & 1;
        top->wb_sel_i = pins >> 20 & 15;
        top->wb_dat_i = word;
        for (bool stalled = true; stalled;) {
            top.settle();
            stalled = top->wb_stall_o && top->wb_cyc_i && top->wb_stb_i;
            tick();
            patience();
        }
        top->wb_stb_i = 0;
    }
    void watch_wishbone() {
        if (!top->wb_ack_o && !top->wb_err_o)
            return;
        Item bytes;
        append(bytes, top->wb_ack_o, 1);
        append(bytes, top->wb_err_o, 1);
        append(bytes, top->wishbone_irq, 1);
        append(bytes, top->wb_dat_o, 4);
        record('w', bytes);
    }

    // --- AXI
    void watch_axi() {
        steady_[0].clock(top->s_axi_bvalid, top->s_axi_bready, top->s_axi_bresp);
        steady_[1].clock(top->s_axi_rvalid, top->s_axi_rready, uint64_t(top->s_axi_rdata) << 2 | top->s_axi_rresp);
        if (top->s_axi_bvalid && top->s_axi_bready) {
            append(came_[0], top->s_axi_bresp, 1);
            due_b_ -= due_b_ > 0;
            stream_moved_ = top.clock();
        }
        if (top->s_axi_rvalid && top->s_axi_rready) {
            append(came_[1], top->s_axi_rdata, 4);
            append(came_[1], top->s_axi_rresp, 1);
            due_r_ -= due_r_ > 0;
            stream_moved_ = top.clock();
        }
        const IData *data[] = {EACH_OUTPUT(tdata)};
        const CData *keep[] = {EACH_OUTPUT(tkeep)}, *last[] = {EACH_OUTPUT(tlast)}, *valid[] = {EACH_OUTPUT(tvalid)}, *ready[] = {EACH_OUTPUT(tready)};
        for (unsigned k = 0; k < OUTPUTS; k++) {
            steady_[2 + k].clock(*valid[k], *ready[k], uint64_t(*data[k]) << 5 | *keep[k] << 1 | *last[k]);
            if (*valid[k] && *ready[k]) {
                append(came_[2 + k], *data[k], 4);
                append(came_[2 + k], *keep[k], 1);
                append(came_[2 + k], *last[k], 1);
                stream_moved_ = top.clock();
            }
        }
    }
    void exchange(uint64_t quiet) {
        stream_moved_ = top.clock();
        auto busy = [&] {
            return !aw_.empty() || !w_.empty() || !ar_.empty() || !inputs_[0].empty() || !inputs_[1].empty() || !inputs_[2].empty() ||
                   due_b_ || due_r_;
        };
        while (busy() || top.clock() - stream_moved_ < quiet)
            tick(), patience();
        for (unsigned k = 0; k < came_.size(); k++) {
            record("Br2345"[k], came_[k]);
            came_[k].clear();
        }
        top.settle();
        record('e', uint32_t(top->axi_irq) | uint32_t(top->axis_error) << 8, 2);
    }

    // --- The line of the host link
    void watch_line(bool line) {
        bool ready = top->tx___05Fready, valid = top->tx___05Fvalid;
        steady_[2 + OUTPUTS].clock(valid, ready, top->tx___05Fpayload);
        if (line || (valid && ready))
            line_moved_ = top.clock();
        if (!valid || !ready)
            return;
        if (top->tx___05Fpayload != FLAG) {
            segment_.push_back(uint8_t(top->tx___05Fpayload));
            if (segment_.size() > 2000)
                fail("a segment does not end");
            return;
        }
        record('t', segment_);
        segments_ += !segment_.empty();
        if (acknowledging_)
            acknowledge();
        segment_.clear();
    }
    void acknowledge() {
        Item raw;
        for (std::size_t k = 0; k < segment_.size(); k++) {
            bool escaped = segment_[k] == ESCAPE && k + 1 < segment_.size();
            raw.push_back(escaped ? segment_[++k] ^ 0x20 : segment_[k]);
        }
        if (raw.size() < 9 || raw[0] != DATA || raw[1] != session_ || raw[2] != expected_)
            return;
        expected_++;
        Item answer{ACK, session_, expected_, expected_, 0};
        append(answer, crc32(answer, answer.size()), 4);
        line_.push_back(FLAG);
        for (uint8_t byte : answer) {
            bool special = byte == FLAG || byte == ESCAPE;
            if (special)
                line_.push_back(ESCAPE);
            line_.push_back(special ? byte ^ 0x20 : byte);
        }
        line_.push_back(FLAG);
    }

    // --- The UART
    void watch_uart() {
        if (top->received___05Fvalid)
            record('v', top->received___05Fpayload, 1);
        if (!transmitting_)
            return;
        if (top->uart_tx != level_) {
            if (!levels_.empty() || top->uart_tx == 1)
                add_level();
            level_ = top->uart_tx;
            level_clocks_ = 0;
        }
        level_clocks_++;
    }
    void add_level() {
        append(levels_, level_, 1);
        append(levels_, uint32_t(level_clocks_), 2);
    }
    void send(uint32_t byte) {
        top->transmitted___05Fvalid = 1;
        top->transmitted___05Fpayload = byte;
        for (bool taken = false; !taken;) {
            top.settle();
            taken = top->transmitted___05Fready;
            tick();
            patience();
        }
        top->transmitted___05Fvalid = 0;
    }
    void transmit(Reader &in) {
        transmitting_ = true;
        level_ = 1;
        level_clocks_ = 0;
        levels_.clear();
        while (!in.done()) {
            uint32_t byte = in.number(1);
            clocks(in.number(2));
            send(byte);
            progress_ = top.clock();
        }
        clocks(2 * SILENCE);
        transmitting_ = false;
        record('m', levels_);
    }
};

} // namespace

int main(int argc, char **argv) {
    if (argc < 3)
        fail("usage: fronts INPUT OUTPUT [options]");
    Trial trial;
    for (int k = 3; k < argc; k++)
        if (!trial.take(k, argc, argv))
            fail(std::string("unknown option ") + argv[k]);
    std::ifstream input(argv[1], std::ios::binary);
    if (!input)
        fail(std::string("cannot open ") + argv[1]);
    Bench bench(argv[2], trial);
    char kind;
    uint32_t length;
    while (input.get(kind)) {
        if (!input.read(reinterpret_cast<char *>(&length), 4))
            fail("the input ends inside an operation");
        Item bytes(length);
        if (length && !input.read(reinterpret_cast<char *>(bytes.data()), length))
            fail("the input ends inside an operation");
        bench.run(kind, bytes);
    }
    bench.close();
    return 0;
}
