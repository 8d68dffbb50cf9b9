"""The commands: what they print for people and machines, every error in a sentence, and the exit statuses."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any
from xml.parsers import expat

import pytest
from typer.testing import CliRunner, Result

from hdl.config import PRESETS, BrokerConfig
from hdl.contract import Code, Refusal, Semantics
from sim import engines
from sim.cli import app, inputs
from sim.cli.commands import Meaning, Preset
from sim.interface import EngineError, Filtered, FilterResult, ParseResult, Refused

ROOT = Path(__file__).parent.parent
STOCK = b'<quotes><stock symbol="IBM" price="112.5"><note>high</note></stock><stock symbol="SUN" price="7"/></quotes>'


def run(*arguments: object) -> Result:
    return CliRunner(env={"COLUMNS": "200", "NO_COLOR": "1"}).invoke(app, [str(argument) for argument in arguments], prog_name="x2cbbr")


def lines(result: Result) -> list[dict[str, Any]]:
    assert result.exit_code == 0, result.output
    return [json.loads(line) for line in result.stdout.splitlines()]


def refused_sentence(result: Result, *, status: int = 2) -> str:
    """The one line on standard error of a command that failed, with nothing on standard output."""
    assert (result.exit_code, result.stdout) == (status, "")
    assert result.stderr.count("\n") == 1
    assert result.stderr.startswith("x2cbbr: ")
    assert result.stderr.endswith(".\n")
    return result.stderr[len("x2cbbr: ") : -1]


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Writes a file into the directory that the command runs in; gives its relative path."""
    monkeypatch.chdir(tmp_path)

    def write(name: str, content: bytes | str) -> Path:
        path = Path(name)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write


# parse


def test_parse_json_has_one_object_a_file(write: Any) -> None:
    good, bad = write("good.xml", STOCK), write("bad.xml", b"<a>\n<b></a>")
    wide, deep = write("wide.xml", "<é/>".encode("utf-16")), write("deep.xml", b"<d>" * 33 + b"</d>" * 33)
    result = run("parse", "--json", good, bad, wide, deep)
    assert lines(result) == [
        {"file": "good.xml", "verdict": "well-formed", "code": None, "offset": None, "bytes": len(STOCK), "cycles": None},
        {"file": "bad.xml", "verdict": "not-well-formed", "code": "mismatched-end", "offset": 10, "bytes": 11, "cycles": None},
        {"file": "wide.xml", "verdict": "unsupported", "code": "utf16", "offset": 0, "bytes": 10, "cycles": None},
        {"file": "deep.xml", "verdict": "over-limit", "code": "depth", "offset": 97, "bytes": 33 * 7, "cycles": None},
    ]
    assert [list(line) for line in lines(result)] == [["file", "verdict", "code", "offset", "bytes", "cycles"]] * 4


def test_parse_table_says_where(write: Any) -> None:
    result = run("parse", write("good.xml", STOCK), write("bad.xml", "<a>é\n<ü></a>"))
    assert result.exit_code == 0
    good, bad = (line for line in result.stdout.splitlines() if ".xml" in line)
    assert "well-formed" in good
    assert "not-well-formed" in bad
    assert "mismatched-end" in bad
    assert "13 (line 2, column 7)" in bad


def test_preset_changes_the_limits(write: Any) -> None:
    deep = write("deep.xml", b"<d>" * 33 + b"</d>" * 33)
    assert [line["verdict"] for line in lines(run("parse", "--json", "--preset", "large", deep))] == ["well-formed"]


def test_words_are_shown_when_asked_for(write: Any) -> None:
    path = write("a.xml", b'<abcde f="1">x</abcde>')
    assert lines(run("parse", "--json", "--words", path))[0]["words"] == [
        ["element", 0, b"abcd".hex()],
        ["element", 1, b"e".hex()],
        ["attribute", 0, b"f".hex()],
        ["value", 0, b"1".hex()],
        ["text", 0, b"x".hex()],
        ["end", 0, ""],
    ]
    assert "61 62 63 64" in run("parse", "--words", path).stdout


def test_empty_file_gets_a_verdict(write: Any) -> None:
    (found,) = lines(run("parse", "--json", write("empty.xml", b"")))
    assert (found["verdict"], found["code"], found["offset"], found["bytes"]) == ("not-well-formed", "no-root", 0, 0)


