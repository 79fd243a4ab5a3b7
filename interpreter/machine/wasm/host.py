"""The only door to wasmtime: compiles a module, keeps it in the user's cache, calls it, and reads and writes its memory.

In: a module's bytes. Out: `Instance`, whose functions take and give numbers. A trap becomes `Trapped`. The module imports nothing and
has all its memory from the beginning, so addresses stay valid. A compiled module is native code: it is kept in the user's own cache
folder only, under its bytes' hash and wasmtime's version, and one that cannot be read is compiled again.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable
from hashlib import blake2b
from importlib import metadata
from pathlib import Path
from typing import Any

import wasmtime

try:
    from wasmtime import _ffi as ffi

    _UNCHECKED: Callable[..., Any] | None = ffi.wasmtime_func_call_unchecked
except (ImportError, AttributeError):  # another version: the public way is slower and does the same
    _UNCHECKED = None


class Trapped(Exception):
    """The module stopped in the middle of a call."""


class Unavailable(Exception):
    """wasmtime cannot compile or run the module here; the text says why."""


class Compiled:
    """A module as native code, for any number of instances and threads."""

    def __init__(self, raw: bytes, cache: Path | None = None) -> None:
        """Compiles, or takes from the cache folder. Raises Unavailable."""
        try:
            config = wasmtime.Config()
            # Memory never grows, so its address and size are part of the code.
            config.memory_may_move = False
            self.engine = wasmtime.Engine(config)
            self.module = self._from_cache(raw, cache)
        except wasmtime.WasmtimeError as problem:
            raise Unavailable(": ".join(str(problem).split("\n"))) from None

    def _from_cache(self, raw: bytes, cache: Path | None) -> wasmtime.Module:
        if cache is None:
            return wasmtime.Module(self.engine, raw)
        key = blake2b(raw + version().encode(), digest_size=16).hexdigest()
        place = cache / f"machine-{key}.native"
        try:
            stored = place.read_bytes()
            seal, code = stored[:16], stored[16:]
            if blake2b(code, digest_size=16).digest() == seal:
                return wasmtime.Module.deserialize(self.engine, code)
        except (OSError, wasmtime.WasmtimeError):
            pass  # not there, or not to be trusted: made again
        module = wasmtime.Module(self.engine, raw)
        try:
            cache.mkdir(parents=True, exist_ok=True)
            rough = place.with_suffix(f".{os.getpid()}.tmp")
            code = bytes(module.serialize())
            rough.write_bytes(blake2b(code, digest_size=16).digest() + code)
            rough.replace(place)
        except OSError:
            pass  # a cache that cannot be written is no fault of the game
        return module


def version() -> str:
    """wasmtime's version."""
    return metadata.version("wasmtime")


class Instance:
    """A module at work, with a memory of its own; for one thread at a time."""

    def __init__(self, compiled: Compiled) -> None:
        self._compiled = compiled
        self._store = wasmtime.Store(compiled.engine)
        exports = wasmtime.Instance(self._store, compiled.module, []).exports(self._store)
        memory = exports["memory"]
        assert isinstance(memory, wasmtime.Memory)
        size = memory.data_len(self._store)
        self._keep = memory
        address = ctypes.addressof(memory.data_ptr(self._store).contents)
        whole = memoryview((ctypes.c_ubyte * size).from_address(address)).cast("B")
        self.bytes = whole
        """All of memory."""
        self.cells = whole.cast("i")
        """The same as signed 32-bit numbers."""
        self._functions: dict[str, wasmtime.Func] = {
            name: item for name, item in exports.items() if isinstance(item, wasmtime.Func)
        }
        self._raw = (ffi.wasmtime_val_raw_t * 4)() if _UNCHECKED is not None else None

    def call(self, name: str, *args: int) -> int:
        """The result of an exported function (0 if it has none). Raises Trapped."""
        function = self._functions[name]
        if _UNCHECKED is None or self._raw is None:
            return self._checked(function, args)
        raw = self._raw
        for k, arg in enumerate(args):
            raw[k].i32 = arg
        trap = ctypes.POINTER(ffi.wasm_trap_t)()
        error = _UNCHECKED(self._store._context(), ctypes.byref(function._func), raw, 4, ctypes.byref(trap))
        stopped = ctypes.cast(trap, ctypes.c_void_p).value is not None
        if error:
            ffi.wasmtime_error_delete(error)
        if stopped:
            ffi.wasm_trap_delete(trap)
        if error or stopped:
            raise Trapped(name)
        return int(raw[0].i32)

    def _checked(self, function: wasmtime.Func, args: tuple[int, ...]) -> int:
        try:
            found = function(self._store, *args)
        except (wasmtime.Trap, wasmtime.WasmtimeError):
            raise Trapped("a call") from None
        return found if isinstance(found, int) else 0
