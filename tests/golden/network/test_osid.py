"""o-SIDs byte by byte, for BIDs of every width of interest."""

import pytest

from hdl.contract import FrameError
from hdl.contract import OSid as ContractOSid
from sim.golden.network.osid import Layout, OSid


@pytest.mark.parametrize(
    ("bid_bits", "data"),
    [(8, "0501020000000000"), (4, "0512000000000000"), (2, "0560000000000000"), (7, "0502080000000000")],
)
def test_bytes_of_5_1_2(bid_bits: int, data: str) -> None:
    layout = Layout(bid_bits)
    assert layout.pack(OSid(5, (1, 2))).hex() == data
    assert layout.unpack(bytes.fromhex(data)) == OSid(5, (1, 2))


@pytest.mark.parametrize(
    ("osid", "bid_bits", "data"),
    [
        (OSid(255), 8, "ff00000000000000"),
        (OSid(0, (255,) * 7), 8, "00ffffffffffffff"),
        (OSid(7, tuple(range(1, 8))), 8, "0701020304050607"),
        (OSid(7, tuple(range(1, 15))), 4, "07123456789abcde"),
        (OSid(1, (1, 2, 3) * 9 + (1,)), 2, "016db6db6db6db6d"),
    ],
)
def test_bytes(osid: OSid, bid_bits: int, data: str) -> None:
    layout = Layout(bid_bits)
    assert layout.pack(osid).hex() == data
    assert layout.unpack(bytes.fromhex(data)) == osid


def test_eight_bits_are_those_of_the_contract() -> None:
    for path in ((), (1,), (9, 200, 3), tuple(range(1, 8))):
        assert Layout().pack(OSid(5, path)) == ContractOSid(5, path).pack()


@pytest.mark.parametrize(
    ("bid_bits", "bits", "brokers", "highest"), [(8, 64, 7, 255), (4, 64, 14, 15), (2, 64, 28, 3), (7, 64, 8, 127), (2, 10, 1, 3)]
)
def test_brokers_on_a_path(bid_bits: int, bits: int, brokers: int, highest: int) -> None:
    layout = Layout(bid_bits, bits)
    assert (layout.brokers, layout.carried, layout.highest) == (brokers, brokers - 1, highest)


def test_second_byte_null_is_local() -> None:
    for bid_bits in (2, 4, 8):
        assert Layout(bid_bits).pack(OSid(9))[1] == 0
        assert Layout(bid_bits).pack(OSid(9, (1,)))[1] != 0


def test_push_last_strip() -> None:
    osid = OSid(3).push(1).push(2)
    assert (osid, osid.last, osid.origin, osid.local) == (OSid(3, (1, 2)), 2, 1, False)
    assert osid.strip().strip() == OSid(3)
    assert (OSid(3).last, OSid(3).origin, OSid(3).local, OSid(0, (1,)).sample) == (0, 0, True, True)
    assert str(OSid(0, (1, 2))) == "{0|1,2}"


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Layout(1), "bid_bits must be 2 to 8, not 1"),
        (lambda: Layout(8, 72), "bits must be 10 to 64, not 72"),
        (lambda: Layout(5), "bits must be 8 more than a multiple of the 5 bits of a BID, not 64"),
        (lambda: Layout().pack(OSid(256)), "sid must be 0 to 255, not 256"),
        (lambda: Layout().pack(OSid(1, (1,) * 8)), "path must have at most 7 brokers, not 8"),
        (lambda: Layout(4).pack(OSid(1, (16,))), "a broker identity must be 1 to 15, not 16"),
        (lambda: Layout().pack(OSid(1, (0,))), "a broker identity must be 1 to 255, not 0"),
        (lambda: Layout().unpack(b"1"), "an o-SID must have 8 bytes, not 1"),
        (lambda: Layout(4).unpack(bytes.fromhex("0510200000000000")), "an o-SID's brokers must come without gaps, not 0510200000000000"),
    ],
)
def test_bad_parameters(call: object, message: str) -> None:
    assert callable(call)
    with pytest.raises((ValueError, FrameError), match=f"^{message}$"):
        call()
