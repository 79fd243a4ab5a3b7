"""The only door to wasmtime: compiles a module, keeps it in the user's cache, calls it, and reads and writes its memory.

In: a module's bytes. Out: `Instance`, whose functions take and give numbers. A trap becomes `Trapped`. The module imports nothing and
has all its memory from the beginning, so addresses stay valid. A compiled module is native code: it is kept in the user's own cache
folder only, under its bytes' hash and wasmtime's version, and one that cannot be read is compiled again.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from hashlib import blake2b
from importlib import metadata
from pathlib import Path
from typing import Any

try:
    import wasmtime

    _ = wasmtime.Config, wasmtime.Engine, wasmtime.Module, wasmtime.Instance, wasmtime.WasmtimeError
    WASMTIME = metadata.version("wasmtime")
except (OSError, RuntimeError, AttributeError) as problem:  # there, but not whole, or not for this system or processor
    raise ImportError(str(problem)) from None

from interpreter import sealed

try:
    from wasmtime import _ffi as ffi

    _UNCHECKED: Callable[..., Any] | None = ffi.wasmtime_func_call_unchecked
except (ImportError, AttributeError):  # another version: the public way is slower and does the same
    _UNCHECKED = None


class Trapped(Exception):
    """The module stopped in the middle of a call; `deep`: for want of room on the machine's own stack."""

    def __init__(self, name: str, deep: bool = False) -> None:
        super().__init__(name)
        self.deep = deep


class Unavailable(Exception):
    """wasmtime cannot compile or run the module here; the text says why."""


class Compiled:
    """A module as native code, for any number of instances and threads."""

    def __init__(self, raw: bytes, cache: Path | None = None) -> None:
        """Compiles, or takes from the cache folder. What is kept nowhere is compiled in half the time, and runs slower. Raises
        Unavailable."""
        try:
            config = wasmtime.Config()
            # Memory never grows, so its address and size are part of the code.
            config.memory_may_move = False
            if cache is None:
                config.cranelift_opt_level = "none"
                config.cranelift_flag_set("regalloc_algorithm", "single_pass")
            self.engine = wasmtime.Engine(config)
            self.module = self._from_cache(raw, cache)
        except wasmtime.WasmtimeError as problem:
            raise _unavailable(problem) from None

    def _from_cache(self, raw: bytes, cache: Path | None) -> wasmtime.Module:
        if cache is None:
            return wasmtime.Module(self.engine, raw)
        key = blake2b(raw + WASMTIME.encode(), digest_size=16).hexdigest()
        place = cache / f"machine-{key}.native"
        code = sealed.read(place)
        if code is not None:
            try:
                return wasmtime.Module.deserialize(self.engine, code)
            except wasmtime.WasmtimeError:
                pass  # whole, but made for another kind of processor: made again
        module = wasmtime.Module(self.engine, raw)
        sealed.write(place, bytes(module.serialize()))
        return module


def _unavailable(problem: Exception) -> Unavailable:
    return Unavailable(": ".join(" ".join(line.split()) for line in str(problem).splitlines() if line.strip()))


class Instance:
    """A module at work, with a memory of its own; for one thread at a time."""

    def __init__(self, compiled: Compiled) -> None:
        """Raises Unavailable, where there is no room for its memory."""
        self._compiled = compiled
        self._store = wasmtime.Store(compiled.engine)
        try:
            exports = wasmtime.Instance(self._store, compiled.module, []).exports(self._store)
        except (wasmtime.WasmtimeError, wasmtime.Trap) as problem:
            raise _unavailable(problem) from None
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
        if error:
            ffi.wasmtime_error_delete(error)
            raise Trapped(name)
        if ctypes.cast(trap, ctypes.c_void_p).value is not None:
            raise Trapped(name, is_deep(wasmtime.Trap._from_ptr(trap)))
        return int(raw[0].i32)

    def _checked(self, function: wasmtime.Func, args: tuple[int, ...]) -> int:
        try:
            found = function(self._store, *args)
        except wasmtime.Trap as trap:
            raise Trapped("a call", is_deep(trap)) from None
        except wasmtime.WasmtimeError:
            raise Trapped("a call") from None
        return found if isinstance(found, int) else 0


def is_deep(trap: wasmtime.Trap) -> bool:
    """Whether a trap is for want of room on the stack."""
    return trap.trap_code is wasmtime.TrapCode.STACK_OVERFLOW
