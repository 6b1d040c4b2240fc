"""One `asof lines` process, which answers questions as lines of JSON."""

from __future__ import annotations

import io
import itertools
import json
import os
import queue
import subprocess
import tempfile
import threading
import weakref
from typing import Any, Dict, List, Mapping, Optional, Sequence

from .answers import AsofError, raise_problem

Message = Dict[str, Any]

#: The seconds that a process has to end.
_patience = 2.0


class Command:
    """The asof command. Its process starts with the first question, and again if it has ended."""

    def __init__(self, words: Sequence[str], environment: Mapping[str, str]) -> None:
        self._words = list(words)
        self._environment = environment
        self._process: Optional[_Process] = None
        self._is_closed = False
        self._lock = threading.Lock()
        _commands.add(self)

    def ask(self, name: str, values: Mapping[str, Any]) -> Message:
        """Asks a question; raises AsofError for a failure. Any thread may ask."""
        process = self._running()
        message = process.ask(name, values)
        if message is process.end and process.has_answered:
            # It ended meanwhile, perhaps for another store; questions change nothing, so another one is asked again.
            message = self._running().ask(name, values)
        if "problem" in message:
            raise_problem(message["problem"])
        return message

    def _running(self) -> "_Process":
        with self._lock:
            if self._is_closed:
                raise AsofError("this Asof was closed", 2)
            if self._process is None or self._process.end is not None:
                self._process = _Process(self._words, {**os.environ, **self._environment})
            return self._process

    def close(self) -> None:
        """Ends the process; questions that wait for an answer fail."""
        with self._lock:
            self._is_closed = True
            if self._process is not None:
                self._process.close()

    def forget(self) -> None:
        """Leaves the process to the parent of this forked one, which starts its own."""
        self._lock = threading.Lock()
        if self._process is not None:
            self._process.leave()
            self._process = None


_commands: "weakref.WeakSet[Command]" = weakref.WeakSet()


def _after_fork() -> None:
    for command in list(_commands):
        command.forget()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


class _Process:
    def __init__(self, words: List[str], environment: Dict[str, str]) -> None:
        self._name = words[0]
        self._errors = tempfile.TemporaryFile()
        try:
            self._child = subprocess.Popen(
                words,
                env=environment,
                bufsize=0,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._errors,
                # Ctrl-C is for Python, which gives up its question; the next one finds the process alive.
                start_new_session=True,
            )
        except OSError as error:
            self._errors.close()
            raise AsofError(
                f"cannot start {words[0]}: {error.strerror}",
                10,
                kind="local-io",
                hints=["asof.Asof(command=...) names the asof command"],
            ) from None
        self._numbers = itertools.count(1)
        self._waiting: Dict[int, "queue.SimpleQueue[Message]"] = {}
        #: The failure of every question after the process has ended.
        self.end: Optional[Message] = None
        self.has_answered = False
        self._lock = threading.Lock()
        self._writing = threading.Lock()
        self._reader = threading.Thread(target=self._read, name="asof", daemon=True)
        self._reader.start()

    def ask(self, name: str, values: Mapping[str, Any]) -> Message:
        number = next(self._numbers)
        answer: "queue.SimpleQueue[Message]" = queue.SimpleQueue()
        with self._lock:
            self._waiting[number] = answer
            if self.end is not None:
                answer.put(self.end)
        try:
            self._write({"id": number, "ask": name, "values": values})
            return answer.get()
        except BaseException:
            self._write({"stop": number})
            raise
        finally:
            self._waiting.pop(number, None)

    def close(self) -> None:
        self._child.terminate()
        if threading.current_thread() is not self._reader:
            self._reader.join(_patience)

    def leave(self) -> None:
        """Closes this process's ends of the pipes; the child is another process's."""
        for pipe in (self._child.stdin, self._child.stdout):
            if pipe is not None:
                pipe.close()
        self._child.returncode = 0

    def _write(self, message: Message) -> None:
        line = memoryview(json.dumps(message).encode() + b"\n")
        assert self._child.stdin is not None
        with self._writing:
            try:
                while line:
                    line = line[self._child.stdin.write(line) :]
            except (OSError, ValueError):
                # It has ended, and its pipe is closed; the reader says why.
                pass
            except BaseException:
                # A part of a line would spoil the next one.
                self._child.kill()
                raise

    def _read(self) -> None:
        assert self._child.stdout is not None
        end: Optional[Message] = None
        with io.BufferedReader(self._child.stdout, 1 << 20) as lines:  # type: ignore[arg-type]
            for line in lines:
                try:
                    message = json.loads(line)
                    waiting = self._waiting.get(message["id"])
                except (ValueError, TypeError, KeyError):
                    shown = line.decode(errors="replace").strip()[:80]
                    end = _failure(f"{self._name!r} wrote {shown!r}, which is no answer of asof", 8)
                    self._child.kill()
                    break
                self.has_answered = True
                if waiting is not None:
                    waiting.put(message)
        code = self._child.wait()
        if self._child.stdin is not None:
            self._child.stdin.close()
        with self._lock:
            self.end = end or self._ended(code)
            for answer in self._waiting.values():
                answer.put(self.end)
        self._errors.close()

    def _ended(self, code: int) -> Message:
        self._errors.seek(0)
        said = self._errors.read().decode(errors="replace").strip().splitlines()
        detail, *hints = [line.strip() for line in said] or [""]
        if detail.startswith("asof: "):
            return _failure(detail[len("asof: ") :], code if code > 0 else 70, hints)
        how = f"signal {-code}" if code < 0 else f"exit code {code}"
        return _failure(f"asof has ended ({how})", 70, said[-5:])


def _failure(detail: str, code: int, hints: Sequence[str] = ()) -> Message:
    return {"problem": {"detail": detail, "code": code, "kind": "process-ended", "hints": list(hints)}}
