// Drives the Verilated broker over a file of subscription frames and publications and writes what came out of it.
//
// usage: filter INPUT OUTPUT [--apart | --together | --beside] [--copies N] [--stalls SEED | --bursts SEED] [--vcd FILE] [--fault N] [--timeless [--expect FILE]] [--patience N] [--limit N] [--mutant N | --reached FILE]
// INPUT: for each item a byte, 'S' for a subscription frame, 'C' for clearing all subscriptions, 'K' for a name of the skeleton or 'P' for
// a publication, a 32-bit little-endian length and the bytes. Clearing waits until the frames before it have been answered, or
// for as many clocks after the first word of the frame before as its bytes say, and gives a Result; so does a name, which waits likewise. 'Z' with a 32-bit number of clocks cuts the items
// before it short: after so many clocks there is a reset, and they get no answers.
// OUTPUT: a record for each item when it is complete: a Result for a frame; an Outcome for a publication, then its notifications in
// rising order of their references: the reference in 32 bits, the content field in 8, the body's length in 32, and the bytes of selected nodes.
// Frames and publications take turns as the file says: each waits until the other kind before it has been answered. With
// --together they do not wait, each stream keeps its own order; with --beside publications wait for the frames before the first of them. --apart also holds a publication back until the one before it is complete.
// --copies divides the publications, which must all come behind the frames, between N brokers that run in step: copies of the one that
// has taken the frames, each with a row of neighbouring publications. Their clocks are given as if one had begun where the one before ended.
// --fault sets the input of that name, which only a broker made for a test has.
// --stalls and --bursts make the sources idle and the sinks slow at random. Bodies with the whole publication are compared with it.
// --timeless leaves out clocks; behind the answers are then the 16 counters, the subscriptions and steps held, full and hcd, in 32 bits
// each, and in 64 bits the clocks that the run took.

#include <algorithm>
#include <cstring>
#include <deque>

#include "step.h"

namespace {

using namespace driver;

constexpr uint64_t AFTERMATH = 300;
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
    uint16_t tsid;
    uint8_t cancel, link;
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
    bool apart = false, together = false, beside = false;
    std::size_t copies = 1;
    Trial trial;
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
        else if (option == "--beside")
            options.together = options.beside = true;
        else if (option == "--copies" && k + 1 < argc)
            options.copies = std::strtoull(argv[++k], nullptr, 0);
        else if ((option == "--stalls" || option == "--bursts") && k + 1 < argc)
            options.stalls.seed(std::strtoull(argv[++k], nullptr, 0), option == "--bursts");
#ifdef X2CBBR_FAULT
        else if (option == "--fault" && k + 1 < argc)
            options.fault = unsigned(std::strtoul(argv[++k], nullptr, 0));
#endif
#ifdef X2CBBR_TRACE
        else if (option == "--vcd" && k + 1 < argc)
            options.vcd = argv[++k];
#endif
        else if (!options.trial.take(k, argc, argv))
            fail("unknown option " + option);
    }
    return options;
}

// The items of one kind, and how many of the other kind stand before each.
struct Lane {
    std::vector<Item> items;
    std::vector<char> kinds;
    std::vector<uint32_t> numbers;
    std::vector<std::size_t> others;
};

// The items up to the end or to one that cuts them short, which says after how many clocks.
struct Part {
    Lane frames, publications;
    uint64_t clocks = ~uint64_t(0);
};

uint32_t clocks_of(const Item &bytes) { return bytes[0] | bytes[1] << 8 | bytes[2] << 16 | uint32_t(bytes[3]) << 24; }

std::vector<Part> read_input(const std::string &path) {
    std::vector<Part> parts(1);
    std::ifstream file(path, std::ios::binary);
    if (!file)
        fail("cannot open " + path);
    char kind;
    uint32_t number = 0, length;
    while (file.get(kind)) {
        if (!std::strchr("SCKPZ", kind))
            fail(path + " has an item of an unknown kind");
        Part &part = parts.back();
        Lane &lane = kind == 'P' ? part.publications : part.frames;
        const Lane &other = kind == 'P' ? part.frames : part.publications;
        if (!file.read(reinterpret_cast<char *>(&length), 4))
            fail(path + " ends inside an item");
        Item item(length);
        if (length && !file.read(reinterpret_cast<char *>(item.data()), length))
            fail(path + " ends inside an item");
        if (kind == 'Z') {
            if (length != 4)
                fail(path + " must say in four bytes after how many clocks there is a reset");
            part.clocks = clocks_of(item);
            parts.emplace_back();
            number++;
            continue;
        }
        lane.items.push_back(std::move(item));
        lane.kinds.push_back(kind);
        lane.numbers.push_back(number++);
        lane.others.push_back(other.items.size());
    }
    return parts;
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
    uint32_t size;
    Item selected;
};

