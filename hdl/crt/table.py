"""The content routing table [T 5.3.3]: registration, removal, and what the matching engine reads."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import data, memory, stream, wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import ceil_log2

from hdl import contract
from hdl.crt.entries import BUCKET_BITS, Entry, Kind, NameRecord, RunRecord, StepRecord, pattern
from hdl.crt.masks import MaskTable
from hdl.crt.namer import Namer
from hdl.crt.rows import VisitorRows
from hdl.crt.space import RunSpace
from hdl.crt.strings import StringStore
from hdl.shapes.names import NameRequest, NameResponse
from hdl.shapes.program import CrtCommand, CrtOp, CrtResponse, ProgramOp, ProgramOperator, ProgramWord
from hdl.shapes.tables import CrtView, NameMarks, TestLink, TestLists, TestNode, TestSubject, TestTerm, TsidLink
from hdl.shapes.widths import RefusalCode, number_shape, row_width, step_width, tsid_place_width, tsid_width
from hdl.stream import BlockRam, PairedRam
from hdl.values import DecimalReader

__all__ = ["HCD_VISITS", "ContentRoutingTable"]

HCD_VISITS = 31
"""Visits to one name beyond which commonality is high [T 5.3.3.4]."""


class ContentRoutingTable(wiring.Component):
    """Registers subscriptions and removes them while documents are matched.

    A subscription takes a run of neighbouring bits, one per step and test, in rows that every name has. What the engine reads of it
    changes only between documents. **Commit**: there is one clock, after the command and its program were taken and before the
    response is offered, in which a change is decided; documents whose first word was taken before that clock are matched without it,
    all others with it. ``begun`` tells the two apart: the change is made when the last of the former has been matched,
    and until then the first of the latter waits. REGISTER is answered right after its commit, UNREGISTER and CLEAR when no match of the
    removed subscriptions can be reported any more. A refused REGISTER leaves nothing behind. After a reset the table
    empties itself before it takes the first command.

    Parameters
    ----------
    config : BrokerConfig

    Members
    -------
    command : ``In(stream.Signature(CrtCommand(config)))``
    program : ``In(stream.Signature(ProgramWord))``
        One program per REGISTER.
    response : ``Out(stream.Signature(CrtResponse))``
        One per command, in order.
    name_request : ``Out(stream.Signature(NameRequest(config)))``
    name_response : ``In(stream.Signature(NameResponse(config)))``
    view : ``Out(CrtView(config))``
    begun : ``In(16)``
        Documents whose first word has been taken, modulo 65536 and from 0 at reset.
    registered : ``Out``
        Subscriptions held.
    steps_used : ``Out``
        Bits held; subscriptions with the same bits count once.
    full : ``Out(1)``
        The latest REGISTER was refused for want of room: the broker has reached its S_max [T-Fig 5.17].
    hcd : ``Out(1)``
        Some name has been visited by more than 31 subscriptions [T 5.3.3.4].
    last_step, shared, final : ``Out``, ``Out(1)``, ``Out(1)``
        With the response to a REGISTER that is accepted: the last bit of the subscription's run, whether others have the same run, and
        whether the subscription ends in an attribute step.
    """

    def __init__(self, config):
        width = row_width(config)
        if width < 16 or width & (width - 1) or config.slices & (config.slices - 1):
            raise ValueError(f"steps must be slices, a power of two, times a power of two of at least 16, not {config.steps!r}")
        self.config = config
        super().__init__(
            {
                "command": In(stream.Signature(CrtCommand(config))),
                "program": In(stream.Signature(ProgramWord)),
                "response": Out(stream.Signature(CrtResponse)),
                "name_request": Out(stream.Signature(NameRequest(config))),
                "name_response": In(stream.Signature(NameResponse(config))),
                "view": Out(CrtView(config)),
                "begun": In(16),
                "registered": Out(range(config.subscriptions + 1)),
                "steps_used": Out(range(config.steps + 1)),
                "full": Out(1),
                "hcd": Out(1),
                "last_step": Out(step_width(config)),
                "shared": Out(1),
                "final": Out(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        config, view = self.config, self.view
        m.submodules.namer = namer = Namer(config)
        wiring.connect(m, wiring.flipped(self.program), namer.i)
        wiring.connect(m, namer.o_request, wiring.flipped(self.name_request))
        wiring.connect(m, wiring.flipped(self.name_response), namer.i_response)
        program, release = namer.o, namer.release
        given, word = program.payload, program.payload.word
        name_bits, bit_bits = ceil_log2(config.names), ceil_log2(row_width(config))
        refusal = contract.Refusal

        m.submodules.rows = rows = VisitorRows(config)
        m.submodules.masks = masks = MaskTable(config)
        m.submodules.space = space = RunSpace(config)
        steps = 1 << step_width(config)
        tsids = 1 << tsid_place_width(config)
        m.submodules.records = records = BlockRam(shape=StepRecord(config), depth=steps, output_register=True)
        m.submodules.names = names = BlockRam(shape=NameRecord(config), depth=config.names, output_register=True)
        # The engine's copy of the names' marks.
        m.submodules.marks = marks = BlockRam(shape=NameMarks(config), depth=config.names)
        # Runs by t-SID, and behind them the first of the runs with each hash.
        run_bits = max(tsid_place_width(config), BUCKET_BITS)
        m.submodules.runs = runs = BlockRam(shape=RunRecord(config), depth=2 << run_bits, output_register=True)
        same_hash = data.View(TestLink(config), runs.read[0].data.as_value()[: TestLink(config).size])
        bucket_write = Signal(data.StructLayout({"addr": BUCKET_BITS, "data": TestLink(config), "en": 1}))
        settles = Signal()
        # The first t-SID of each run by its last bit, and the one after each t-SID.
        m.submodules.tsids = lists_of_tsids = PairedRam(shape=TsidLink(config), depth=max(steps, tsids))
        heads, links = lists_of_tsids.ports
        m.d.sync += [heads.write_en.eq(0), links.write_en.eq(0)]
        m.submodules.lists = lists = BlockRam(shape=TestLists(config), depth=config.names, output_register=True)
        # Tests, and a clock behind each the rest of it, so that the way along a list is short.
        m.submodules.nodes = nodes = BlockRam(shape=TestNode(config), depth=steps, output_register=True)
        m.submodules.terms = terms = BlockRam(shape=TestTerm(config), depth=steps, output_register=True)
        m.submodules.numbers = numbers = BlockRam(shape=number_shape(config), depth=steps, output_register=True)
        m.submodules.strings = strings = StringStore(config)
        m.submodules.decimal = decimal = DecimalReader(config)
        for table in (records, names, runs, lists, nodes, terms, numbers):
            m.d.comb += table.read[0].en.eq(1)

        # The staged subscription: steps and attribute tests from the front, text tests from the back, because these are
        # decided last and their bits come last.
        places = 1 << ceil_log2(config.subscription_steps)
        m.submodules.stage = stage = memory.Memory(shape=Entry(config), depth=places, init=[])
        stage_read, stage_write = stage.read_port(domain="comb"), stage.write_port()

        length = range(config.subscription_steps + 1)
        command = Signal(CrtCommand(config))
        run_place = command.tsid[:run_bits]
        entry = Signal(Entry(config))
        fronts, backs, index = Signal(length), Signal(length), Signal(length)
        total = Signal(length)
        # Why the program at hand is refused, and that it is for what came before.
        failed, refused = Signal(RefusalCode), Signal()
        first = Signal(step_width(config))
        step = Signal(step_width(config))
        removing = Signal()
        naming, seek = Signal(), Signal()
        # Written a clock later; a name is read again one clock after that at the soonest.
        visit = Signal(data.StructLayout({"addr": name_bits, "data": NameRecord(config), "en": 1}))
        # The last bit of the run, which the list of its subscriptions hangs from; two clocks behind ``first``, ``fronts`` and ``backs``.
        tail = Signal(step_width(config))
        m.d.sync += tail.eq(first + (total - 1))
        m.d.sync += total.eq(fronts + backs)
        m.d.comb += [
            step.eq(first + index),
            space.length.eq(total),
            records.read[0].addr.eq(Mux(seek | space.busy, space.step, step)),
            space.used.eq(records.read[0].data.used),
            names.read[0].addr.eq(Mux(naming, word.data, entry.name)),
            visit.addr.eq(entry.name),
            marks.write.addr.eq(names.write.addr),
            marks.write.data.eq(names.write.data.marks),
            marks.write.en.eq(names.write.en),
            view.marks_hold.eq(names.write.en),
        ]
        # Of the staged bits the one at ``index``, a clock behind it; or the next one, beforehand.
        staged_index, looks_ahead = Signal(length), Signal()
        m.d.comb += staged_index.eq(Mux(looks_ahead, index + 1, index))
        m.d.sync += stage_read.addr.eq(Mux(staged_index < fronts, staged_index, places - 1 - (staged_index - fronts)))
        m.d.sync += [names.write.addr.eq(visit.addr), names.write.data.eq(visit.data), names.write.en.eq(visit.en)]
        # Takes the staged bit, in the clock after it is asked to.
        fetch = Signal()
        m.d.sync += fetch.eq(0)
        final = Signal()
        m.d.sync += final.eq(index + 1 == total)
        contains = command.semantics

        bucket = Signal(BUCKET_BITS)
        mate, leader = Signal(tsid_width(config)), Signal(tsid_width(config))
        at_head, several = Signal(), Signal()
        before, onward, after = Signal(tsid_width(config)), Signal(TsidLink(config)), Signal(TestLink(config))
        # The engine's reads; between documents the ports belong to registration.
        m.d.comb += [
            rows.read_en.eq(view.row_en),
            rows.read_name.eq(view.row_name),
            rows.read_slice.eq(view.row_slice),
            view.row.eq(rows.read_data),
            view.row_hold.eq(rows.hold),
            masks.slice.eq(view.mask_slice),
            view.masks.eq(masks.masks),
            marks.read[0].addr.eq(view.marks_name),
            marks.read[0].en.eq(view.marks_en),
            view.marks.eq(marks.read[0].data),
            heads.addr.eq(Mux(view.quiet, tail, view.head_step)),
            heads.en.eq(1),
            view.head.eq(heads.data),
            runs.write.addr.eq(Mux(settles, run_place, Cat(Const(0, run_bits), 1) | bucket_write.addr)),
            runs.write.en.eq(settles | bucket_write.en),
            runs.write.data.first.eq(first),
            runs.write.data.length.eq(total),
            runs.write.data.contains.eq(contains),
            runs.write.data.bucket.eq(bucket),
            links.addr.eq(Mux(view.quiet, mate, view.link_tsid)),
            links.en.eq(view.quiet | view.link_en),
            view.link.eq(links.data),
            # The run of a subscription that is to go, until it is known.
            runs.read[0].addr.eq(Mux((command.op == CrtOp.REGISTER) | removing, Cat(Const(0, run_bits), 1) | bucket, run_place)),
            rows.name.eq(entry.name),
            rows.step.eq(step),
            masks.step.eq(step),
        ]

        # Lists of compared tests: per name and subject, and for elements whatever their name; those for an equal string by string. A
        # comparison with what is no number never holds: it is in no list.
        follows = Signal()
        held_step = Signal(step_width(config))
        m.d.sync += held_step.eq(step)
        node = Signal(step_width(config))
        m.d.sync += numbers.read[0].addr.eq(nodes.read[0].addr)
        own, unlisted = Signal(TestNode(config)), Signal()
        anyone = Signal(TestLists(config))
        subjects = {"attribute": entry.kind == Kind.ATTRIBUTE, "self": entry.kind == Kind.SELF, "text": entry.kind == Kind.TEXT}
        # A clock behind the entry.
        listed = {name: Signal(name=f"listed_{name}") for name in subjects}
        m.d.sync += [listed[name].eq(mine) for name, mine in subjects.items()]
        known_lists = Signal(TestLists(config))
        # Written a clock later; a list is read again two clocks after that at the soonest.
        relist = Signal(data.StructLayout({"addr": name_bits, "data": TestLists(config), "en": 1}))
        m.d.sync += [lists.write.addr.eq(relist.addr), lists.write.data.eq(relist.data), lists.write.en.eq(relist.en)]
        head = Signal(TestLink(config))
        compared, by_value = Signal(), Signal()
        m.d.comb += [
            compared.eq(Cat(subjects.values()).any()),
            lists.read[0].addr.eq(Mux(view.quiet, entry.name, view.list_name)),
            view.lists.eq(lists.read[0].data),
            view.any_lists.eq(anyone),
            by_value.eq(~entry.number & (entry.operator == ProgramOperator.EQ)),
            relist.addr.eq(entry.name),
            follows.eq(view.node_follow & nodes.read[0].data.next.valid),
            nodes.read[0].addr.eq(Mux(follows, nodes.read[0].data.next.step, Mux(view.node_en, view.node_step, node))),
            terms.read[0].addr.eq(numbers.read[0].addr),
            nodes.write.addr.eq(step),
            terms.write.addr.eq(step),
            terms.write.data.value.eq(entry.value),
            terms.write.data.anyone.eq(entry.anyone),
            terms.write.data.name.eq(entry.name),
            numbers.write.addr.eq(step),
            numbers.write.data.eq(entry.key),
            view.node.eq(nodes.read[0].data),
            view.term.eq(terms.read[0].data),
            view.number.eq(numbers.read[0].data),
            known_lists.eq(Mux(entry.anyone, anyone, lists.read[0].data)),
            relist.data.eq(known_lists),
            strings.value.eq(entry.value),
            strings.link.eq(Cat(step, 1)),
        ]
        # Two clocks behind the lists.
        for subject, mine in listed.items():
            with m.If(mine):
                m.d.sync += head.eq(known_lists[subject])

        heads_list = Signal()
        m.d.sync += heads_list.eq(head.step == held_step)

        def write_node(following):
            """The entry as a test in front of another one."""
            target = nodes.write.data
            return [
                target.next.eq(following),
                target.operator.eq(entry.operator),
                target.number.eq(entry.number),
                target.contains.eq(contains),
                target.subject.eq(Mux(listed["attribute"], TestSubject.ATTRIBUTE, Mux(listed["self"], TestSubject.SELF, TestSubject.TEXT))),
                nodes.write.en.eq(compared),
            ]

        # The first test of the entry's list becomes another one: the entry, or the one after it when it goes.
        relists = Signal()
        new_head = Signal(TestLink(config))
        m.d.comb += [new_head.eq(Mux(removing, own.next, Cat(step, 1))), relist.en.eq(relists & ~entry.anyone)]
        for subject, mine in listed.items():
            with m.If(mine):
                m.d.comb += relist.data[subject].eq(new_head)
                with m.If(relists & entry.anyone):
                    m.d.sync += anyone[subject].eq(new_head)

        wiring.connect(m, strings.document, wiring.flipped(view.string))

        # A change counts for the documents that begin from its commit on. Those that had begun are matched first; the next one waits.
        wants = Signal()
        commit = Signal()
        last_before = Signal(16)
        m.d.sync += view.wants.eq(wants & ~(view.ended - last_before)[15])
        with m.If(commit):
            m.d.sync += [wants.eq(1), last_before.eq(self.begun)]

        highs = Signal(range(config.names + 1))
        rises, falls = Signal(), Signal()
        m.d.sync += [rises.eq(0), falls.eq(0), highs.eq(highs + rises - falls)]
        m.d.comb += self.hcd.eq(highs != 0)
        visited = Value.cast(entry.kind).matches(Kind.NAME, Kind.PRESENCE, Kind.ATTRIBUTE)
        rowed = Value.cast(entry.kind).matches(Kind.NAME, Kind.PRESENCE)
        present, revisits = Signal(), Signal()
        m.d.sync += present.eq((entry.kind == Kind.PRESENCE) | (visited & contains))
        # The masks of a new subscription are the last to change; the next command is taken meanwhile.
        parting = Signal()
        with m.If(parting & ~masks.busy):
            m.d.sync += [parting.eq(0), wants.eq(0)]
        record = names.read[0].data
        lone, none = Signal(), Signal()
        m.d.sync += [lone.eq(record.visits == 1), none.eq(record.visits == 0)]
        m.d.comb += release.payload.eq(entry.name)
        letters, letter, spelt, literal_ends = Signal(32), Signal(3), Signal(), Signal()
        step_name, step_any = Signal(name_bits), Signal()
        slot, kept_slot = Signal(ceil_log2(places)), Signal(ceil_log2(places))
        compares = Signal()
        m.d.comb += [
            strings.literal.data.eq(word.data),
            strings.literal.count.eq(word.count),
            stage_write.addr.eq(slot),
            stage_write.data.eq(entry),
        ]
        empties = Signal()
        m.d.comb += [space.restart.eq(empties), space.start.eq(seek)]
        m.d.sync += [seek.eq(0), settles.eq(0)]
        with m.If(~settles):
            m.d.comb += runs.write.data.as_value()[: TestLink(config).size].eq(bucket_write.data)
        # Subscriptions that ask the same share a run; they are found by a hash and compared bit by bit.
        m.submodules.equals = equals = BlockRam(shape=TestLink(config), depth=steps, output_register=True)
        other, chased, meets = Signal(TestLink(config)), Signal(TestLink(config)), Signal()
        shared = Signal()
        m.d.comb += [self.last_step.eq(tail), self.shared.eq(shared)]
        staged = stage_read.data
        m.d.comb += [
            equals.read[0].en.eq(1),
            bucket_write.addr.eq(bucket),
            equals.read[0].addr.eq(other.step),
            equals.write.addr.eq(first),
        ]

        def mix(*values):
            folded = bucket.rotate_left(3)
            for value in values:
                value = Value.cast(value)
                for at in range(0, len(value), BUCKET_BITS):
                    folded = folded ^ value[at : at + BUCKET_BITS]
            m.d.sync += bucket.eq(folded)

        building = Signal()
        occupied, occupies = Signal(config.slices), Signal(2)
        sweep = Signal(range(max(steps, rows.clear_depth, config.names, 1 << BUCKET_BITS) + 1))
        started = Signal()

        def answer(code, then):
            m.d.comb += [self.response.valid.eq(1), self.response.payload.refusal.eq(code)]
            with m.If(self.response.ready):
                m.next = then

        def pause(name, then):
            with m.State(name):
                m.next = then

        texts = (entry.kind == Kind.SELF) | (entry.kind == Kind.TEXT)

        def stage_entry():
            m.d.comb += [
                slot.eq(Mux(texts, places - 1 - backs, fronts)),
                stage_write.en.eq(1),
                strings.literal.clear.eq(1),
                decimal.clear.eq(1),
            ]
            m.d.sync += [kept_slot.eq(slot), fronts.eq(fronts + ~texts), backs.eq(backs + texts)]
            m.d.sync += compares.eq(compares | compared)
            mix(entry.name, Cat(entry.kind, entry.far))
            with m.If(entry.kind == Kind.NAME):
                m.d.sync += step_name.eq(entry.name)
            m.next = "PIECE"

        # Whether a bit of another run is the staged one, a clock after the records and the literal have been read.
        held = records.read[0].data
        shares = 6
        name_half, value_half = name_bits // 2, len(entry.value) // 2
        other_value, other_key = terms.read[0].data.value, numbers.read[0].data.as_value()
        alike, compares_alike, parts = Signal(3), Signal(), Signal(2 + shares)
        m.d.sync += [
            alike.eq(
                Cat(
                    (held.kind == staged.kind)
                    & (held.far == staged.far)
                    & (held.anyone == staged.anyone)
                    & (held.last == final)
                    & (held.contains == contains),
                    held.name[:name_half] == staged.name[:name_half],
                    held.name[name_half:] == staged.name[name_half:],
                )
            ),
            compares_alike.eq((nodes.read[0].data.operator == Value.cast(entry.operator)) & (nodes.read[0].data.number == entry.number)),
            parts.eq(
                Cat(
                    entry.number | (other_value[:value_half] == entry.value[:value_half]),
                    entry.number | (other_value[value_half:] == entry.value[value_half:]),
                    *(~entry.number | (other_key[at::shares] == entry.key.as_value()[at::shares]) for at in range(shares)),
                )
            ),
        ]

        comes, goes = Signal(), Signal()  # a subscription
        with m.If(comes | goes):
            m.d.sync += self.registered.eq(self.registered + Mux(goes, -1, 1))

        with m.FSM():
            with m.State("RESET"):
                m.d.sync += sweep.eq(0)
                m.next = "WIPE"
            with m.State("WIPE"):
                # every table in step
                m.d.sync += sweep.eq(sweep + 1)
                m.d.comb += [
                    rows.clear.eq(1),
                    rows.clear_address.eq(sweep),
                    masks.clear.eq(1),
                    masks.clear_address.eq(sweep),
                    records.write.en.eq(1),
                    records.write.addr.eq(sweep),
                    visit.en.eq(~started),
                    visit.addr.eq(sweep),
                    relist.en.eq(1),
                    relist.addr.eq(sweep),
                    relist.data.eq(0),
                    strings.clear.eq(1),
                    strings.clear_address.eq(sweep),
                ]
                m.d.sync += anyone.eq(0)
                m.d.comb += [empties.eq(1), bucket_write.en.eq(1), bucket_write.addr.eq(sweep)]
                m.d.sync += [self.registered.eq(0), self.steps_used.eq(0), highs.eq(0)]
                with m.If(sweep == (1 << len(sweep) - 1) - 1):
                    m.d.sync += [wants.eq(0), self.full.eq(0)]
                    m.next = "IDLE"
                    with m.If(started):
                        m.next = "UNPIN_ALL"
                    m.d.sync += [started.eq(1), sweep.eq(0)]
            with m.State("IDLE"):
                m.d.comb += self.command.ready.eq(1)
                m.d.sync += [
                    command.eq(self.command.payload),
                    fronts.eq(0),
                    backs.eq(0),
                    index.eq(0),
                    failed.eq(0),
                    refused.eq(0),
                    removing.eq(0),
                    compares.eq(0),
                    shared.eq(0),
                    bucket.eq(0),
                    self.final.eq(0),
                ]
                with m.If(self.command.valid):
                    m.next = "PIECE"
                    with m.If(self.command.payload.op != CrtOp.REGISTER):
                        m.next = "ASK_REMOVE"
            with m.State("PIECE"):
                # the next word of the program; each of its names is one token ID
                m.d.sync += [letters.eq(word.data), letter.eq(word.count), spelt.eq(word.count == 0)]
                m.d.comb += naming.eq(1)
                m.d.sync += revisits.eq(names.write.en & (names.write.addr == word.data[:name_bits]))
                # What it says goes to the entry while it is still awaited, too. A literal belongs to the word before.
                with m.If(given.literal):
                    m.d.sync += entry.number.eq(given.numeric)
                with m.Else():
                    m.d.sync += [entry.far.eq(word.axis), entry.number.eq(0), entry.stored.eq(0), entry.anyone.eq(given.text & step_any)]
                    m.d.sync += [entry.operator.eq(word.operator), entry.value.eq(0), entry.key.eq(0)]
                    with m.If(given.text):
                        m.d.sync += entry.kind.eq(Mux(word.op == ProgramOp.SELF_TEST, Kind.SELF, Kind.TEXT))
                        m.d.sync += entry.name.eq(Mux(step_any, 0, step_name))
                    with m.Elif(word.op == ProgramOp.STEP):
                        m.d.sync += entry.kind.eq(Mux(given.wild, Kind.WILD, Kind.NAME))
                        m.d.sync += entry.name.eq(Mux(given.wild, 0, word.data))
                    with m.Else():
                        m.d.sync += entry.kind.eq(Mux(word.operator != ProgramOperator.NONE, Kind.ATTRIBUTE, Kind.PRESENCE))
                        m.d.sync += entry.name.eq(word.data)
                with m.If(program.valid):
                    m.d.comb += program.ready.eq(1)
                    with m.If(given.ends):
                        m.next = "EQUAL"
                        with m.If(word.op == ProgramOp.ABORT):
                            m.d.sync += failed.eq(word.data)
                        with m.If(refused | (word.op == ProgramOp.ABORT)):
                            m.next = "RELEASE"
                        with m.Else():
                            m.d.sync += seek.eq(1)
                    with m.Elif(given.wild):
                        m.d.sync += step_any.eq(1)
                        m.next = "STAGE"
                    with m.Elif(given.text):
                        m.d.sync += view.texts.eq(1)
                        m.next = "STAGE"
                    with m.Elif(given.literal):
                        m.d.sync += literal_ends.eq(word.last)
                        with m.If(~refused):
                            m.d.comb += strings.literal.push.eq(~given.numeric)
                            with m.If(given.numeric):
                                m.next = "DIGITS"
                            with m.Elif(word.last):
                                m.d.comb += strings.literal.search.eq(1)
                                m.next = "STRING"
                    with m.Else():
                        with m.If(word.op == ProgramOp.STEP):
                            m.d.sync += step_any.eq(0)
                        with m.If(word.op == ProgramOp.ATTRIBUTE_STEP):
                            m.d.sync += self.final.eq(1)
                        m.next = "NAMED"
                        with m.If(word.count == 0):
                            m.d.sync += [failed.eq(refusal.FULL_NAMES), refused.eq(1)]
                            m.next = "PIECE"
            with m.State("NAMED"):
                # a name that was visited right before is read again
                m.d.sync += revisits.eq(0)
                with m.If(~revisits):
                    m.next = "VISIT"
            with m.State("VISIT"):
                # one more visit
                m.d.comb += [
                    visit.data.visits.eq(record.visits + 1),
                    visit.data.marks.eq(record.marks),
                    visit.data.marks.presence.eq(record.marks.presence | present),
                    visit.en.eq(1),
                ]
                m.d.sync += rises.eq(record.visits == HCD_VISITS)
                stage_entry()
            with m.State("STAGE"):
                stage_entry()
            with m.State("STRING"):
                # the number of the literal's string
                m.d.sync += [entry.value.eq(strings.literal.value), entry.stored.eq(strings.literal.found)]
                with m.If(strings.literal.done):
                    m.next = "RESTAGE"
                    with m.If(~strings.literal.found):
                        m.d.sync += [failed.eq(refusal.FULL_VALUES), refused.eq(1)]
            with m.State("DIGITS"):
                # byte after byte of the literal's number
                m.d.comb += [decimal.push.eq(~spelt), decimal.byte.eq(letters[:8])]
                m.d.sync += [letters.eq(letters >> 8), letter.eq(letter - 1), spelt.eq(letter == 1)]
                with m.If(spelt):
                    m.next = "PIECE"
                    with m.If(literal_ends):
                        m.next = "NUMBER"
            pause("NUMBER", "NUMBER1")
            with m.State("NUMBER1"):
                m.d.sync += entry.key.eq(decimal.key)
                m.next = "RESTAGE"
            with m.State("RESTAGE"):
                m.d.comb += [slot.eq(kept_slot), stage_write.en.eq(1)]
                mix(entry.value, entry.operator, entry.key.exponent, entry.key.digits)
                m.next = "PIECE"

            pause("EQUAL", "EQUAL1")
            with m.State("EQUAL1"):
                m.d.sync += [other.eq(same_hash), first.eq(same_hash.step)]
                m.next = "TRY"
            with m.State("TRY"):
                # the next run with this hash, if any
                m.d.sync += index.eq(0)
                with m.If(~other.valid):
                    m.next = "SEEK"
                with m.Elif(~space.busy & (index == 0)):
                    m.next = "TRY1"
            pause("TRIED", "TRY1")
            with m.State("TRY1"):
                # one bit: its record, and of a compared test its literal
                m.d.sync += fetch.eq(1)
                m.next = "TRY2"
            with m.State("TRY2"):
                m.d.sync += node.eq(step)
                m.next = "TRY3"
            with m.State("TRY3"):
                m.next = "UNLIKE"
                with m.If(alike.all()):
                    with m.If(~compared):
                        m.next = "ALIKE"
                    with m.Elif(view.node_en):
                        m.next = "TRY3"
                    with m.Else():
                        m.next = "TRY4"
            pause("TRY4", "TRY5")
            pause("TRY5", "TRY6")
            with m.State("TRY6"):
                m.next = "UNLIKE"
                with m.If(compares_alike):
                    m.next = "TRY7"
            with m.State("TRY7"):
                m.next = "UNLIKE"
                with m.If(parts.all()):
                    m.next = "ALIKE"
            with m.State("UNLIKE"):
                m.d.sync += [other.eq(equals.read[0].data), first.eq(equals.read[0].data.step)]
                m.next = "TRY"
            with m.State("ALIKE"):
                m.d.sync += index.eq(index + 1)
                m.next = "TRIED"
                with m.If(final):
                    m.d.comb += commit.eq(1)
                    m.d.sync += [shared.eq(1), index.eq(0)]
                    m.next = "ACCEPT"
            with m.State("SEEK"):
                # room for a run of its own
                m.d.sync += [index.eq(0), first.eq(space.first), fetch.eq(1)]
                with m.If(~space.busy):
                    m.next = "ROOM"
            with m.State("ROOM"):
                m.d.comb += space.take.eq(space.found)
                m.next = "BUILD"
                with m.If(~space.found):
                    m.d.sync += failed.eq(refusal.FULL_STEPS)
                    m.next = "RELEASE"
            with m.State("BUILD"):
                # record and row of every bit; the masks of the first come last of all
                m.d.comb += [
                    building.eq(1),
                    records.write.addr.eq(step),
                    records.write.en.eq(1),
                    records.write.data.used.eq(1),
                    records.write.data.kind.eq(entry.kind),
                    records.write.data.far.eq(entry.far),
                    records.write.data.name.eq(entry.name),
                    records.write.data.anyone.eq(entry.anyone),
                    records.write.data.last.eq(final),
                    records.write.data.contains.eq(contains),
                    terms.write.en.eq(compared),
                    numbers.write.en.eq(entry.number),
                    rows.start.eq(rowed),
                    rows.value.eq(1),
                    masks.start.eq(index != 0),
                    masks.value.eq(pattern(entry, first=0, last=final, contains=contains)),
                ]
                m.next = "BUILT"
            with m.State("BUILT"):
                m.d.comb += looks_ahead.eq(1)
                with m.If(final):
                    m.d.comb += commit.eq(1)
                    m.d.sync += index.eq(0)
                    m.next = "ACCEPT"
                with m.Elif(~rows.busy & ~masks.busy & ~occupies[0]):
                    m.d.sync += [index.eq(index + 1), fetch.eq(1)]
                    m.next = "MORE"
            pause("MORE", "BUILD")
            with m.State("ACCEPT"):
                m.d.sync += [self.full.eq(0), fetch.eq(1)]
                answer(refusal.NONE, "QUIET_ADD")
            with m.State("QUIET_ADD"):
                # a moment between documents, and the last bit's row and masks
                with m.If(view.quiet & ~rows.busy & ~masks.busy):
                    m.next = "PUBLISH"
                    with m.If(shared):
                        m.next = "JOIN"
                    with m.Elif(compares):
                        m.next = "LIST"
            with m.State("LIST"):
                # each compared test goes to the front of its list
                m.d.sync += fetch.eq(1)
                m.next = "LIST0"
            pause("LIST0", "LIST1")
            pause("LIST1", "LIST2")
            pause("LIST2", "LIST3")
            pause("LIST3", "LIST4")
            with m.State("LIST4"):
                m.d.comb += write_node(head)
                hangs = Signal()
                m.d.comb += hangs.eq(compared & by_value)
                m.d.comb += relists.eq(compared & ~by_value & ~entry.key.nan)
                m.d.sync += index.eq(index + ~hangs)
                m.next = "LIST"
                with m.If(hangs):
                    m.next = "HANG"
                with m.Elif(final):
                    m.d.sync += index.eq(0)
                    m.next = "LISTED"
            with m.State("HANG"):
                # at the front of the tests for its string
                m.d.comb += [strings.relink.eq(1), strings.store.eq(1)]
                with m.If(strings.idle):
                    m.next = "HUNG"
            with m.State("HUNG"):
                m.d.comb += strings.store.eq(1)
                m.d.comb += write_node(strings.head)
                with m.If(strings.relinked):
                    m.d.sync += index.eq(index + 1)
                    m.next = "LIST"
                    with m.If(final):
                        m.d.sync += index.eq(0)
                        m.next = "LISTED"
            with m.State("LISTED"):
                m.d.sync += fetch.eq(1)
                m.next = "LISTED1"
            pause("LISTED1", "PUBLISH")
            pause("JOIN", "JOIN1")
            with m.State("JOIN1"):
                # in front of those that share the run
                m.d.sync += settles.eq(1)
                m.d.sync += [heads.write_en.eq(1), heads.write.tsid.eq(command.tsid), heads.write.more.eq(1)]
                m.d.sync += [mate.eq(command.tsid), links.write.eq(heads.data), links.write_en.eq(1)]
                m.d.comb += comes.eq(1)
                m.d.sync += wants.eq(0)
                m.next = "IDLE"
            with m.State("PUBLISH"):
                m.d.comb += [
                    masks.start.eq(1),
                    masks.value.eq(pattern(entry, first=1, last=total == 1, contains=contains)),
                    bucket_write.en.eq(1),
                    bucket_write.data.eq(Cat(first, 1)),
                    equals.write.en.eq(1),
                    equals.write.data.eq(same_hash),
                ]
                m.d.sync += [heads.write_en.eq(1), heads.write.tsid.eq(command.tsid), heads.write.more.eq(0)]
                m.d.sync += settles.eq(1)
                m.d.comb += comes.eq(1)
                m.d.sync += self.steps_used.eq(self.steps_used + total)
                m.d.sync += view.containment.eq(view.containment | contains)
                m.d.sync += parting.eq(1)
                m.next = "IDLE"

            with m.State("ASK_REMOVE"):
                # names must not wait for documents once these wait for the change
                with m.If(~parting & namer.settled):
                    m.d.comb += commit.eq(1)
                    m.next = "ASKED"
            # a moment granted before must have passed
            pause("ASKED", "ASKED1")
            pause("ASKED1", "QUIET_REMOVE")
            with m.State("QUIET_REMOVE"):
                with m.If(view.quiet):
                    m.d.sync += [sweep.eq(0), removing.eq(1)]
                    m.next = "FOUND"
                    with m.If(command.op == CrtOp.CLEAR):
                        m.next = "RESET"
            with m.State("UNPIN_ALL"):
                # each name with visits is released when the other tables are empty and documents flow again
                m.d.sync += entry.name.eq(sweep)
                m.next = "UNPIN_ALL1"
            pause("UNPIN_ALL1", "UNPIN_ALL2")
            pause("UNPIN_ALL2", "UNPIN_ALL3")
            pause("UNPIN_ALL3", "UNPIN_ALL4")
            with m.State("UNPIN_ALL4"):
                m.d.comb += release.valid.eq(~none)
                with m.If(release.ready | none):
                    m.d.comb += visit.en.eq(1)
                    m.d.sync += sweep.eq(sweep + 1)
                    m.next = "UNPIN_ALL"
                    with m.If(sweep == config.names - 1):
                        m.next = "ANSWER"
            with m.State("FOUND"):
                run = runs.read[0].data
                m.d.sync += [first.eq(run.first), fronts.eq(run.length), command.semantics.eq(run.contains), bucket.eq(run.bucket)]
                m.d.comb += goes.eq(1)
                m.d.sync += mate.eq(command.tsid)
                m.next = "FOUND1"
            pause("FOUND1", "FOUND2")
            pause("FOUND2", "FOUND3")
            pause("FOUND3", "FOUND4")
            pause("FOUND4", "PART")
            with m.State("PART"):
                # out of the list of those that share the run; the last one takes the run with it
                m.d.sync += [shared.eq(1), leader.eq(heads.data.tsid), several.eq(heads.data.more), at_head.eq(1), onward.eq(links.data)]
                m.next = "PART0"
            with m.State("PART0"):
                m.next = "PART1"
                with m.If(leader == command.tsid):
                    m.next = "RELEASE"
                    with m.If(several):
                        m.d.sync += [heads.write_en.eq(1), heads.write.eq(onward)]
                    with m.Else():
                        m.d.sync += [shared.eq(0), self.steps_used.eq(self.steps_used - total)]
                        m.next = "FORGET"
            with m.State("PART1"):
                m.d.sync += mate.eq(leader)
                m.next = "PART2"
            pause("PART2", "PART3")
            pause("PART3", "PART4")
            with m.State("PART4"):
                m.d.sync += [leader.eq(links.data.tsid), several.eq(links.data.more)]
                m.next = "PART5"
            with m.State("PART5"):
                # ``mate`` comes before the next one; what points to ``mate`` is the head or the one before it
                m.d.sync += [before.eq(mate), at_head.eq(0)]
                m.next = "PART1"
                with m.If(leader == command.tsid):
                    m.next = "RELEASE"
                    with m.If(several):
                        m.d.sync += [links.write_en.eq(1), links.write.eq(onward)]
                    with m.Elif(at_head):
                        m.d.sync += [heads.write_en.eq(1), heads.write.tsid.eq(mate), heads.write.more.eq(0)]
                    with m.Else():
                        m.d.sync += [links.write_en.eq(1), links.write.eq(mate), mate.eq(before)]
            with m.State("FORGET"):
                # out of the chain of runs with this hash
                m.d.sync += other.eq(Cat(first, 1))
                m.next = "FORGET1"
            pause("FORGET1", "FORGET2")
            pause("FORGET2", "FORGET3")
            with m.State("FORGET3"):
                m.d.sync += [after.eq(equals.read[0].data), other.eq(same_hash)]
                m.next = "FORGET4"
            with m.State("FORGET4"):
                m.d.comb += bucket_write.data.eq(after)
                m.next = "CHASE"
                with m.If(other.step == first):
                    m.d.comb += bucket_write.en.eq(1)
                    m.next = "RELEASE"
            pause("CHASE", "CHASE1")
            pause("CHASE1", "CHASE2")
            with m.State("CHASE2"):
                m.d.sync += [chased.eq(equals.read[0].data), meets.eq(equals.read[0].data.step == first)]
                m.next = "CHASE3"
            with m.State("CHASE3"):
                m.d.comb += [equals.write.addr.eq(other.step), equals.write.data.eq(after)]
                m.next = "CHASE"
                with m.If(meets):
                    m.d.comb += equals.write.en.eq(1)
                    m.next = "RELEASE"
                with m.Else():
                    m.d.sync += other.eq(chased)

            with m.State("RELEASE"):
                # take back one bit after the other, of the table or of the stage
                with m.If(removing):
                    m.d.sync += [
                        entry.kind.eq(records.read[0].data.kind),
                        entry.name.eq(records.read[0].data.name),
                        entry.anyone.eq(records.read[0].data.anyone),
                        entry.stored.eq(0),
                        node.eq(step),
                    ]
                m.d.sync += fetch.eq(~removing)
                with m.If(index == total):
                    m.next = "RELEASED"
                with m.Elif(removing):
                    m.next = "ERASE"
                    with m.If(shared):
                        m.next = "KEEP"
                with m.Else():
                    m.next = "LEAVE"
            pause("KEEP", "KEEP1")
            pause("KEEP1", "KEEP2")
            pause("KEEP2", "KEEP3")
            with m.State("KEEP3"):
                # the run stays for others: one use less of its string, one visit less to its name
                m.d.sync += [entry.stored.eq(compared & ~nodes.read[0].data.number), entry.value.eq(terms.read[0].data.value)]
                m.next = "LEAVE3"
            with m.State("ERASE"):
                m.d.comb += [
                    records.write.addr.eq(step),
                    records.write.en.eq(1),
                    rows.start.eq(rowed),
                    masks.start.eq(1),
                    masks.value.eq(0),
                ]
                m.next = "ERASED"
            with m.State("ERASED"):
                with m.If(~rows.busy & ~masks.busy):
                    m.next = "LEAVE3"
                    with m.If(compared):
                        m.d.sync += [own.eq(nodes.read[0].data), unlisted.eq(nodes.read[0].data.number & numbers.read[0].data.nan)]
                        m.next = "UNLIST"
            with m.State("UNLIST"):
                m.d.sync += [entry.stored.eq(~own.number), entry.value.eq(terms.read[0].data.value)]
                m.d.sync += [entry.number.eq(own.number), entry.operator.eq(own.operator)]
                m.next = "UNLIST0"
                with m.If(unlisted):
                    m.next = "LEAVE3"
            pause("UNLIST0", "UNLIST1")
            with m.State("UNLIST1"):
                # out of its list, be it the first or further back
                m.d.sync += node.eq(head.step)
                m.next = "WALK"
                with m.If(by_value):
                    m.next = "UNHANG"
                with m.Elif(heads_list):
                    m.d.comb += relists.eq(1)
                    m.next = "LEAVE3"
            with m.State("UNHANG"):
                # the same, of the tests for its string
                m.d.comb += strings.relink.eq(1)
                with m.If(strings.idle):
                    m.next = "UNHUNG"
            with m.State("UNHUNG"):
                m.d.sync += node.eq(strings.head.step)
                with m.If(strings.relinked):
                    m.next = "WALK"
                    with m.If(strings.head.step == held_step):
                        m.next = "REHANG"
            with m.State("REHANG"):
                m.d.comb += [strings.relink.eq(1), strings.store.eq(1), strings.link.eq(own.next)]
                with m.If(strings.idle):
                    m.next = "REHUNG"
            with m.State("REHUNG"):
                m.d.comb += [strings.store.eq(1), strings.link.eq(own.next)]
                with m.If(strings.relinked):
                    m.next = "LEAVE3"
            pause("WALK", "WALK1")
            pause("WALK1", "WALK2")
            with m.State("WALK2"):
                m.d.sync += meets.eq(nodes.read[0].data.next.step == held_step)
                m.next = "WALK3"
            with m.State("WALK3"):
                m.d.comb += [nodes.write.addr.eq(node), nodes.write.data.eq(nodes.read[0].data), nodes.write.data.next.eq(own.next)]
                m.next = "WALK"
                with m.If(meets):
                    m.d.comb += nodes.write.en.eq(1)
                    m.next = "LEAVE3"
                with m.Else():
                    m.d.sync += node.eq(nodes.read[0].data.next.step)
            pause("LEAVE", "LEAVE0")
            pause("LEAVE0", "LEAVE1")
            pause("LEAVE1", "LEAVE2")
            pause("LEAVE2", "LEAVE3")
            with m.State("LEAVE3"):
                # one visit less; the last one releases the name
                gone = Signal()
                m.d.comb += [gone.eq(visited & lone), release.valid.eq(gone & ~entry.stored)]
                with m.If(entry.stored):
                    m.d.comb += strings.release.eq(strings.idle)
                    m.d.sync += entry.stored.eq(~strings.idle)
                with m.Elif(release.ready | ~gone):
                    m.d.comb += [
                        visit.data.visits.eq(record.visits - 1),
                        visit.data.marks.eq(Mux(lone, 0, record.marks)),
                        visit.en.eq(visited),
                    ]
                    m.d.sync += falls.eq(visited & (record.visits == HCD_VISITS + 1))
                    m.d.sync += index.eq(index + 1)
                    m.next = "LEFT"
            pause("LEFT", "LEFT1")
            pause("LEFT1", "RELEASE")
            with m.State("RELEASED"):
                m.d.sync += wants.eq(0)
                m.d.comb += empties.eq(removing & (self.registered == 0))
                with m.If(~removing):
                    is_full = Signal()
                    m.d.comb += is_full.eq(
                        (failed == refusal.FULL_STEPS) | (failed == refusal.FULL_NAMES) | (failed == refusal.FULL_VALUES)
                    )
                    m.d.sync += self.full.eq(is_full)
                m.next = "ANSWER"
            with m.State("ANSWER"):
                answer(failed, "IDLE")

        with m.If(fetch):
            m.d.sync += entry.eq(stage_read.data)

        # The names of a run are marked two clocks after its bits are set, when their records have been read.
        sound = entry.number & ~entry.key.nan
        names_one = (entry.kind != Kind.WILD) & ~entry.anyone
        m.d.sync += [occupied.eq(Const(1, config.slices) << first[bit_bits:]), occupies.eq(Cat(building & names_one, occupies))]
        with m.If(occupies[1]):
            marked = visit.data.marks
            m.d.comb += [
                visit.data.visits.eq(record.visits),
                marked.eq(record.marks),
                marked.slices.eq(record.marks.slices | (occupied & rowed.replicate(config.slices))),
                *(marked.strings[name].eq(record.marks.strings[name] | (mine & ~entry.number)) for name, mine in subjects.items()),
                *(marked.numbers[name].eq(record.marks.numbers[name] | (mine & sound)) for name, mine in subjects.items()),
                visit.en.eq(1),
            ]
        with m.If(building & entry.anyone):
            for name, mine in subjects.items():
                m.d.sync += [
                    view.any_marks.strings[name].eq(view.any_marks.strings[name] | (mine & ~entry.number)),
                    view.any_marks.numbers[name].eq(view.any_marks.numbers[name] | (mine & sound)),
                ]
        with m.If(building & (index == 0) & (entry.kind == Kind.WILD)):
            m.d.sync += view.wild.eq(view.wild | (Const(1, config.slices) << first[bit_bits:]))
        # An empty table forgets how far it was filled.
        with m.If(empties):
            m.d.sync += [view.wild.eq(0), view.containment.eq(0), view.texts.eq(0), view.any_marks.eq(0)]
        return m
