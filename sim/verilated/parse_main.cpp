// Drives the Verilated parser over a file of documents and writes what came out of it.
//
// usage: parse INPUT OUTPUT [--words] [--apart] [--stalls SEED | --bursts SEED] [--skeleton FILE] [--vcd FILE] [--timeless [--expect FILE]] [--patience N] [--limit N] [--mutant N | --reached FILE]
// INPUT: documents as items. SKELETON: names to load beforehand, as items; the documents wait until they are in.
// OUTPUT: for each document a Record; with --words followed by a 32-bit count and that many Words, none unless well-formed.
// --apart holds a document back until the verdict on the one before; otherwise they come back to back.
// --stalls and --bursts make the source idle and the sinks slow at random.
// --timeless leaves out clocks and what names are known by; the last eight bytes are the clocks that the run took.

#include <cstring>
#include <deque>

#include "model.h"

namespace {

using namespace driver;

// Clocks after reset in which the name table is cleared; they count for no document.
constexpr int SETTLE = 4096;

#pragma pack(push, 1)
struct Record {
    uint8_t verdict, code;
    uint16_t reserved;
    uint32_t offset, bytes;
    uint64_t first_word, verdict_clock;
};
struct Word {
    uint8_t type, index, count, flags;
    uint32_t data, name;
};
#pragma pack(pop)

struct Options {
    bool words = false, apart = false;
    Trial trial;
    Stalls stalls;
    std::string skeleton, vcd;
};

Options options_of(int argc, char **argv) {
    Options options;
    for (int k = 3; k < argc; k++) {
        std::string option = argv[k];
        if (option == "--words")
            options.words = true;
        else if (option == "--apart")
            options.apart = true;
        else if ((option == "--stalls" || option == "--bursts") && k + 1 < argc)
            options.stalls.seed(std::strtoull(argv[++k], nullptr, 0), option == "--bursts");
        else if (option == "--skeleton" && k + 1 < argc)
            options.skeleton = argv[++k];
#ifdef X2CBBR_TRACE
        else if (option == "--vcd" && k + 1 < argc)
            options.vcd = argv[++k];
#endif
        else if (!options.trial.take(k, argc, argv))
            fail("unknown option " + option);
    }
    return options;
}

template <typename Beat> void collect(const Beat &beat, std::vector<Word> &words) {
    if (get(beat, O_TEXT_VALID)) {
        Word word{};
        word.type = O_MARK_TYPE_TEXT;
        word.index = uint8_t(get(beat, O_TEXT_INDEX));
        word.count = uint8_t(get(beat, O_TEXT_COUNT));
        word.flags = uint8_t(get(beat, O_TEXT_LAST));
        word.data = uint32_t(get(beat, O_TEXT_DATA));
        words.push_back(word);
    }
    if (get(beat, O_MARK_VALID)) {
        Word word{};
        word.type = uint8_t(get(beat, O_MARK_TYPE));
        word.index = uint8_t(get(beat, O_MARK_INDEX));
        word.count = uint8_t(get(beat, O_MARK_COUNT));
        word.flags = uint8_t(get(beat, O_MARK_LAST) | get(beat, O_MARK_CLOSE) << 1 | get(beat, O_MARK_KNOWN) << 2);
        word.data = uint32_t(get(beat, O_MARK_DATA));
        word.name = uint32_t(get(beat, O_MARK_NAME));
        words.push_back(word);
    }
}

template <typename Value> void write(std::ofstream &output, const Value *value, std::size_t count = 1) {
    output.write(reinterpret_cast<const char *>(value), std::streamsize(count * sizeof(Value)));
}

} // namespace