struct Pending {
    bool judged = false;
    Outcome outcome{};
    std::vector<Notification> notifications;
};

template <typename Value> void write(std::ofstream &output, const Value *value, std::size_t count = 1) {
    output.write(reinterpret_cast<const char *>(value), std::streamsize(count * sizeof(Value)));
}

// A broker with its sources and sinks. It takes all frames, or has taken them, and the publications from one up to another.
class Broker {
  public:
    Broker(Model &model, const Options &options, const Lane &frames, const Lane &publications, std::size_t first, std::size_t end)
        : options_(options), frames_(frames), publications_(publications), first_(first), end_(end), finished_(first), top(model),
          stalls_(options.stalls), frame_source_(frames.items), publication_source_(publications.items, first, end), arriving_(LINKS),
          last_progress_(model.clock()), outcomes_checked_(frames.items.size() * sizeof(Result)) {
        top->publication___05Fvalid = top->subscription___05Fvalid = top->skeleton___05Fvalid = 0;
        top->clear = 0;
        top->counter = 0;
#ifdef X2CBBR_FAULT
        top->fault = options.fault;
#endif
    }
    // Becomes a copy of a broker that has answered all frames and was saved at this clock.
    void restore(const std::string &path, uint64_t clock) {
        top.restore(path, clock);
        frame_source_.finish();
        answered_ = frames_.items.size();
        last_progress_ = clock;
    }
    // Everything has been answered, and for a while nothing came behind.
    bool done() const { return aftermath_ == AFTERMATH; }
    void begin_clock() {
        if (answered_ == frames_.items.size() && finished_ == end_)
            aftermath_++;
        offer_frame();
        offer_publication();
        top->result___05Fready = stalls_.none_now(4, 3);
        top->verdict___05Fready = stalls_.none_now(4, 4);
        unsigned port = 5;
        for (CData *ready : {EACH_LINK(ready)})
            *ready = stalls_.none_now(4, port++);
        top.settle();
        take_results();
        take_verdict();
        take_notifications();
    }
    // After the clock has risen.
    void end_clock() {
        if (cleared_)
            top->clear = 0;
        if (took_frame_ || cleared_ || took_name_) {
            frame_source_.pop();
            top->subscription___05Fvalid = top->skeleton___05Fvalid = 0;
        }
        if (took_publication_) {
            publication_source_.pop();
            top->publication___05Fvalid = 0;
        }
        if (options_.trial.overdue(top.clock(), last_progress_))
            fail("no progress since clock " + std::to_string(last_progress_) + ", after " + std::to_string(answered_) + " frames and " +
                 std::to_string(finished_ - first_) + " publications");
    }
    // The answers, their publications' clocks later by as much.
    void write_answers(std::ofstream &output, uint64_t later = 0) const {
        for (const Result &result : results_)
            write(output, &result);
        for (const Pending &one : complete_) {
            const Item bytes = bytes_of(one, later);
            write(output, bytes.data(), bytes.size());
        }
    }

    // What the broker counts and holds when everything has been answered.
    void write_counts(std::ofstream &output) {
        std::vector<uint32_t> found;
        for (unsigned place = 0; place < 16; place++) {
            top->counter = place;
            top.settle();
            found.push_back(uint32_t(top->count));
        }
        for (uint32_t held : {uint32_t(top->registered), uint32_t(top->steps_used), uint32_t(top->full), uint32_t(top->hcd)})
            found.push_back(held);
        write(output, found.data(), found.size());
        uint64_t clocks = top.clock();
        write(output, &clocks);
    }

    Model &model() { return top; }

