// Drives the Verilated broker over a file of subscription frames and publications and writes what came out of it.
//
// usage: filter INPUT OUTPUT [--apart | --together] [--stalls SEED] [--vcd FILE] [--fault N]
// INPUT: for each item a byte, 'S' for a subscription frame, 'C' for clearing all subscriptions or 'P' for a publication, a 32-bit
// little-endian length and the bytes. Clearing waits until the frames before it have been answered, has no bytes and gives a Result.
// OUTPUT: a record for each item when it is complete: a Result for a frame; an Outcome for a publication, then its notifications in
// rising order of their references: the reference in 32 bits, the content field in 8, the body's length in 32, and the bytes of selected nodes.
// Frames and publications take turns as the file says: each waits until the other kind before it has been answered. With
// --together they do not wait, each stream keeps its own order. --apart also holds a publication back until the one before it is complete.
// --fault sets the input of that name, which only a broker made for a test has.
// --stalls makes the sources idle and the sinks slow at random. Bodies with the whole publication are compared with it.

#include <algorithm>
#include <cstring>
#include <deque>

#include "model.h"

namespace {

using namespace driver;

constexpr uint64_t PATIENCE = 200000, AFTERMATH = 300;
#define ONE_LINK(n, part) &top->notification___05F##n##___05F##part
#if X2CBBR_LINKS == 1
#define EACH_LINK(part) ONE_LINK(0, part)
#elif X2CBBR_LINKS == 2
#define EACH_LINK(part) ONE_LINK(0, part), ONE_LINK(1, part)
#elif X2CBBR_LINKS == 3
#define EACH_LINK(part) ONE_LINK(0, part), ONE_LINK(1, part), ONE_LINK(2, part)
#else
#define EACH_LINK(part) ONE_LINK(0, part), ONE_LINK(1, part), ONE_LINK(2, part), ONE_LINK(3, part)
#endif
constexpr unsigned HEADER_BYTES = 20, LINKS = X2CBBR_LINKS, SELECTED = 0, WHOLE = 1;

#pragma pack(push, 1)
struct Result {
    uint8_t kind;
    uint32_t item;
    uint8_t refusal;
    uint32_t reference;
    uint64_t first_word, clock;
};
struct Outcome {
    uint8_t kind;
    uint32_t item;
    uint8_t verdict, code;
    uint32_t offset, bytes;
    uint64_t first_word, last_word, clock, notified;
    uint32_t matches;
};
#pragma pack(pop)

struct Options {
    bool apart = false, together = false;
    Stalls stalls;
    std::string vcd;
    unsigned fault = 0;
};

Options options_of(int argc, char **argv) {
    Options options;
    for (int k = 3; k < argc; k++) {
        std::string option = argv[k];
        if (option == "--apart")
            options.apart = true;
        else if (option == "--together")
            options.together = true;
        else if (option == "--stalls" && k + 1 < argc)
            options.stalls.seed(std::strtoull(argv[++k], nullptr, 0));
#ifdef X2CBBR_FAULT
        else if (option == "--fault" && k + 1 < argc)
            options.fault = unsigned(std::strtoul(argv[++k], nullptr, 0));
#endif
#ifdef X2CBBR_TRACE
        else if (option == "--vcd" && k + 1 < argc)
            options.vcd = argv[++k];
#endif
        else
            fail("unknown option " + option);
    }
    return options;
}

// The items of one kind, and how many of the other kind stand before each.
struct Lane {
    std::vector<Item> items;
    std::vector<bool> clears;
    std::vector<uint32_t> numbers;
    std::vector<std::size_t> others;
};

void read_input(const std::string &path, Lane &frames, Lane &publications) {
    std::ifstream file(path, std::ios::binary);
    if (!file)
        fail("cannot open " + path);
    char kind;
    uint32_t number = 0, length;
    while (file.get(kind)) {
        if (kind != 'S' && kind != 'C' && kind != 'P')
            fail(path + " has an item of an unknown kind");
        Lane &lane = kind == 'P' ? publications : frames;
        const Lane &other = kind == 'P' ? frames : publications;
        if (!file.read(reinterpret_cast<char *>(&length), 4))
            fail(path + " ends inside an item");
        Item item(length);
        if (length && !file.read(reinterpret_cast<char *>(item.data()), length))
            fail(path + " ends inside an item");
        lane.items.push_back(std::move(item));
        lane.clears.push_back(kind == 'C');
        lane.numbers.push_back(number++);
        lane.others.push_back(other.items.size());
    }
}

uint32_t big_endian(const Item &bytes, std::size_t at, unsigned size) {
    uint32_t value = 0;
    for (unsigned k = 0; k < size; k++)
        value = value << 8 | bytes[at + k];
    return value;
}

struct Notification {
    uint32_t reference;
    uint8_t content;
    Item body;
};

struct Pending {
    bool judged = false;
    uint64_t first_word = 0, last_word = 0, clock = 0, notified = 0;
    unsigned verdict = 0, code = 0;
    uint32_t offset = 0, bytes = 0, matches = 0;
    std::vector<Notification> notifications;
};

// A notification goes to the publication that it counts.
void notify(const Item &frame, std::deque<Pending> &pending, std::size_t finished, const Lane &publications, uint64_t clock) {
    if (frame.size() < HEADER_BYTES || frame[0] != 'N' || frame.size() != HEADER_BYTES + big_endian(frame, 16, 4))
        fail("a notification is malformed");
    std::size_t index = (big_endian(frame, 2, 2) - finished) & 0xffff;
    if (index >= pending.size())
        fail("a notification came for publication " + std::to_string(big_endian(frame, 2, 2)) + ", which is complete or has not begun");
    unsigned content = frame[1] >> 1 & 3;
    const Item &publication = publications.items[finished + index];
    Item body(frame.begin() + HEADER_BYTES, frame.end());
    if (content == WHOLE ? body != publication : content == SELECTED ? body.empty() : !body.empty())
        fail("a notification of publication " + std::to_string(finished + index) + " has another body than it should");
    pending[index].notifications.push_back({big_endian(frame, 12, 4), uint8_t(content), std::move(body)});
    pending[index].notified = clock;
}

template <typename Value> void write(std::ofstream &output, const Value *value, std::size_t count = 1) {
    output.write(reinterpret_cast<const char *>(value), std::streamsize(count * sizeof(Value)));
}

} // namespace

