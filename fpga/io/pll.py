"""The PLL of an ECP5: a clock of a wanted frequency from a board's oscillator."""

from dataclasses import dataclass

from amaranth.hdl import Instance, Signal

__all__ = ["PllSettings", "pll_instance", "pll_settings"]

_PHASE_MHZ = (3.125, 400)
_OSCILLATOR_MHZ = (400, 800)
_TOLERANCE = 0.01


@dataclass(frozen=True)
class PllSettings:
    """Dividers of an EHXPLLL whose feedback is its first output; ``mhz`` is what they give."""

    input_mhz: float
    reference: int
    feedback: int
    output: int

    @property
    def mhz(self) -> float:
        return self.input_mhz * self.feedback / self.reference


def pll_settings(input_mhz: float, mhz: float) -> PllSettings:
    """The settings whose frequency comes nearest, within 1 %."""
    best: PllSettings | None = None
    for reference in range(1, 129):
        if not _PHASE_MHZ[0] <= input_mhz / reference <= _PHASE_MHZ[1]:
            continue
        feedback = round(mhz * reference / input_mhz)
        if not 1 <= feedback <= 80:
            continue
        outputs = [d for d in range(1, 129) if _OSCILLATOR_MHZ[0] <= input_mhz * feedback / reference * d <= _OSCILLATOR_MHZ[1]]
        if not outputs:
            continue
        found = PllSettings(input_mhz, reference, feedback, outputs[len(outputs) // 2])
        if best is None or abs(found.mhz - mhz) < abs(best.mhz - mhz):
            best = found
    if best is None or abs(best.mhz / mhz - 1) > _TOLERANCE:
        raise ValueError(f"mhz must be a frequency that {input_mhz} MHz can give within 1 %, not {mhz!r}")
    return best


def pll_instance(settings: PllSettings, *, i, o, locked) -> Instance:
    """The PLL between two clock signals."""
    return Instance(
        "EHXPLLL",
        p_PLLRST_ENA="DISABLED",
        p_INTFB_WAKE="DISABLED",
        p_STDBY_ENABLE="DISABLED",
        p_DPHASE_SOURCE="DISABLED",
        p_OUTDIVIDER_MUXA="DIVA",
        p_OUTDIVIDER_MUXB="DIVB",
        p_OUTDIVIDER_MUXC="DIVC",
        p_OUTDIVIDER_MUXD="DIVD",
        p_CLKI_DIV=settings.reference,
        p_CLKOP_ENABLE="ENABLED",
        p_CLKOP_DIV=settings.output,
        p_CLKOP_CPHASE=settings.output - 1,
        p_CLKOP_FPHASE=0,
        p_FEEDBK_PATH="CLKOP",
        p_CLKFB_DIV=settings.feedback,
        a_FREQUENCY_PIN_CLKI=str(settings.input_mhz),
        a_FREQUENCY_PIN_CLKOP=str(settings.mhz),
        a_ICP_CURRENT="12",
        a_LPF_RESISTOR="8",
        a_MFG_ENABLE_FILTEROPAMP="1",
        a_MFG_GMCREF_SEL="2",
        i_RST=Signal(name="pll_rst"),
        i_STDBY=Signal(name="pll_stdby"),
        i_CLKI=i,
        i_CLKFB=o,
        i_PHASESEL0=0,
        i_PHASESEL1=0,
        i_PHASEDIR=1,
        i_PHASESTEP=1,
        i_PHASELOADREG=1,
        i_PLLWAKESYNC=0,
        i_ENCLKOP=0,
        o_CLKOP=o,
        o_LOCK=locked,
    )
