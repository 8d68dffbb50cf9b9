"""The native yosys of pyosys behind the part of yosys's command line that sby uses: ``yosys.py -ql LOG SCRIPT``."""

import sys

from pyosys import libyosys


def main(arguments: list[str]) -> int:
    """Run a script, with its output in a log only."""
    if len(arguments) != 3 or arguments[0] != "-ql":
        print(f"arguments must be -ql LOG SCRIPT, not {' '.join(arguments)}", file=sys.stderr)
        return 2
    _, log, script = arguments
    libyosys.run_pass(f"tee -q -o {log} script {script}", libyosys.Design())
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
