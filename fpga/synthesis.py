"""Synthesis for ECP5: the passes of yosys that every build, measurement and test of the netlist runs."""

__all__ = ["legal_registers", "passes", "script"]

_DELAY = 7000
"""Picoseconds that look-up tables and the wires between them may take from register to register; what is faster is made smaller instead."""

_MAP = "&if {W} {D} {R} -C 24 -A 4 -F 4; &save; &load; "
_ROUND = f"&st; &if -g -K 6; &dch -f -C 500; {_MAP}&st; &if -g -K 6; &synch2; {_MAP}"
_SMALL = f"+&scorr; &sweep; &if {{W}} {{D}}; &save; &st; &syn2; {_MAP}{3 * _ROUND}&mfs"
"""Mapping for area: abc9's own flow3 with its rounds three times and more cuts. Its ``{C}``, which yosys leaves as it stands in a script
of one's own, would end the options of ``&if`` before the delays."""

_CARRIED = 6
"""Bits from which on a sum is worth carry cells: they come in pairs, and one more turns the carry out."""

_RESET, _ENABLE = 8, 2
"""Flip-flops from which on a reset and an enable of their own are worth it: those of a tile share a reset, those of a slice an enable."""

_WIRE = 1000
"""Picoseconds from one look-up table to the next, as nextpnr finds them; yosys would count 300."""


def legal_registers(*, resets: int = 1, enables: int = 1) -> str:
    """The pass that makes the flip-flops those of the device; resets and enables of fewer than these are made of look-up tables."""
    kinds = {"DFF_?": "01", "DFF_?P?": "r", "SDFF_?P?": "r", "DFFE_??": "01", "DFFE_?P??": "r", "SDFFE_?P??": "r"}
    cells = " ".join(f"-cell $_{kind}_ {begins}" for kind, begins in kinds.items())
    return f"dfflegalize -minsrst {resets} -mince {enables} {cells}"


def passes(name: str, *, top: str = "top", fast: bool = False) -> list[str]:
    """From ``name.il`` to ``name.json``; the cells are counted in ``name.stat``. ``fast`` maps for short paths instead of for area."""
    small = [f"scratchpad -set abc9.D {_DELAY}", f'scratchpad -set abc9.script "{_SMALL}"']
    # Constants are compared, and short sums made, with look-up tables alone; and no table of five inputs, whose halves must lie side by
    # side, stands in the way of filling a device to the last places.
    synthesis = f"synth_ecp5 -abc9 -nowidelut -cmp2softlogic -top {top}"
    mapped = [
        f"{synthesis} -run begin:map_gates",
        f"techmap -map +/techmap.v t:$alu r:Y_WIDTH<{_CARRIED} %i",
        f"{synthesis} -run map_gates:map_ffs",
        "opt_clean",
        legal_registers(resets=_RESET, enables=_ENABLE),
        f"{synthesis} -run map_ffs: -json {name}.json",
    ]
    return [
        f"read_rtlil {name}.il",
        f"hierarchy -top {top}",
        "proc",
        "flatten",
        # The names that Amaranth gives to the members of arrays would clash with those of bits.
        "opt_clean -purge",
        # A flip-flop for each state: yosys leaves state machines alone that begin with the configuration of the device. These begin with a
        # reset, which every clock domain has.
        "setattr -unset init w:*fsm_state*",
        'setattr -set fsm_encoding "one-hot" w:*fsm_state*',
        *([] if fast else small),
        *([f"synth_ecp5 -abc9 -top {top} -json {name}.json"] if fast else mapped),
        f"tee -q -o {name}.stat stat -json",
    ]


def script(name: str, *, top: str = "top", fast: bool = False) -> str:
    """A program for Python that runs the passes in the current folder."""
    lines = passes(name, top=top, fast=fast)
    # The pass scratchpad refuses to set this one.
    wire = f"d.scratchpad_set_string('synth_lattice.abc9.W', '{_WIRE}')\n"
    return f"from pyosys import libyosys as ys\nd = ys.Design()\n{wire}for line in {lines!r}:\n    ys.run_pass(line, d)\n"