int main(int argc, char **argv) {
    if (argc < 3)
        fail("usage: filter INPUT OUTPUT [--apart | --together] [--stalls SEED] [--vcd FILE] [--fault N]");
    Options options = options_of(argc, argv);
    Stalls &stalls = options.stalls;
    Lane frames, publications;
    read_input(argv[1], frames, publications);
    std::ofstream output(argv[2], std::ios::binary);
    if (!output)
        fail(std::string("cannot write ") + argv[2]);

    Model top(options.vcd);
    auto &publication_valid = top->publication___05Fvalid;
    auto &subscription_valid = top->subscription___05Fvalid;
    publication_valid = subscription_valid = 0;
    top->clear = 0;
#ifdef X2CBBR_FAULT
    top->fault = options.fault;
#endif

    CData *link_valid[LINKS] = {EACH_LINK(valid)};
    CData *link_ready[LINKS] = {EACH_LINK(ready)};
    QData *link_payload[LINKS] = {EACH_LINK(payload)};

    Source frame_source(frames.items), publication_source(publications.items);
    std::deque<uint64_t> frames_started;
    std::deque<Pending> pending;
    std::vector<Item> arriving(LINKS);
    std::size_t answered = 0, finished = 0;
    uint64_t last_progress = top.clock(), aftermath = 0;
    while (aftermath < AFTERMATH) {
        uint64_t clock = top.clock();
        if (answered == frames.items.size() && finished == publications.items.size())
            aftermath++;
        // A source keeps an offered word until it is taken.
        bool frame_allowed = !frame_source.done();
        if (frame_allowed && frame_source.at_start() && !options.together)
            frame_allowed = frames.others[frame_source.item()] <= finished;
        if (frame_allowed && frames.clears[frame_source.item()]) {
            frame_allowed = false;
            if (!top->clear && answered == frame_source.item()) {
                top->clear = 1;
                frames_started.push_back(clock);
            }
        }
        if (!subscription_valid && frame_allowed && stalls.none_now(3)) {
            Chunk chunk = frame_source.peek();
            put(top->subscription___05Fpayload, SUBSCRIPTION_DATA, chunk.data);
            put(top->subscription___05Fpayload, SUBSCRIPTION_COUNT, chunk.count);
            put(top->subscription___05Fpayload, SUBSCRIPTION_LAST, chunk.last);
            subscription_valid = 1;
        }
        bool publication_allowed = !publication_source.done();
        if (publication_allowed && publication_source.at_start() && !options.together)
            publication_allowed = publications.others[publication_source.item()] <= answered && !(options.apart && publication_source.item() > finished);
        if (!publication_valid && publication_allowed && stalls.none_now(3)) {
            Chunk chunk = publication_source.peek();
            put(top->publication___05Fpayload, PUBLICATION_DATA, chunk.data);
            put(top->publication___05Fpayload, PUBLICATION_COUNT, chunk.count);
            put(top->publication___05Fpayload, PUBLICATION_LAST, chunk.last);
            publication_valid = 1;
        }
        top->result___05Fready = stalls.none_now(4);
        top->verdict___05Fready = stalls.none_now(4);
        for (unsigned link = 0; link < LINKS; link++)
            *link_ready[link] = stalls.none_now(4);
        top.settle();
        bool cleared = top->clear && top->cleared;
        bool took_frame = subscription_valid && top->subscription___05Fready;
        bool took_publication = publication_valid && top->publication___05Fready;
        if (took_frame && frame_source.at_start())
            frames_started.push_back(clock);
        if (took_publication) {
            if (publication_source.at_start()) {
                pending.emplace_back();
                pending.back().first_word = clock;
            }
            pending.back().last_word = clock;
        }
        if (cleared) {
            Result result{'R', frames.numbers[answered], 0, 0, frames_started.front(), clock};
            frames_started.pop_front();
            write(output, &result);
            answered++;
        }
        if (top->result___05Fvalid && top->result___05Fready) {
            if (frames_started.empty())
                fail("a result came without a frame");
            const auto &word = top->result___05Fpayload;
            uint32_t raw = uint32_t(get(word, RESULT_KEY_REFERENCE));
            Result result{'R', frames.numbers[answered], uint8_t(get(word, RESULT_REFUSAL)), __builtin_bswap32(raw), frames_started.front(), clock};
            frames_started.pop_front();
            write(output, &result);
            answered++;
            last_progress = clock;
        }
        if (top->verdict___05Fvalid && top->verdict___05Fready) {
            std::size_t index = 0;
            while (index < pending.size() && pending[index].judged)
                index++;
            if (index == pending.size())
                fail("a verdict came without a publication");
            const auto &word = top->verdict___05Fpayload;
            Pending &one = pending[index];
            one.judged = true;
            one.clock = one.notified = std::max(clock, one.notified);
            one.verdict = unsigned(get(word, VERDICT_VERDICT_VERDICT));
            one.code = unsigned(get(word, VERDICT_VERDICT_CODE));
            one.offset = uint32_t(get(word, VERDICT_VERDICT_OFFSET));
            one.bytes = uint32_t(get(word, VERDICT_VERDICT_BYTES));
            one.matches = uint32_t(get(word, VERDICT_MATCHES));
            last_progress = clock;
        }
        for (unsigned link = 0; link < LINKS; link++) {
            if (!*link_valid[link] || !*link_ready[link])
                continue;
            const QData &word = *link_payload[link];
            uint64_t data = get(word, NOTIFICATION__0_DATA);
            for (unsigned k = 0; k < get(word, NOTIFICATION__0_COUNT); k++)
                arriving[link].push_back(uint8_t(data >> (8 * k)));
            if (get(word, NOTIFICATION__0_LAST)) {
                notify(arriving[link], pending, finished, publications, clock);
                arriving[link].clear();
            }
            last_progress = clock;
        }
        while (!pending.empty() && pending.front().judged && pending.front().notifications.size() >= pending.front().matches) {
            Pending &one = pending.front();
            if (one.notifications.size() > one.matches)
                fail("publication " + std::to_string(finished) + " has more notifications than matches");
            std::sort(one.notifications.begin(), one.notifications.end(),
                      [](const Notification &a, const Notification &b) { return a.reference < b.reference; });
            Outcome outcome{'V', publications.numbers[finished], uint8_t(one.verdict), uint8_t(one.code), one.offset, one.bytes,
                            one.first_word, one.last_word, one.clock, one.notified, one.matches};
            write(output, &outcome);
            for (const Notification &notification : one.notifications) {
                uint32_t size = uint32_t(notification.body.size());
                write(output, &notification.reference);
                write(output, &notification.content);
                write(output, &size);
                if (notification.content == SELECTED)
                    write(output, notification.body.data(), size);
            }
            pending.pop_front();
            finished++;
        }
        top.rise();
        if (cleared)
            top->clear = 0;
        if (took_frame || cleared) {
            frame_source.pop();
            subscription_valid = 0;
            last_progress = clock;
        }
        if (took_publication) {
            publication_source.pop();
            publication_valid = 0;
            last_progress = clock;
        }
        if (clock - last_progress > PATIENCE)
            fail("no progress since clock " + std::to_string(last_progress) + ", after " + std::to_string(answered) + " frames and " +
                 std::to_string(finished) + " publications");
    }
    top.close();
    return 0;
}