  private:
    // A publication's record and notifications as they are written.
    static Item bytes_of(const Pending &one, uint64_t later) {
        Item found;
        auto add = [&found](const void *bytes, std::size_t size) {
            const uint8_t *first = static_cast<const uint8_t *>(bytes);
            found.insert(found.end(), first, first + size);
        };
        Outcome outcome = one.outcome;
        outcome.first_word += later;
        outcome.last_word += later;
        outcome.clock += later;
        outcome.notified += later;
        add(&outcome, sizeof outcome);
        for (const Notification &notification : one.notifications) {
            add(&notification.reference, sizeof notification.reference);
            add(&notification.content, sizeof notification.content);
            add(&notification.size, sizeof notification.size);
            add(notification.selected.data(), notification.selected.size());
        }
        return found;
    }
    // A source keeps an offered word until it is taken.
    void offer_frame() {
        bool allowed = !frame_source_.done();
        if (allowed && frame_source_.at_start() && !options_.together)
            allowed = frames_.others[frame_source_.item()] <= finished_;
        if (allowed && frames_.kinds[frame_source_.item()] != 'S') {
            const bool name = frames_.kinds[frame_source_.item()] == 'K';
            const bool offered = name ? top->skeleton___05Fvalid || !frame_source_.at_start() : top->clear;
            allowed = false;
            const Item &delay = frames_.items[frame_source_.item()];
            const bool due = answered_ == frame_source_.item() ||
                             (!name && delay.size() == 4 && top.clock() >= frames_started_.back() + clocks_of(delay));
            if (!offered && due) {
                top->clear = !name;
                frames_started_.push_back(top.clock());
            }
            if (name && answered_ == frame_source_.item() && !top->skeleton___05Fvalid && stalls_.none_now(3, 0)) {
                Chunk chunk = frame_source_.peek();
                put(top->skeleton___05Fpayload, SKELETON_DATA, chunk.data);
                put(top->skeleton___05Fpayload, SKELETON_COUNT, chunk.count);
                put(top->skeleton___05Fpayload, SKELETON_LAST, chunk.last);
                top->skeleton___05Fvalid = 1;
            }
        }
        if (!top->subscription___05Fvalid && allowed && stalls_.none_now(3, 1)) {
            Chunk chunk = frame_source_.peek();
            put(top->subscription___05Fpayload, SUBSCRIPTION_DATA, chunk.data);
            put(top->subscription___05Fpayload, SUBSCRIPTION_COUNT, chunk.count);
            put(top->subscription___05Fpayload, SUBSCRIPTION_LAST, chunk.last);
            top->subscription___05Fvalid = 1;
        }
    }
    void offer_publication() {
        bool allowed = !publication_source_.done();
        if (allowed && publication_source_.at_start() && !options_.together)
            allowed = publications_.others[publication_source_.item()] <= answered_ && !(options_.apart && publication_source_.item() > finished_);
        if (allowed && options_.beside)
            allowed = publications_.others.front() <= answered_;
        if (!top->publication___05Fvalid && allowed && stalls_.none_now(3, 2)) {
            Chunk chunk = publication_source_.peek();
            put(top->publication___05Fpayload, PUBLICATION_DATA, chunk.data);
            put(top->publication___05Fpayload, PUBLICATION_COUNT, chunk.count);
            put(top->publication___05Fpayload, PUBLICATION_LAST, chunk.last);
            top->publication___05Fvalid = 1;
        }
    }
    void take_results() {
        cleared_ = top->clear && top->cleared;
        took_frame_ = top->subscription___05Fvalid && top->subscription___05Fready;
        took_name_ = top->skeleton___05Fvalid && top->skeleton___05Fready;
        took_publication_ = top->publication___05Fvalid && top->publication___05Fready;
        if (took_frame_ && frame_source_.at_start())
            frames_started_.push_back(top.clock());
        if (took_publication_) {
            if (publication_source_.at_start()) {
                pending_.emplace_back();
                pending_.back().outcome.first_word = top.clock();
            }
            pending_.back().outcome.last_word = top.clock();
        }
        if (took_frame_ || took_publication_ || took_name_)
            last_progress_ = top.clock();
        if (cleared_ || (took_name_ && frame_source_.peek().last))
            answer({});
        if (top->result___05Fvalid && top->result___05Fready) {
            if (frames_started_.empty())
                fail("a result came without a frame");
            const auto &word = top->result___05Fpayload;
            Result given{};
            given.refusal = uint8_t(get(word, RESULT_REFUSAL));
            given.reference = __builtin_bswap32(uint32_t(get(word, RESULT_KEY_REFERENCE)));
            given.tsid = uint16_t(get(word, RESULT_TSID));
            given.cancel = uint8_t(get(word, RESULT_CANCEL));
            given.link = uint8_t(get(word, RESULT_LINK));
            answer(given);
        }
    }
    void answer(Result result) {
        result.kind = 'R';
        result.item = frames_.numbers[answered_++];
        if (!options_.trial.timeless) {
            result.first_word = frames_started_.front();
            result.clock = top.clock();
        }
        options_.trial.check(&result, sizeof result, results_checked_);
        results_.push_back(result);
        frames_started_.pop_front();
        last_progress_ = top.clock();
    }
    void take_verdict() {
        if (!top->verdict___05Fvalid || !top->verdict___05Fready)
            return;
        std::size_t index = 0;
        while (index < pending_.size() && pending_[index].judged)
            index++;
        if (index == pending_.size())
            fail("a verdict came without a publication");
        const auto &word = top->verdict___05Fpayload;
        pending_[index].judged = true;
        Outcome &outcome = pending_[index].outcome;
        outcome.kind = 'V';
        outcome.item = publications_.numbers[finished_ + index];
        outcome.clock = top.clock();
        outcome.notified = std::max(top.clock(), outcome.notified);
        outcome.verdict = uint8_t(get(word, VERDICT_VERDICT_VERDICT));
        outcome.code = uint8_t(get(word, VERDICT_VERDICT_CODE));
        outcome.offset = uint32_t(get(word, VERDICT_VERDICT_OFFSET));
        outcome.bytes = uint32_t(get(word, VERDICT_VERDICT_BYTES));
        outcome.matches = uint32_t(get(word, VERDICT_MATCHES));
        last_progress_ = top.clock();
    }
    void take_notifications() {
        CData *link_valid[LINKS] = {EACH_LINK(valid)};
        CData *link_ready[LINKS] = {EACH_LINK(ready)};
        QData *link_payload[LINKS] = {EACH_LINK(payload)};
        for (unsigned link = 0; link < LINKS; link++) {
            if (!*link_valid[link] || !*link_ready[link])
                continue;
            const QData &word = *link_payload[link];
            uint64_t data = get(word, NOTIFICATION__0_DATA);
            for (unsigned k = 0; k < get(word, NOTIFICATION__0_COUNT); k++)
                arriving_[link].push_back(uint8_t(data >> (8 * k)));
            if (get(word, NOTIFICATION__0_LAST)) {
                notify(arriving_[link]);
                arriving_[link].clear();
            }
            last_progress_ = top.clock();
        }
        while (!pending_.empty() && pending_.front().judged && pending_.front().notifications.size() >= pending_.front().outcome.matches) {
            Pending &one = pending_.front();
            if (one.notifications.size() > one.outcome.matches)
                fail("publication " + std::to_string(finished_) + " has more notifications than matches");
            std::sort(one.notifications.begin(), one.notifications.end(),
                      [](const Notification &a, const Notification &b) { return a.reference < b.reference; });
            if (options_.trial.timeless) {
                one.outcome.first_word = one.outcome.last_word = one.outcome.clock = one.outcome.notified = 0;
                const Item bytes = bytes_of(one, 0);
                options_.trial.check(bytes.data(), bytes.size(), outcomes_checked_);
            }
            complete_.push_back(std::move(one));
            pending_.pop_front();
            finished_++;
        }
    }
    // A notification goes to the publication that it counts.
    void notify(const Item &frame) {
        if (frame.size() < HEADER_BYTES || frame[0] != 'n' || frame.size() != HEADER_BYTES + big_endian(frame, 16, 4))
            fail("a notification is malformed");
        std::size_t index = (big_endian(frame, 2, 2) - (finished_ - first_)) & 0xffff;
        if (index >= pending_.size())
            fail("a notification came for publication " + std::to_string(big_endian(frame, 2, 2)) + ", which is complete or has not begun");
        unsigned content = frame[1] >> 1 & 3;
        const Item &publication = publications_.items[finished_ + index];
        Item body(frame.begin() + HEADER_BYTES, frame.end());
        if (content == WHOLE ? body != publication : content == SELECTED ? body.empty() : !body.empty())
            fail("a notification of publication " + std::to_string(finished_ + index) + " has another body than it should");
        uint32_t size = uint32_t(body.size());
        if (content != SELECTED)
            body = Item();
        pending_[index].notifications.push_back({big_endian(frame, 12, 4), uint8_t(content), size, std::move(body)});
        pending_[index].outcome.notified = top.clock();
    }

