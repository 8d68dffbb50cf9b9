"""The contract between the hardware, the golden model, the host driver and the vector jobs.

Every code, frame format and register offset lives in this package and nowhere else; the tables of the documentation are
generated from it. It uses the standard library only, so that anything may import it.
"""

from hdl.contract.codes import (
    CONTRACT_VERSION,
    INDEX_MAX,
    WORD_BYTES,
    Code,
    Content,
    Format,
    Language,
    Refusal,
    Semantics,
    Verdict,
    WordClass,
    WordType,
)
from hdl.contract.frames import PARTS, VERSION_BITS, Frame, Header, Kind, Part, VerdictBody, attach, detach
from hdl.contract.identity import FrameError, OSid, VersionError
from hdl.contract.messages import Message, Property, PropertyType
from hdl.contract.registers import COUNTERS, IDENTITY, REGISTER_WORDS, REGISTERS, Access, BusError, Field, Register, register
from hdl.contract.routing import Criterion, Mode, Policy, Sampling
from hdl.contract.segments import Segment, SegmentKind

__all__ = [
    "COUNTERS",
    "VersionError",
    "Sampling",
    "PropertyType",
    "Property",
    "Policy",
    "Part",
    "Mode",
    "Message",
    "Language",
    "Format",
    "Criterion",
    "PARTS",
    "CONTRACT_VERSION",
    "IDENTITY",
    "INDEX_MAX",
    "REGISTERS",
    "REGISTER_WORDS",
    "VERSION_BITS",
    "WORD_BYTES",
    "Access",
    "BusError",
    "Code",
    "Content",
    "Field",
    "Frame",
    "FrameError",
    "Header",
    "Kind",
    "OSid",
    "Refusal",
    "Register",
    "Segment",
    "SegmentKind",
    "Semantics",
    "Verdict",
    "VerdictBody",
    "WordClass",
    "WordType",
    "attach",
    "detach",
    "register",
]