def test_results_come_in_order_over_several_batches(write: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inputs, "BATCH_FILES", 3)
    monkeypatch.setattr(inputs, "BATCH_BYTES", 40)
    paths = [write(f"{size}.xml", b"<a>" + b"x" * size + b"</a>") for size in (1, 90, 2, 3, 4, 5, 6)]
    subscriptions = write("s", "//a\n/a[\n")
    assert [line["bytes"] for line in lines(run("parse", "--json", *paths))] == [8, 97, 9, 10, 11, 12, 13]
    refused, *found = lines(run("filter", "--json", "--subscriptions", subscriptions, *paths))
    assert refused == {"sid": 2, "refused": "unterminated"}
    assert [line["matches"] for line in found] == [[1]] * 7


# filter


def test_filter_json(write: Any) -> None:
    subscriptions = write(
        "subs", '# quotes\n\n//stock[@price > 100]\r\n40\t/quotes/stock[@symbol="SUN"]\n//bond\n  # done\n//stock[. = "high"]\n'
    )
    good, bad = write("good.xml", STOCK), write("bad.xml", STOCK[:-1])
    found = lines(run("filter", "--subscriptions", subscriptions, "--json", good, bad))
    assert found == [
        {"file": "good.xml", "verdict": "well-formed", "code": None, "offset": None, "bytes": 107, "cycles": None, "matches": [1, 4, 40]},
        {"file": "bad.xml", "verdict": "not-well-formed", "code": "unclosed", "offset": 106, "bytes": 106, "cycles": None, "matches": []},
    ]


def test_filter_table(write: Any) -> None:
    result = run("filter", "-s", write("subs", "//stock\n//bond\n//*\n"), write("good.xml", STOCK))
    assert result.exit_code == 0
    (row,) = (line for line in result.stdout.splitlines() if "good.xml" in line)
    assert "1, 3" in row


def test_semantics(write: Any) -> None:
    subscriptions, path = write("subs", "/price/stock\n"), write("good.xml", STOCK)
    exact = lines(run("filter", "--json", "-s", subscriptions, path))
    contained = lines(run("filter", "--json", "-s", subscriptions, "--semantics", "containment", path))
    assert [exact[0]["matches"], contained[0]["matches"]] == [[], [1]]


def test_long_number_is_over_the_limit_where_it_is_compared(write: Any) -> None:
    path = write("long.xml", b'<a n="1234567890123456"/>')
    (found,) = lines(run("filter", "--json", "-s", write("subs", "//a[@n=1]\n"), path))
    assert (found["verdict"], found["code"], found["offset"], found["matches"]) == ("over-limit", "number-digits", None, [])
    (found,) = lines(run("filter", "--json", "-s", write("subs", "//a[@n]\n"), path))
    assert (found["verdict"], found["matches"]) == ("well-formed", [1])


@pytest.mark.parametrize(
    ("xpath", "code", "caret"),
    [
        ("//stock[position()=2]", "function", 8),
        ("//é[@ü='ö' or @b]", "operator", 11),
        ("/quotes/stock[", "unterminated", 14),
        ("/quotes/..", "axis", 8),
        ("//stock[1]", "position", 8),
        ("//stock[.='x']/note", "text-test", 14),
        ("//日本[0]", "position", 5),
    ],
)
def test_bad_xpath_is_refused_with_a_caret(write: Any, xpath: str, code: str, caret: int) -> None:
    subscriptions, path = write("subs", f"12\t{xpath}\n//stock\n"), write("good.xml", STOCK)
    result = run("filter", "--subscriptions", subscriptions, path)
    sentence, shown, pointer = result.stderr.splitlines()
    assert result.exit_code == 0
    assert sentence == f"subscription 12 is refused ({code}): {Refusal[code.upper().replace('-', '_')].sentence}"
    assert shown == "    " + xpath
    wide = sum(character in "日本" for character in xpath[:caret])
    assert pointer == " " * (4 + caret + wide) + "^"
    assert "2" in result.stdout
    refused, found = lines(run("filter", "--json", "--subscriptions", subscriptions, path))
    assert refused == {"sid": 12, "refused": code}
    assert found["matches"] == [2]


def test_more_subscriptions_than_the_table_holds(write: Any) -> None:
    limit = PRESETS["default"].subscriptions
    subscriptions, path = write("subs", "//stock\n" * (limit + 2)), write("good.xml", STOCK)
    *refused, found = lines(run("filter", "--json", "-s", subscriptions, path))
    assert refused == [{"sid": limit + more, "refused": "full-subscriptions"} for more in (1, 2)]
    assert found["matches"] == list(range(1, limit + 1))
    result = run("filter", "-s", subscriptions, path)
    assert "^" not in result.stderr
    assert f"{limit}: 1, 2," in result.stdout


