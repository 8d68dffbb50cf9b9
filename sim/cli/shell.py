"""The interactive prompt: one broker, and what is asked of it."""

import cmd
import shlex
import sys
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

from fpga.host.broker import Broker, BrokerError, Notification, Refused
from fpga.host.link import LinkError
from fpga.host.transport import TransportError
from hdl.contract import Code, Content, Semantics

__all__ = ["Shell"]

_SHOWN = 60


class Shell(cmd.Cmd):
    """Commands for a broker; ``help`` lists them. It ends with the input or with ``quit``."""

    intro = "An empty broker. 'help' lists the commands."
    prompt = "x2cbbr> "

    def __init__(self, broker: Broker, *, stdin: IO[str] | None = None, stdout: IO[str] | None = None) -> None:
        super().__init__(stdin=stdin, stdout=stdout)
        self.use_rawinput = stdin is None and sys.stdin.isatty()
        if not self.use_rawinput:
            self.prompt = ""
        self._broker = broker

    def _say(self, text: str) -> None:
        print(text, file=self.stdout)

    def onecmd(self, line: str) -> bool:
        try:
            return bool(super().onecmd(line))
        except Refused as refused:
            self._say(str(refused))
        except (BrokerError, LinkError, TransportError) as error:
            self._say(f"{error}; 'reset' begins a new session")
        except (OSError, ValueError) as error:
            self._say(f"that cannot be done: {error}")
        return False

    def emptyline(self) -> bool:
        return False

    def default(self, line: str) -> None:
        if line == "EOF":
            return
        self._say(f"there is no command {line.split()[0]!r}; 'help' lists them")

    def do_subscribe(self, xpath: str) -> None:
        """subscribe XPATH             register a subscription; the whole publication is sent with each notification"""
        self._subscribe(xpath, Semantics.EXACT)

    def do_contains(self, xpath: str) -> None:
        """contains XPATH              register a subscription with containment semantics"""
        self._subscribe(xpath, Semantics.CONTAINMENT)

    def _subscribe(self, xpath: str, semantics: Semantics) -> None:
        found = self._broker.subscribe(xpath, semantics=semantics, content=Content.WHOLE)
        self._say(f"{found.reference}: {xpath}")

    def do_unsubscribe(self, number: str) -> None:
        """unsubscribe NUMBER          cancel a subscription"""
        for one in self._broker.subscriptions:
            if str(one.reference) == number.strip():
                self._broker.unsubscribe(one)
                self._say(f"{one.reference}: cancelled")
                return
        self._say(f"there is no subscription {number.strip()!r}; 'list' lists them")

    def do_list(self, _: str) -> None:
        """list                        the subscriptions"""
        for one in self._broker.subscriptions:
            self._say(f"{one.reference}: {one.xpath}")

    def do_publish(self, files: str) -> None:
        """publish FILE...             publish files, and show what is notified"""
        for name in shlex.split(files):
            self._publish(name, Path(name).read_bytes())

    def do_xml(self, text: str) -> None:
        """xml TEXT                    publish the text itself"""
        self._publish("document", text.encode())

    def _publish(self, name: str, document: bytes) -> None:
        outcome = self._broker.publish(document)
        where = "" if outcome.code is Code.OK else f" ({outcome.code.text} at byte {outcome.offset}: {outcome.code.sentence})"
        self._say(f"{name}: {outcome.verdict.text}{where}, {outcome.bytes} bytes, {outcome.matches} matches")
        for note in self._broker.notifications(count=outcome.matches):
            self._show(note)

    def _show(self, note: Notification) -> None:
        body = note.body.decode("utf-8", "replace").replace("\n", " ")
        body = body if len(body) <= _SHOWN else body[:_SHOWN] + "..."
        where = f"subscription {note.reference}, publication {note.publication}, link {note.link}"
        self._say(f"  {where}: {note.content.name.lower()} {body}".rstrip())

    def do_watch(self, seconds: str) -> None:
        """watch [SECONDS]             show notifications that come in the meantime"""
        for note in self._broker.notifications(timeout=float(seconds or 1)):
            self._show(note)

    def do_skeleton(self, names: str) -> None:
        """skeleton NAME...            let the parser know names beforehand"""
        wanted = names.split()
        self._say(f"{self._broker.configure_skeleton(wanted)} of {len(wanted)} names found room")

    def do_counters(self, _: str) -> None:
        """counters                    what the broker has counted"""
        for name, count in self._broker.counters().items():
            self._say(f"{name:<16} {count}")

    def do_limits(self, _: str) -> None:
        """limits                      what the broker was built with"""
        self._say(str(self._broker.config))

    def do_clear(self, _: str) -> None:
        """clear                       remove every subscription"""
        self._broker.clear()
        self._say("no subscription is left")

    def do_reset(self, _: str) -> None:
        """reset                       begin a new session with an empty broker"""
        self._broker.reset()
        self._say("a new session has begun")

    def do_quit(self, _: str) -> bool:
        """quit                        end"""
        return True

    def do_EOF(self, _: str) -> bool:
        """The end of the input ends the shell."""
        return True

    def do_help(self, _: str) -> None:
        """help                        this list"""
        for name in sorted(self.get_names()):
            action: Callable[..., Any] = getattr(self, name)
            if name.startswith("do_") and name != "do_EOF" and action.__doc__:
                self._say(action.__doc__)
