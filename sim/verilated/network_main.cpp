// A network of Verilated brokers with routers, wired link to link: plays a scenario and says what came out where.
//
// usage: network SCENARIO OUTPUT
// SCENARIO: lines. BROKER BID TREE (a mask of ports) begins a broker, numbered from 0; LINK A PORT B PORT joins two; then, in order,
//   S BROKER HEX   a frame of a subscriber
//   P BROKER HEX   a publication
//   CUT LINK, MEND LINK
//   SETTLE QUIET LIMIT   goes on until nothing has moved for QUIET clocks, and ends the program with status 3 after LIMIT clocks
// Between SETTLE lines everything is handed over at once, each broker's frames in order.
// OUTPUT: lines "CLOCK WHAT ...": R BROKER HEX (result: refusal, o-SID and reference), N BROKER HEX (a NOTIFY frame), V BROKER VERDICT CODE
// MATCHES, F FROM TO HEX (a frame that has crossed a link whole), M FROM TO (a mark). At each SETTLE a line "CLOCK Q", and at the end for each
// broker C BROKER registered duplicates sent limited oversized up settled joined, and then for each port lost misrouted refusals broken.

#include <array>
#include <deque>
#include <sstream>

#include "model.h"

namespace {

using namespace driver;

constexpr unsigned PORTS = 4;
// The members of the model are named in full, because the build keeps those ports alone that it finds here.
#define I_LINKS(part) &top->i_link___05F0___05F##part, &top->i_link___05F1___05F##part, &top->i_link___05F2___05F##part, &top->i_link___05F3___05F##part
#define O_LINKS(part) &top->o_link___05F0___05F##part, &top->o_link___05F1___05F##part, &top->o_link___05F2___05F##part, &top->o_link___05F3___05F##part

struct Node {
    std::unique_ptr<Model> model = std::make_unique<Model>();
    std::deque<Item> frames, publications;
    std::size_t frame_at = 0, publication_at = 0;
    Item notified;
    std::array<CData *, PORTS> in_valid, in_ready, out_valid, out_ready, bids, lost, misrouted, refusals, broken;
    std::array<QData *, PORTS> in_payload, out_payload;