# errors


def test_missing_file(write: Any) -> None:
    result = run("parse", "--json", write("good.xml", STOCK), "gone.xml")
    assert refused_sentence(result) == "the file 'gone.xml' does not exist; check the path."


def test_directory(write: Any) -> None:
    Path("folder").mkdir()
    assert "'folder' is a directory; name the files in it" in refused_sentence(run("parse", "folder"))


def test_unreadable_file(write: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write("secret.xml", STOCK)

    def denied(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", denied)
    assert refused_sentence(run("parse", path)) == "the file 'secret.xml' may not be read; check its permissions."


def test_file_behind_a_loop_of_links(write: Any) -> None:
    Path("loop").symlink_to("loop")
    assert "'loop' cannot be read" in refused_sentence(run("filter", "-s", write("subs", "//a"), "loop"))


def test_unknown_engine(write: Any) -> None:
    path = write("good.xml", STOCK)
    sentence = refused_sentence(run("parse", "--engine", "abacus", path))
    assert sentence == f"there is no engine 'abacus'; choose one of {', '.join(engines.ENGINES)}."
    assert refused_sentence(run("filter", "--engine", "abacus:7", "-s", "subs", path)).startswith("there is no engine 'abacus:7'")


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "the subscriptions file 'subs' has no subscription; write one XPath, or 'language: text', a line."),
        (b"# nothing\n\n", "the subscriptions file 'subs' has no subscription; write one XPath, or 'language: text', a line."),
        (b"//a\n//\xff\n", "the subscriptions file 'subs' is not UTF-8 (byte 6); save it as UTF-8."),
        (b"3\t//a\n//b\n3\t//c\n", "subs line 3: SID 3 is taken by line 1; give every subscription a SID of its own, or none of them."),
        (b"2\t//a\n//b\n", "subs line 2: SID 2 is taken by line 1; give every subscription a SID of its own, or none of them."),
    ],
)
def test_unusable_subscriptions_file(write: Any, content: bytes, sentence: str) -> None:
    result = run("filter", "--json", "--subscriptions", write("subs", content), write("good.xml", STOCK))
    assert refused_sentence(result) == sentence


@pytest.mark.parametrize("sid", ["x", "0", "-1", "4294967296", "1 2", "²"])
def test_bad_sid(write: Any, sid: str) -> None:
    result = run("filter", "--json", "--subscriptions", write("subs", f"# one\n{sid}\t//a\n"), write("good.xml", STOCK))
    wanted = f"subs line 2: the SID before the tab must be a number from 1 to 4294967295, not {sid!r}"
    assert refused_sentence(result) == f"{wanted}; a line is 'XPath' or 'SID<TAB>XPath'."


def test_missing_subscriptions_file(write: Any) -> None:
    result = run("filter", "--subscriptions", "gone", write("good.xml", STOCK))
    assert refused_sentence(result) == "the subscriptions file 'gone' does not exist; check the path."


def test_byte_order_mark_of_a_subscriptions_file_is_no_part_of_it(write: Any) -> None:
    (found,) = lines(run("filter", "--json", "-s", write("subs", b"\xef\xbb\xbf//stock\n"), write("good.xml", STOCK)))
    assert found["matches"] == [1]


@pytest.mark.parametrize("arguments", ["parse", "filter a.xml", "parse --preset huge a.xml", "shout", "parse --jsn a"])
def test_usage_errors(arguments: str) -> None:
    result = run(*arguments.split())
    assert (result.exit_code, result.stdout) == (2, "")
    assert "Traceback" not in result.stderr


# engines


class Clocked:
    """An engine with a clock, made up to see that the commands take whatever an engine gives."""

    def __init__(self, config: BrokerConfig, *, argument: str = "50") -> None:
        self._cycles = int(argument)

    def parse(self, documents: list[bytes], *, words: bool = False) -> list[ParseResult]:
        return [ParseResult(Code.OK, None, len(document), cycles=self._cycles) for document in documents]

    def filter(self, subscriptions: list[Any], documents: list[bytes]) -> FilterResult:
        if not documents[0]:
            raise EngineError("the simulator stopped", hint="see its log")
        refused = tuple(Refused(one, Refusal.FULL_NAMES) for one in subscriptions[1:])
        return FilterResult(refused, tuple(Filtered(one, (subscriptions[0].sid,)) for one in self.parse(documents)))