    const Options &options_;
    const Lane &frames_, &publications_;
    std::size_t first_, end_, answered_ = 0, finished_;
    Model &top;
    Stalls stalls_;
    Source frame_source_, publication_source_;
    bool cleared_ = false, took_frame_ = false, took_name_ = false, took_publication_ = false;
    std::deque<uint64_t> frames_started_;
    std::deque<Pending> pending_;
    std::vector<Item> arriving_;
    std::vector<Result> results_;
    std::vector<Pending> complete_;
    uint64_t last_progress_, aftermath_ = 0;
    std::size_t results_checked_ = 0, outcomes_checked_;
};

// Runs the brokers until each is done, or for so many clocks.
void run(std::vector<Broker *> brokers, uint64_t clocks = ~uint64_t(0)) {
    std::vector<Model *> models;
    for (; !brokers.empty() && clocks > 0; clocks--) {
        models.clear();
        for (Broker *broker : brokers) {
            broker->begin_clock();
            models.push_back(&broker->model());
        }
        if (models.size() == 1)
            models.front()->rise();
        else
            rise_together(models);
        for (Broker *broker : brokers)
            broker->end_clock();
        brokers.erase(std::remove_if(brokers.begin(), brokers.end(), [](const Broker *broker) { return broker->done(); }), brokers.end());
    }
}

