"""How the kernels of this folder are compiled: by Numba, without the GIL, once for all processes.

Importing this module imports Numba (0.5 s and more), so it is imported where kernels are used, and by kernels.

The machine code is kept where Numba keeps it: in NUMBA_CACHE_DIR if set, else in `__pycache__`, else in the user's
cache folder. Where none of them can be written, each process compiles for itself.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from numba import njit
from numba.core.caching import FunctionCache
from numba.core.registry import cpu_target

Function = TypeVar("Function", bound=Callable[..., Any])


def kernel(function: Function) -> Function:
    """Compile `function` on its first call, or take the machine code that an earlier process left."""
    dispatcher = njit(nogil=True, error_model="numpy")(function)
    with contextlib.suppress(RuntimeError):  # Numba's word for: no folder to write to
        dispatcher._cache = _FolderCache(function)
    return dispatcher  # type: ignore[no-any-return]


def is_ready(function: Callable[..., Any]) -> bool:
    """Whether calling this kernel costs no compilation: it was called before, or by an earlier process."""
    dispatcher: Any = function
    return bool(dispatcher.signatures) or getattr(dispatcher._cache, "holds_code", bool)()


def processor() -> tuple[str, str, str]:
    """Return what kernels are compiled for: the system, the processor's name and its features ("+avx2,...").

    Numba keeps code by this key: what else depends on the processor must depend on nothing but this.
    """
    system, name, features = cpu_target.target_context.codegen().magic_tuple()
    return system, name, features


class _FolderCache(FunctionCache):  # type: ignore[misc]
    """Numba's cache of one function, outdated by a change in any file of its folder.

    Numba looks only at the file of the function itself, but a kernel contains the kernels that it calls.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function)
        self._cache_file._source_stamp = _folder_stamp(Path(function.__code__.co_filename).parent)

    def load_overload(self, signature: Any, target_context: Any) -> Any:
        with contextlib.suppress(OSError):  # not readable: compile
            return super().load_overload(signature, target_context)
        return None

    def save_overload(self, signature: Any, result: Any) -> None:
        with contextlib.suppress(OSError):  # the disk is full, the folder is gone: compile again next time
            super().save_overload(signature, result)

    def holds_code(self) -> bool:
        """Whether there is code of the present source for this processor."""
        with contextlib.suppress(OSError):
            return any(key[1] == processor() for key in self._cache_file._load_index())
        return False


@functools.cache
def _folder_stamp(folder: Path) -> str:
    """Return a digest of the source files of `folder`."""
    stamp = hashlib.sha256()
    for file in sorted(folder.glob("*.py")):
        stamp.update(file.read_bytes())
    return stamp.hexdigest()