@pytest.fixture
def clocked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engines, "ENGINES", {**engines.ENGINES, "clocked": f"{__name__}:Clocked"})


@pytest.mark.usefixtures("clocked")
def test_an_engine_joins_without_touching_the_commands(write: Any) -> None:
    path, subscriptions = write("good.xml", STOCK), write("subs", "5\t//a\n6\t//b\n")
    assert lines(run("parse", "--json", "--engine", "clocked:30", path))[0]["cycles"] == 30
    assert "2.14" in run("parse", "--engine", "clocked", path).stdout
    refused, found = lines(run("filter", "--json", "--engine", "clocked", "-s", subscriptions, path))
    assert refused == {"sid": 6, "refused": "full-names"}
    assert (found["cycles"], found["matches"]) == (50, [5])
    result = run("filter", "--engine", "clocked", "-s", subscriptions, path)
    assert result.stderr == "subscription 6 is refused (full-names): the name table is full\n    //b\n"


@pytest.mark.usefixtures("clocked")
def test_an_engine_that_breaks_down_is_no_usage_error(write: Any) -> None:
    result = run("filter", "--json", "--engine", "clocked", "-s", write("subs", "//a"), write("empty.xml", b""))
    assert refused_sentence(result, status=1) == "the simulator stopped; see its log."


# config, and the program itself


def test_options_offer_every_preset_and_semantics() -> None:
    assert [one.value for one in Preset] == list(PRESETS)
    assert [one.name for one in Meaning] == [one.name for one in Semantics]


def test_config_prints_the_active_limits() -> None:
    (found,) = lines(run("config", "--json", "--preset", "large"))
    assert (found["preset"], found["subscriptions"], found["depth"]) == ("large", 1024, 64)
    table = run("config").stdout
    assert "255" in table
    assert "subscription_steps" in table


def test_the_installed_program(tmp_path: Path) -> None:
    path = tmp_path / "a.xml"
    path.write_bytes(b"<a/>")
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONWARNINGS": "error"}
    command = [sys.executable, "-m", "sim.cli", "parse", "--json", str(path)]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout)["verdict"] == "well-formed"
    assert done.stderr == ""
    missing = subprocess.run([*command, "gone"], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert (missing.returncode, missing.stdout) == (2, "")
    assert "Traceback" not in missing.stderr


def test_examples_of_the_readme() -> None:
    """The commands that the README shows print what it shows."""
    found = 0
    for block in re.findall(r"```console\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL):
        for command, shown in re.findall(r"^\$ \.venv/bin/x2cbbr (.*)\n((?:[^$].*\n)*)", block, re.MULTILINE):
            arguments = [sys.executable, "-m", "sim.cli", *command.split()]
            done = subprocess.run(arguments, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=True)
            assert done.stdout == shown
            found += 1
    assert found == 2


def expat_accepts(data: bytes) -> bool:
    parser = expat.ParserCreate(namespace_separator=" ")
    try:
        parser.Parse(data, True)
    except expat.ExpatError:
        return False
    return True


def test_verdicts_equal_expat_on_real_documents(write: Any) -> None:
    """Of Debian's packages, small files of each: whether they are well-formed, and what the simplest subscriptions match."""
    folders = ("mime/packages", "X11/xkb/rules", "xml/iso-codes", "osinfo")
    found = {name: sorted((Path("/usr/share") / name).rglob("*.xml"), key=lambda path: (path.stat().st_size, path)) for name in folders}
    assert all(found.values())
    paths = [path for files in found.values() for path in files[:: max(1, len(files) // 40)] if path.stat().st_size < 300_000]
    subscriptions = write("subs", "//*\n/no-such-name\n")
    judged = 0
    for line in lines(run("filter", "--json", "--engine", "model", "--preset", "large", "--subscriptions", subscriptions, *paths)):
        assert line["verdict"] in ("well-formed", "not-well-formed", "unsupported")
        if line["verdict"] != "unsupported":
            assert (line["verdict"] == "well-formed") == expat_accepts(Path(line["file"]).read_bytes()), line
            assert line["matches"] == ([1] if line["verdict"] == "well-formed" else [])
            judged += 1
    assert judged > 40