int main(int argc, char **argv) {
    if (argc < 3)
        fail("usage: parse INPUT OUTPUT [--words] [--apart] [--stalls SEED | --bursts SEED] [--skeleton FILE] [--vcd FILE] [--timeless [--expect FILE]] [--patience N] [--limit N] [--mutant N | --reached FILE]");
    Options options = options_of(argc, argv);
    Stalls &stalls = options.stalls;
    auto documents = read_items(argv[1]);
    auto names = options.skeleton.empty() ? std::vector<Item>() : read_items(options.skeleton);
    std::ofstream output(argv[2], std::ios::binary);
    if (!output)
        fail(std::string("cannot write ") + argv[2]);

    Model top(options.vcd);
    top.choose(options.trial.mutant);
    auto &i_valid = top->i___05Fvalid;
    auto &request_valid = top->request___05Fvalid;
    i_valid = request_valid = 0;
    top->response___05Fready = 1;
    top->pram_documents___05Fready = 1;
    top.reset();
    for (int k = 0; k < SETTLE; k++) {
        top.settle();
        top.rise();
    }

    Source source(documents), loader(names);
    std::deque<uint64_t> started;
    std::vector<Word> words;
    std::deque<std::vector<Word>> parsed;
    std::deque<Record> judged;
    std::size_t finished = 0, loaded = 0, checked = 0;
    uint64_t last_progress = top.clock();
    while (finished < documents.size() || loaded < names.size()) {
        // The source keeps an offered word until it is taken.
        bool allowed = loaded == names.size() && !source.done() && !(options.apart && source.at_start() && source.item() > finished);
        if (!i_valid && allowed && stalls.none_now(3, 0)) {
            Chunk chunk = source.peek();
            put(top->i___05Fpayload, I_DATA, chunk.data);
            put(top->i___05Fpayload, I_COUNT, chunk.count);
            put(top->i___05Fpayload, I_LAST, chunk.last);
            i_valid = 1;
        }
        if (!request_valid && !loader.done()) {
            Chunk chunk = loader.peek();
            put(top->request___05Fpayload, REQUEST_OP, REQUEST_OP_PIN);
            put(top->request___05Fpayload, REQUEST_DATA, chunk.data);
            put(top->request___05Fpayload, REQUEST_COUNT, chunk.count);
            put(top->request___05Fpayload, REQUEST_LAST, chunk.last);
            request_valid = 1;
        }
        top->o___05Fready = stalls.none_now(4, 1);
        top->verdict___05Fready = stalls.none_now(4, 2);
        uint64_t clock = top.clock();
        top.settle();
        bool took_input = i_valid && top->i___05Fready;
        bool took_request = request_valid && top->request___05Fready;
        if (top->response___05Fvalid) {
            if (!get(top->response___05Fpayload, RESPONSE_OK))
                fail("the name table is full");
            loaded++;
        }
        if (top->o___05Fvalid && top->o___05Fready) {
            last_progress = clock;
            if (options.words)
                collect(top->o___05Fpayload, words);
            if (get(top->o___05Fpayload, O_DONE)) {
                parsed.push_back(std::move(words));
                words.clear();
            }
        }
        if (top->verdict___05Fvalid && top->verdict___05Fready) {
            if (started.empty())
                fail("a verdict came without a document");
            const auto &verdict = top->verdict___05Fpayload;
            Record record{};
            record.verdict = uint8_t(get(verdict, VERDICT_VERDICT));
            record.code = uint8_t(get(verdict, VERDICT_CODE));
            record.offset = uint32_t(get(verdict, VERDICT_OFFSET));
            record.bytes = uint32_t(get(verdict, VERDICT_BYTES));
            record.first_word = started.front();
            record.verdict_clock = clock;
            started.pop_front();
            judged.push_back(record);
        }
        if (!judged.empty() && !parsed.empty()) {
            Record record = judged.front();
            auto &list = parsed.front();
            if (options.trial.timeless) {
                record.first_word = record.verdict_clock = 0;
                for (Word &word : list) {
                    word.flags &= 3;
                    word.name = 0;
                }
            }
            options.trial.check(&record, sizeof record, checked);
            write(output, &record);
            if (options.words) {
                uint32_t count = record.verdict == 0 ? uint32_t(list.size()) : 0;
                options.trial.check(&count, sizeof count, checked);
                options.trial.check(list.data(), count * sizeof(Word), checked);
                write(output, &count);
                write(output, list.data(), count);
            }
            judged.pop_front();
            parsed.pop_front();
            finished++;
        }
        if (took_input) {
            last_progress = clock;
            if (source.at_start())
                started.push_back(clock);
        }
        top.rise();
        if (took_input) {
            source.pop();
            i_valid = 0;
        }
        if (took_request) {
            loader.pop();
            request_valid = 0;
            last_progress = clock;
        }
        if (options.trial.overdue(clock, last_progress))
            fail("no progress since clock " + std::to_string(last_progress) + ", in document " + std::to_string(finished));
    }
    if (options.trial.timeless) {
        uint64_t clocks = top.clock();
        write(output, &clocks);
    }
    if (!options.trial.reached.empty())
        top.write_reached(options.trial.reached);
    top.close();
    return 0;
}