    Node(unsigned bid, unsigned tree) {
        Model &top = *model;
        in_valid = {I_LINKS(valid)};
        in_ready = {I_LINKS(ready)};
        in_payload = {I_LINKS(payload)};
        out_valid = {O_LINKS(valid)};
        out_ready = {O_LINKS(ready)};
        out_payload = {O_LINKS(payload)};
        bids = {&top->settings___05Fbids___05F0, &top->settings___05Fbids___05F1, &top->settings___05Fbids___05F2, &top->settings___05Fbids___05F3};
        lost = {&top->lost___05F0, &top->lost___05F1, &top->lost___05F2, &top->lost___05F3};
        misrouted = {&top->misrouted___05F0, &top->misrouted___05F1, &top->misrouted___05F2, &top->misrouted___05F3};
        refusals = {&top->refusals___05F0, &top->refusals___05F1, &top->refusals___05F2, &top->refusals___05F3};
        broken = {&top->broken___05F0, &top->broken___05F1, &top->broken___05F2, &top->broken___05F3};
        top->settings___05Fbid = bid;
        top->settings___05Fbits = 8;
        top->settings___05Ftree = tree;
        top->settings___05Fhop_limit = 0;
        top->settings___05Fepoch = 0;
        top->settings___05Fhello_period = 0;
        top->settings___05Fhello_patience = 0;
        top->settings___05Flink_patience = 0;
        top->result___05Fready = 1;
        top->verdict___05Fready = 1;
        top->notification___05F0___05Fready = 1;
        top->topology_result___05Fready = 1;
        top->carrier = 0;
    }
};

struct Link {
    unsigned node[2], port[2];
    bool up = true;
    Item passing[2];
};

std::string hex(const Item &item) {
    std::string text;
    char two[3];
    for (uint8_t byte : item) {
        std::snprintf(two, sizeof two, "%02x", byte);
        text += two;
    }
    return text;
}

Item bytes_of(const std::string &text) {
    Item item;
    for (std::size_t at = 0; at + 1 < text.size(); at += 2)
        item.push_back(uint8_t(std::stoul(text.substr(at, 2), nullptr, 16)));
    return item;
}

// Offers the next word of the items, and takes it out when it was taken.
template <typename Payload> void offer(CData &valid, Payload &payload, const std::deque<Item> &items, std::size_t at) {
    valid = !items.empty();
    if (items.empty())
        return;
    const Item &item = items.front();
    std::size_t count = std::min<std::size_t>(4, item.size() - at);
    uint64_t word = 0;
    for (std::size_t k = 0; k < count; k++)
        word |= uint64_t(item[at + k]) << (8 * k);
    put(payload, PUBLICATION_DATA, word);
    put(payload, PUBLICATION_COUNT, count);
    put(payload, PUBLICATION_LAST, at + count == item.size());
}

bool taken(CData valid, CData ready, std::deque<Item> &items, std::size_t &at) {
    if (!valid || !ready)
        return false;
    at += std::min<std::size_t>(4, items.front().size() - at);
    if (at == items.front().size()) {
        items.pop_front();
        at = 0;
    }
    return true;
}

class Network {
  public:
    Network(const std::string &scenario, const std::string &output) : input_(scenario), output_(output) {
        if (!input_ || !output_)
            fail("cannot open " + scenario + " or " + output);
    }
    int play() {
        std::string line;
        while (std::getline(input_, line)) {
            std::istringstream words(line);
            std::string what, text;
            unsigned a = 0, b = 0, c = 0, d = 0;
            words >> what;
            if (what == "BROKER") {
                words >> a >> b;
                nodes_.push_back(std::make_unique<Node>(a, b));
                bids_.push_back(a);
            } else if (what == "LINK") {
                words >> a >> b >> c >> d;
                links_.push_back(Link{{a, c}, {b, d}});
            } else if (what == "S") {
                words >> a >> text;
                nodes_[a]->frames.push_back(bytes_of(text));
            } else if (what == "P") {
                words >> a >> text;
                nodes_[a]->publications.push_back(bytes_of(text));
            } else if (what == "CUT" || what == "MEND") {
                words >> a;
                links_[a].up = what == "MEND";
                for (Item &item : links_[a].passing)
                    item.clear();
                for (unsigned k = 0; k < 500; k++)
                    clock();
            } else if (what == "SETTLE") {
                words >> a >> b;
                if (!settle(a, b))
                    return 3;
            } else
                fail("a line must not begin with " + what);
        }
        for (std::size_t at = 0; at < nodes_.size(); at++)
            count(at);
        return 0;
    }

