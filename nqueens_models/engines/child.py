"""Any engine in a process of its own, which can be killed whatever it does.

Some solvers hold Python's lock while they search, so that nothing in their process can end it; some crash. The
child is started by `pipes.start_interpreter`. What goes to it over its standard input, and comes back over its
standard output, are pickles, framed by `pipes`:

    parent                                   child
    (engine, instance, limits)  ->
                                <-  READY    everything is imported: Ctrl-C is understood from here on
                                <-  a block of solutions, any number of times
                                <-  an Outcome, or the exception that was raised

It is in a session of its own: Ctrl-C at the terminal reaches the parent alone, which first asks the child to stop,
by SIGINT, so as to have what it gathered, and soon kills it. When the parent dies the child does too.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import queue
import signal
import sys
import threading
import time
from functools import partial
from typing import IO, Any

import numpy as np

from nqueens_models.engines.base import NO_LIMITS, Engine, Limits, Outcome, Termination, Visitor, may_be_killed
from nqueens_models.engines.pipes import Inbox, portable, receive, send, start_interpreter, take_standard_output
from nqueens_models.engines.recorder import Recorder, SearchStopped, conduct
from nqueens_models.engines.registry import spec_of
from nqueens_models.errors import EngineError
from nqueens_models.instance import Instance

READY = "ready"
GRACE_SECONDS = 0.3  # between asking the child to stop and killing it
AHEAD = 8  # messages, so that a slow visitor slows the search
FINISH_SECONDS = 5.0  # more, for one that has found as many solutions as were wanted


def enumerate_in_child(engine: Engine, instance: Instance, visit: Visitor, limits: Limits = NO_LIMITS) -> Outcome:
    """Run `engine` on `instance` in a process of its own; `visit` is called in this one, as blocks arrive.

    Both must be picklable and importable there. What was found before a limit or Ctrl-C is kept; starting the
    process counts as building. An exception of the engine is raised here too; EngineError says that the process
    ended without an answer.
    """
    return conduct(partial(_relay_all, engine, limits), instance, visit, limits)


def _relay_all(engine: Engine, limits: Limits, recorder: Recorder) -> None:
    with recorder.uninterrupted():
        child = _Child(engine, recorder.instance, Limits(solutions=limits.solutions))
        try:
            with recorder.interruptible():
                termination = child.relay_or_stop(recorder)
        finally:
            child.end()
    if termination is not Termination.EXHAUSTED:
        raise SearchStopped(termination)


class _Child:
    """The process, from the parent's side."""

    def __init__(self, engine: Engine, instance: Instance, limits: Limits) -> None:
        self.engine = engine
        self.ready = False
        self.process = start_interpreter(__name__)
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.input, self.output = self.process.stdin, self.process.stdout
        self.messages = Inbox(self._message, AHEAD)
        with contextlib.suppress(BrokenPipeError):  # it died already, which `relay` reports
            _send(self.input, (engine, instance, limits))

    def end(self) -> None:
        """Kill it."""
        self.process.kill()
        self.process.wait()
        if self.messages.close(FINISH_SECONDS):
            self.output.close()
        with contextlib.suppress(BrokenPipeError):
            self.input.close()

    def relay_or_stop(self, recorder: Recorder) -> Termination:
        """Visit the blocks that arrive and return how the search ended; stop it when it takes too long."""
        try:
            return self.relay(recorder)
        except (SearchStopped, KeyboardInterrupt):
            self.stop(recorder)
            raise

    def relay(self, recorder: Recorder) -> Termination:
        """Visit the blocks that arrive until the outcome does; return how the search ended."""
        while True:
            try:
                message = self.messages.get(recorder.seconds_left())
            except queue.Empty:
                recorder.check_time()
                continue
            if (termination := self._take(message, recorder)) is not None:
                return termination

    def stop(self, recorder: Recorder) -> None:
        """Ask the child to stop, unless it does so itself, and take what it still sends, for a moment."""
        if not self.ready or os.name != "posix":
            return
        latest = time.monotonic() + GRACE_SECONDS
        if recorder.solutions_left() == 0:
            latest += FINISH_SECONDS
        else:
            self.process.send_signal(signal.SIGINT)
        while (seconds := latest - time.monotonic()) > 0:
            with contextlib.suppress(SearchStopped, queue.Empty):
                message = self.messages.get(seconds)
                if message is None or isinstance(message, BaseException):
                    return  # it was cut short and has nothing to say
                if self._take(message, recorder) is not None:
                    return

    def _take(self, message: Any, recorder: Recorder) -> Termination | None:
        """Pass a message on; return how the search ended if this is the message that says so."""
        match message:
            case np.ndarray():
                recorder.solutions(message)
            case Outcome():
                recorder.built(seconds_ago=message.solve_seconds)
                recorder.statistics.update(message.statistics)
                return message.termination
            case BaseException():
                raise message
            case None:
                raise EngineError(f"engine {spec_of(self.engine)}: its process {self._end()} without an answer")
            case _:
                self.ready = message == READY
                recorder.built()
        return None

    def _end(self) -> str:
        """Return how the process ended, in words."""
        status = self.process.wait()
        if status >= 0:
            return f"ended with exit status {status}"
        return f"was ended by signal {signal.Signals(-status).name}"

    def _message(self) -> Any:
        message = receive(self.output)
        try:
            return pickle.loads(message)
        except Exception as error:
            spec = spec_of(self.engine)
            raise EngineError(f"engine {spec}: what its process sent cannot be loaded: {error}") from error


def _send(pipe: IO[bytes], message: Any) -> None:
    send(pipe, pickle.dumps(message, protocol=pickle.HIGHEST_PROTOCOL))


class _Answers:
    """What the child sends, from its side; Ctrl-C never cuts a message in two."""

    def __init__(self, stream: IO[bytes]) -> None:
        self.stream = stream
        self.sending = self.interrupted = False
        signal.signal(signal.SIGINT, self._interrupt)

    def send(self, message: Any) -> None:
        """Write one message, and raise KeyboardInterrupt afterwards if there was Ctrl-C meanwhile."""
        self.sending = True
        _send(self.stream, message)
        self.sending = False
        if self.interrupted:
            self.interrupted = False
            raise KeyboardInterrupt

    def _interrupt(self, _signal: int, _frame: object) -> None:
        if not self.sending:
            raise KeyboardInterrupt
        self.interrupted = True


def main() -> None:
    """Be the child."""
    answers = _Answers(take_standard_output())
    may_be_killed()
    answer: Outcome | BaseException
    try:
        engine, instance, limits = _work()
        threading.Thread(target=_exit_at_end_of_input, daemon=True).start()
        answers.send(READY)
        answer = engine.enumerate(instance, answers.send, limits)
    except BaseException as error:
        answer = portable(error)
    with contextlib.suppress(KeyboardInterrupt):
        answers.send(answer)


def _work() -> tuple[Engine, Instance, Limits]:
    """Return what the parent wants done."""
    try:
        work: tuple[Engine, Instance, Limits] = pickle.loads(receive(sys.stdin.buffer))
    except Exception as error:
        raise EngineError(f"the engine cannot be loaded in a process of its own: {error}") from error
    return work


def _exit_at_end_of_input() -> None:
    """Notice a dead parent on any system, unless the solver holds Python's lock."""
    os.read(0, 1)
    os._exit(1)
