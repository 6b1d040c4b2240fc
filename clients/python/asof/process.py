"""One `asof lines` process, which answers questions as lines of JSON."""

from __future__ import annotations

import io
import itertools
import json
import os
import queue
import select
import signal
import subprocess
import tempfile
import threading
import weakref
from typing import Any, Dict, List, Mapping, Optional, Sequence

from .answers import AsofError, closed, raise_problem

Message = Dict[str, Any]

#: The seconds that a process has to end.
_patience = 2.0


class Command:
    """The asof command. Its process starts with the first question, and again if it has ended."""

    def __init__(self, words: Sequence[str], environment: Mapping[str, str], folder: Optional[str] = None) -> None:
        self._words = list(words)
        self._environment = environment
        self._folder = folder
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
        problem = message.get("problem")
        if problem is not None:
            raise_problem(problem)
        return message

    def _running(self) -> "_Process":
        with self._lock:
            if self._is_closed:
                raise closed()
            if self._process is None or self._process.end is not None:
                self._process = _Process(self._words, {**os.environ, **self._environment}, self._folder)
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
    def __init__(self, words: List[str], environment: Dict[str, str], folder: Optional[str]) -> None:
        self._name = words[0]
        self._errors = tempfile.TemporaryFile()
        try:
            self._child = subprocess.Popen(
                words,
                env=environment,
                cwd=folder,
                bufsize=0,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._errors,
                # Ctrl-C is for Python, which gives up its question; the next one finds the process alive.
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            self._errors.close()
            reason = error.strerror if isinstance(error, OSError) else error
            raise AsofError(
                f"cannot start {words[0]}: {reason}",
                10,
                kind="local-io",
                hints=['asof.Asof(command=...) names the asof command, or its words: ["node", "asof/dist/asof.cjs"]'],
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
            return self._awaited(answer)
        except BaseException:
            self._write({"stop": number})
            raise
        finally:
            self._waiting.pop(number, None)

    def _awaited(self, answer: "queue.SimpleQueue[Message]") -> Message:
        while True:
            try:
                return answer.get(timeout=_patience)
            except queue.Empty:
                # It may have closed its input with the question in it.
                if not self._is_reading():
                    self._end()

    def _is_reading(self) -> bool:
        if not hasattr(select, "poll"):
            return True
        poll = select.poll()
        try:
            poll.register(self._child.stdin, 0)  # type: ignore[arg-type]
        except ValueError:
            # The pipe is closed here: it has ended, and the reader says why.
            return True
        return not any(event & select.POLLERR for _, event in poll.poll(0))

    def close(self) -> None:
        self._kill(signal.SIGTERM)
        if threading.current_thread() is not self._reader:
            self._reader.join(_patience)

    def leave(self) -> None:
        """Closes this process's ends of the pipes; the child is another process's."""
        for pipe in (self._child.stdin, self._child.stdout):
            if pipe is not None:
                pipe.close()
        self._child.returncode = 0

    def _write(self, message: Message) -> None:
        line = memoryview(json.dumps(message, allow_nan=False).encode() + b"\n")
        assert self._child.stdin is not None
        with self._writing:
            try:
                while line:
                    line = line[self._child.stdin.write(line) :]
            except (OSError, ValueError):
                # Its pipe is closed: it has ended, and the reader says why, or it will never answer.
                self._end()
            except BaseException:
                # A part of a line would spoil the next one.
                self._kill()
                raise

    def _end(self) -> int:
        """Gives the process some seconds to end; returns its exit code."""
        try:
            return self._child.wait(_patience)
        except subprocess.TimeoutExpired:
            self._kill()
            return self._child.wait()

    def _kill(self, by: int = getattr(signal, "SIGKILL", signal.SIGTERM)) -> None:
        if self._child.returncode is not None:
            return
        try:
            # A script may have started asof as a process of its own.
            os.killpg(self._child.pid, by)
        except (AttributeError, OSError):
            self._child.send_signal(by)

    def _read(self) -> None:
        end: Optional[Message] = None
        try:
            end = self._answers()
        except Exception as error:  # such as an answer that is larger than the memory
            end = _failure(f"cannot read an answer of {self._name!r}: {error or type(error).__name__}", 8)
        finally:
            if end is not None:
                self._kill()
            code = self._end()
            if self._child.stdin is not None:
                self._child.stdin.close()
            with self._lock:
                self.end = end or self._ended(code)
                for answer in self._waiting.values():
                    answer.put(self.end)
            self._errors.close()

    def _answers(self) -> Optional[Message]:
        """Gives each answer to its question; returns why no more can be read, unless the process ends."""
        assert self._child.stdout is not None
        with io.BufferedReader(self._child.stdout, 1 << 20) as lines:  # type: ignore[arg-type]
            for line in lines:
                message = _message_in(line)
                if message is None:
                    shown = line.decode(errors="replace").strip()[:80]
                    return _failure(f"{self._name!r} wrote {shown!r}, which is no answer of asof", 8)
                if message["id"] is None:
                    # It could not read a question, and cannot say which: none may wait for its answer.
                    return message
                self.has_answered = True
                waiting = self._waiting.get(message["id"])
                if waiting is not None:
                    waiting.put(message)
        return None

    def _ended(self, code: int) -> Message:
        self._errors.seek(0)
        said = self._errors.read().decode(errors="replace").strip().splitlines()
        detail, *hints = [line.strip() for line in said] or [""]
        if detail.startswith("asof: "):
            return _failure(detail[len("asof: ") :], code if code > 0 else 70, hints)
        how = f"signal {-code}" if code < 0 else f"exit code {code}"
        return _failure(f"asof has ended ({how})", 70, said[-5:])


def _message_in(line: bytes) -> Optional[Message]:
    """Returns the answer or the failure in a line; None if it is neither."""
    try:
        message = json.loads(line)
    except ValueError:
        return None
    if not isinstance(message, dict) or "id" not in message:
        return None
    return message if "problem" in message or (message["id"] is not None and "rows" in message) else None


def _failure(detail: str, code: int, hints: Sequence[str] = ()) -> Message:
    return {"problem": {"detail": detail, "code": code, "kind": "process-ended", "hints": list(hints)}}