  private:
    void begin() {
        if (begun_)
            return;
        begun_ = true;
        for (Link &link : links_)
            for (unsigned end = 0; end < 2; end++)
                *nodes_[link.node[end]]->bids[link.port[end]] = bids_[link.node[1 - end]];
        for (auto &node : nodes_)
            node->model->reset();
    }
    bool settle(unsigned quiet, unsigned limit) {
        unsigned still = 0;
        for (unsigned k = 0; k < limit; k++) {
            still = clock() ? 0 : still + 1;
            if (still >= quiet) {
                output_ << now_ << " Q\n";
                return true;
            }
        }
        return false;
    }
    // A clock of the whole network; whether something has moved.
    bool clock() {
        begin();
        bool moves = false;
        for (auto &node : nodes_) {
            Model &top = *node->model;
            offer(top->subscription___05Fvalid, top->subscription___05Fpayload, node->frames, node->frame_at);
            offer(top->publication___05Fvalid, top->publication___05Fpayload, node->publications, node->publication_at);
            top->carrier = 0;
        }
        for (Link &link : links_)
            for (unsigned end = 0; end < 2; end++)
                if (link.up)
                    nodes_[link.node[end]]->model->operator->()->carrier |= CData(1 << link.port[end]);
        for (auto &node : nodes_)
            node->model->settle();
        // What each end offers goes to the other, and back comes whether it is taken: a receiver's readiness does not wait for an offer.
        for (Link &link : links_)
            for (unsigned end = 0; end < 2; end++) {
                Node &from = *nodes_[link.node[end]], &to = *nodes_[link.node[1 - end]];
                unsigned source = link.port[end], sink = link.port[1 - end];
                *to.in_valid[sink] = *from.out_valid[source] && link.up;
                *to.in_payload[sink] = *from.out_payload[source];
                *from.out_ready[source] = *to.in_ready[sink] && link.up;
            }
        for (auto &node : nodes_)
            node->model->settle();
        for (std::size_t at = 0; at < nodes_.size(); at++)
            moves |= watch(at);
        for (Link &link : links_)
            for (unsigned end = 0; end < 2; end++)
                moves |= cross(link, end);
        for (auto &node : nodes_)
            node->model->rise();
        now_++;
        return moves;
    }
    bool watch(std::size_t at) {
        Node &node = *nodes_[at];
        Model &top = *node.model;
        bool moves = taken(top->subscription___05Fvalid, top->subscription___05Fready, node.frames, node.frame_at);
        moves |= taken(top->publication___05Fvalid, top->publication___05Fready, node.publications, node.publication_at);
        moves |= !node.frames.empty() || !node.publications.empty();
        if (top->result___05Fvalid) {
            moves = true;
            output_ << now_ << " R " << at << ' ' << get(top->result___05Fpayload, RESULT_REFUSAL) << ' ' << std::hex
                    << get(top->result___05Fpayload, RESULT_KEY_OSID) << ' ' << get(top->result___05Fpayload, RESULT_KEY_REFERENCE) << std::dec << '\n';
        }
        if (top->verdict___05Fvalid) {
            moves = true;
            output_ << now_ << " V " << at << ' ' << get(top->verdict___05Fpayload, VERDICT_VERDICT_VERDICT) << ' '
                    << get(top->verdict___05Fpayload, VERDICT_VERDICT_CODE) << ' ' << get(top->verdict___05Fpayload, VERDICT_MATCHES) << '\n';
        }
        if (top->notification___05F0___05Fvalid) {
            moves = true;
            append(node.notified, get(top->notification___05F0___05Fpayload, PUBLICATION_DATA),
                   get(top->notification___05F0___05Fpayload, PUBLICATION_COUNT));
            if (get(top->notification___05F0___05Fpayload, PUBLICATION_LAST)) {
                output_ << now_ << " N " << at << ' ' << hex(node.notified) << '\n';
                node.notified.clear();
            }
        }
        return moves | (top->begun != top->finished);
    }
    bool cross(Link &link, unsigned end) {
        Node &from = *nodes_[link.node[end]];
        unsigned port = link.port[end];
        if (!link.up || !*from.out_valid[port] || !*from.out_ready[port])
            return false;
        QData word = *from.out_payload[port];
        Item &item = link.passing[end];
        append(item, get(word, I_LINK__0_DATA), get(word, I_LINK__0_COUNT));
        if (get(word, I_LINK__0_LAST)) {
            bool cut = get(word, I_LINK__0_CUT);
            output_ << now_ << (cut ? " M " : " F ") << link.node[end] << ' ' << link.node[1 - end];
            output_ << (cut ? "" : " " + hex(item)) << '\n';
            item.clear();
        }
        return true;
    }
    static void append(Item &item, uint64_t data, uint64_t count) {
        for (unsigned k = 0; k < count; k++)
            item.push_back(uint8_t(data >> (8 * k)));
    }
    void count(std::size_t at) {
        Node &node = *nodes_[at];
        Model &top = *node.model;
        top.settle();
        output_ << now_ << " C " << at << ' ' << +top->registered << ' ' << +top->duplicates << ' ' << +top->sent << ' ' << +top->limited << ' '
                << +top->oversized << ' ' << +top->up << ' ' << +top->settled << ' ' << +top->joined;
        for (unsigned port = 0; port < PORTS; port++)
            output_ << ' ' << +*node.lost[port] << ' ' << +*node.misrouted[port] << ' ' << +*node.refusals[port] << ' ' << +*node.broken[port];
        output_ << '\n';
    }

    std::ifstream input_;
    std::ofstream output_;
    std::vector<std::unique_ptr<Node>> nodes_;
    std::vector<unsigned> bids_;
    std::vector<Link> links_;
    uint64_t now_ = 0;
    bool begun_ = false;
};

} // namespace

int main(int argc, char **argv) {
    if (argc != 3)
        driver::fail("usage: network SCENARIO OUTPUT");
    return Network(argv[1], argv[2]).play();
}
