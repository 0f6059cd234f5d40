"""What every numba kernel is made with: the decorator, and unchecked access to arrays.

Kernels release the GIL, are compiled for one eager signature and cached on disk (kernel_cache.py), so that
a start costs milliseconds. Where no cache location is writable they compile in memory instead of failing.

Numba wraps negative indices and checks no bounds. The loads and stores below skip the wrap-around
(indices stay int64), which is worth a third of the speed. Hostile pages are daily bread, so there is
a checked mode: with TEST_CHECKED_KERNELS=1 in the environment every access is compared with the
array's size and raises IndexError. The fuzz tests run in it. TEST_NARROW_KERNELS=1 leaves out what only
newer processors can do (wide_bytes.py).
"""

import os
from collections.abc import Callable
from typing import Any, TypeAlias, TypeVar, cast

from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic as numba_intrinsic

from hss_stream.signals.kernel_cache import attach_cache

CHECKED = os.environ.get("TEST_CHECKED_KERNELS") == "1"
NARROW = os.environ.get("TEST_NARROW_KERNELS") == "1"
_MODE = "-checked" * CHECKED + "-narrow" * NARROW

Function = TypeVar("Function", bound=Callable[..., Any])

# Numba's own type counts the typing context as an argument, which callers never pass.
intrinsic: Callable[[Callable[..., Any]], Callable[..., Any]] = numba_intrinsic

# What kernels take and give. Numba types them; the names are for the reader, and mypy has no say inside.
Int: TypeAlias = Any
Word: TypeAlias = Any
Bytes: TypeAlias = Any
Shorts: TypeAlias = Any
Integers: TypeAlias = Any
Words: TypeAlias = Any
Step: TypeAlias = Any  # position and state after it

# Read-only so that bytes can be passed without a copy, and so that one compilation serves all buffers.
BYTES_IN = types.Array(types.uint8, 1, "C", readonly=True)


_OPTIONS: dict[str, Any] = {"boundscheck": CHECKED, "error_model": "numpy"}


def kernel(*signatures: Any, allocates: bool = True) -> Callable[[Function], Function]:
    """Return a decorator that compiles a function for these signatures, or takes it from the cache.

    A kernel that makes no array of its own says `allocates=False`: it then counts no references to those
    it is given, which doubles the speed of a loop made of many parts.
    """

    def compile_function(function: Function) -> Function:
        dispatcher = njit(**_OPTIONS | {"nogil": True, "_nrt": allocates})(function)
        attach_cache(dispatcher, _MODE)
        for signature in signatures:
            dispatcher.compile(signature)
        dispatcher.disable_compile()
        return cast("Function", dispatcher)

    return compile_function


def kernel_part(function: Function) -> Function:
    """Compile a function that is inlined into the kernels that call it; it makes no array of its own."""
    return cast("Function", njit(**_OPTIONS | {"forceinline": True, "_nrt": False})(function))


def element_address(
    context: Any, builder: Any, array_type: Any, array: Any, index: Any, width: Any = 1
) -> Any:
    """Return the address of array[index]; in checked mode raise unless `width` elements fit there."""
    view = context.make_array(array_type)(context, builder, array)
    if CHECKED:
        count = ir.Constant(index.type, width) if isinstance(width, int) else width
        last = builder.add(index, count)
        outside = builder.or_(
            builder.icmp_signed("<", index, ir.Constant(index.type, 0)),
            builder.icmp_signed(">", last, view.nitems),
        )
        with builder.if_then(outside, likely=False):
            context.call_conv.return_user_exc(builder, IndexError, ("kernel access outside its array",))
    return builder.gep(view.data, [index])


@intrinsic
def load_byte(_typing: Any, array: Any, index: Any) -> Any:
    """Return uint8 array[index] as int64."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        address = element_address(context, builder, signature.args[0], args[0], args[1])
        return builder.zext(builder.load(address), ir.IntType(64))

    return types.int64(array, types.int64), code


@intrinsic
def store_byte(_typing: Any, array: Any, index: Any, value: Any) -> Any:
    """Set uint8 array[index] to the low byte of an int64."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        address = element_address(context, builder, signature.args[0], args[0], args[1])
        builder.store(builder.trunc(args[2], ir.IntType(8)), address)
        return context.get_dummy_value()

    return types.void(array, types.int64, types.int64), code


@intrinsic
def load_item(_typing: Any, array: Any, index: Any) -> Any:
    """Return array[index] in the array's own type."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.load(element_address(context, builder, signature.args[0], args[0], args[1]))

    return array.dtype(array, types.int64), code


@intrinsic
def store_item(_typing: Any, array: Any, index: Any, value: Any) -> Any:
    """Set array[index] to a value of the array's own type."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        builder.store(args[2], element_address(context, builder, signature.args[0], args[0], args[1]))
        return context.get_dummy_value()

    return types.void(array, types.int64, array.dtype), code


@intrinsic
def load_word(_typing: Any, array: Any, index: Any) -> Any:
    """Return the 8 bytes of a uint8 array from index on, little-endian, as uint64; no alignment needed."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        address = element_address(context, builder, signature.args[0], args[0], args[1], width=8)
        word = builder.load(builder.bitcast(address, ir.IntType(64).as_pointer()))
        word.align = 1
        return word

    return types.uint64(array, types.int64), code


@intrinsic
def swap_bytes(_typing: Any, word: Any) -> Any:
    """Return a word with its bytes in reverse order."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.bswap(args[0])

    return types.uint64(types.uint64), code