// The first publication of each copy, and their end: about as many bytes each.
std::vector<std::size_t> shares(const std::vector<Item> &publications, std::size_t copies) {
    uint64_t total = 0, before = 0;
    for (const Item &publication : publications)
        total += publication.size() + 1;
    std::vector<std::size_t> found;
    for (std::size_t k = 0; k < publications.size(); k++) {
        if (before * copies >= found.size() * total)
            found.push_back(k);
        before += publications[k].size() + 1;
    }
    found.push_back(publications.size());
    return found;
}

} // namespace

int main(int argc, char **argv) {
    if (argc < 3)
        fail("usage: filter INPUT OUTPUT [--apart | --together | --beside] [--copies N] [--stalls SEED | --bursts SEED] [--vcd FILE] [--fault N] "
             "[--timeless [--expect FILE]] [--patience N] [--limit N] [--mutant N | --reached FILE]");
    Options options = options_of(argc, argv);
    const std::vector<Part> parts = read_input(argv[1]);
    const Lane &frames = parts.back().frames, &publications = parts.back().publications;
    std::ofstream output(argv[2], std::ios::binary);
    if (!output)
        fail(std::string("cannot write ") + argv[2]);
    Model model(options.vcd);
    model.choose(options.trial.mutant);
#ifdef X2CBBR_MUTANTS
    model.reset(); // mutants may be in what a reset does
#endif
    Options unjudged = options;
    unjudged.trial.expected.clear();
    for (std::size_t k = 0; k + 1 < parts.size(); k++) {
        Broker broker(model, unjudged, parts[k].frames, parts[k].publications, 0, parts[k].publications.items.size());
        run({&broker}, parts[k].clocks);
        model.reset();
    }
    if (options.copies <= 1) {
        Broker broker(model, options, frames, publications, 0, publications.items.size());
        run({&broker});
        broker.write_answers(output);
        if (options.trial.timeless)
            broker.write_counts(output);
        if (!options.trial.reached.empty())
            model.write_reached(options.trial.reached);
        model.close();
        return 0;
    }

    if (!options.vcd.empty())
        fail("copies have no waves");
    for (std::size_t others : publications.others)
        if (others != frames.items.size())
            fail("copies need all frames before the first publication");
    Broker first(model, options, frames, publications, 0, 0);
    run({&first});
    first.write_answers(output);
    const std::string state = std::string(argv[2]) + ".state";
    const uint64_t start = first.model().clock();
    first.model().save(state);
    std::vector<std::unique_ptr<Model>> models;
    std::vector<std::unique_ptr<Broker>> copies;
    std::vector<Broker *> running;
    std::vector<std::size_t> places = shares(publications.items, options.copies);
    for (std::size_t k = 0; k + 1 < places.size(); k++) {
        models.push_back(std::make_unique<Model>());
        models.back()->choose(options.trial.mutant);
        copies.push_back(std::make_unique<Broker>(*models.back(), options, frames, publications, places[k], places[k + 1]));
        copies.back()->restore(state, start);
        running.push_back(copies.back().get());
    }
    std::remove(state.c_str());
    run(running);
    uint64_t later = 0;
    for (const auto &copy : copies) {
        copy->write_answers(output, later);
        later += copy->model().clock() - start;
        copy->model().close();
    }
    model.close();
    return 0;
}
