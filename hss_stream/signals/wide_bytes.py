"""Sixty-four bytes at a time: which of them are of a kind, as the bits of one word, and keeping only those.

Bit n of a word of flags stands for byte at + n. The loads reach 63 bytes beyond the first, so the arrays
they read from end in as many bytes of padding, and what flags say about the padding is cut off by `below`.
Comparing wide is fast on every processor. Keeping chosen bytes wide (`keep_flagged`) is one instruction
where there is AVX-512 VBMI2 (Ice Lake, Zen 4 and later); elsewhere `KEEPS_WIDE` is false, and the kernels
go byte by byte, with the same results. TEST_NARROW_KERNELS=1 takes any processor for one of those.
"""

from typing import Any

from llvmlite import binding, ir
from numba import types
from numba.core import cgutils

from hss_stream.signals.kernel import NARROW, element_address, intrinsic

WIDTH = 64
KEEPS_WIDE = not NARROW and binding.get_host_cpu_features().get("avx512vbmi2", False)

_BYTE, _WORD = ir.IntType(8), ir.IntType(64)
_VECTOR = ir.VectorType(_BYTE, WIDTH)
_MASK = ir.VectorType(ir.IntType(1), WIDTH)


def _all(value: int) -> Any:
    return ir.Constant(_VECTOR, [value] * WIDTH)


def _load(context: Any, builder: Any, array_type: Any, array: Any, index: Any) -> Any:
    address = element_address(context, builder, array_type, array, index, width=WIDTH)
    vector = builder.load(builder.bitcast(address, _VECTOR.as_pointer()))
    vector.align = 1
    return vector


def _store(context: Any, builder: Any, array_type: Any, array: Any, index: Any, vector: Any) -> None:
    address = element_address(context, builder, array_type, array, index, width=WIDTH)
    builder.store(vector, builder.bitcast(address, _VECTOR.as_pointer())).align = 1


def _is_any(builder: Any, vector: Any, wanted: bytes) -> Any:
    flags = ir.Constant(_MASK, [0] * WIDTH)
    for byte in wanted:
        flags = builder.or_(flags, builder.icmp_unsigned("==", vector, _all(byte)))
    return flags


def _is_word_byte(builder: Any, vector: Any) -> Any:
    lower = builder.or_(vector, _all(0x20))
    letter = builder.icmp_unsigned("<", builder.sub(lower, _all(ord("a"))), _all(26))
    digit = builder.icmp_unsigned("<", builder.sub(vector, _all(ord("0"))), _all(10))
    return builder.or_(letter, digit)


def _flags_of(choose: Any) -> Any:
    """Return a kernel function that gives the flags of 64 bytes of an array."""

    @intrinsic
    def flags_at(_typing: Any, array: Any, index: Any) -> Any:
        def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            vector = _load(context, builder, signature.args[0], args[0], args[1])
            return builder.bitcast(choose(builder, vector), _WORD)

        return types.uint64(array, types.int64), code

    return flags_at


def flags_of_any(wanted: bytes) -> Any:
    """Return a kernel function (array, at) that flags the bytes which are one of these."""
    return _flags_of(lambda builder, vector: _is_any(builder, vector, wanted))


word_flags = _flags_of(_is_word_byte)  # ASCII letters and digits
noise_flags = _flags_of(
    lambda builder, vector: builder.not_(
        builder.or_(_is_word_byte(builder, vector), builder.icmp_signed("<", vector, _all(0)))
    )
)

link_flags = _flags_of(  # what must be decoded or cut in a link: references, white space, controls
    lambda builder, vector: builder.or_(
        builder.icmp_unsigned("<", vector, _all(33)), _is_any(builder, vector, b"&")
    )
)


@intrinsic
def byte_flags(_typing: Any, array: Any, index: Any, wanted: Any) -> Any:
    """Return the flags of the bytes that equal one chosen while running."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        vector = _load(context, builder, signature.args[0], args[0], args[1])
        one = builder.insert_element(
            ir.Constant(_VECTOR, ir.Undefined), builder.trunc(args[2], _BYTE), ir.Constant(ir.IntType(32), 0)
        )
        every = builder.shuffle_vector(
            one,
            ir.Constant(_VECTOR, ir.Undefined),
            ir.Constant(ir.VectorType(ir.IntType(32), WIDTH), [0] * WIDTH),
        )
        return builder.bitcast(builder.icmp_unsigned("==", vector, every), _WORD)

    return types.uint64(array, types.int64, types.int64), code


@intrinsic
def change_flags(_typing: Any, array: Any, index: Any) -> Any:
    """Return the flags of the bytes that differ from the byte before them; index is at least 1."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        vector = _load(context, builder, signature.args[0], args[0], args[1])
        before = builder.sub(args[1], ir.Constant(_WORD, 1))
        shifted = _load(context, builder, signature.args[0], args[0], before)
        return builder.bitcast(builder.icmp_unsigned("!=", vector, shifted), _WORD)

    return types.uint64(array, types.int64), code


@intrinsic
def first_of(_typing: Any, flags: Any) -> Any:
    """Return the place of the first flag, 64 where there is none."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.cttz(args[0], ir.Constant(ir.IntType(1), 0))

    return types.int64(types.uint64), code


@intrinsic
def count_of(_typing: Any, flags: Any) -> Any:
    """Return how many flags are set."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.ctpop(args[0])

    return types.int64(types.uint64), code


@intrinsic
def below(_typing: Any, count: Any) -> Any:
    """Return the flags of the first so many bytes; all where there are 64 or more."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        one = ir.Constant(_WORD, 1)
        some = builder.sub(builder.shl(one, args[0]), one)
        is_all = builder.icmp_signed(">=", args[0], ir.Constant(_WORD, WIDTH))
        return builder.select(is_all, ir.Constant(_WORD, 2**64 - 1), some)

    return types.uint64(types.int64), code


@intrinsic
def keep_flagged(_typing: Any, array: Any, index: Any, flags: Any, out: Any, end: Any) -> Any:
    """Write the flagged bytes to out[end:], one after the other, and anything to the rest of 64."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        vector = _load(context, builder, signature.args[0], args[0], args[1])
        _store(context, builder, signature.args[3], args[3], args[4], _keep(builder, vector, args[2]))
        return context.get_dummy_value()

    return types.void(array, types.int64, types.uint64, out, types.int64), code


@intrinsic
def keep_text(_typing: Any, array: Any, index: Any, flags: Any, spaces: Any, out: Any, end: Any) -> Any:
    """Like `keep_flagged`, with a blank for every byte that `spaces` flags."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        vector = _load(context, builder, signature.args[0], args[0], args[1])
        vector = builder.select(builder.bitcast(args[3], _MASK), _all(ord(" ")), vector)
        _store(context, builder, signature.args[4], args[4], args[5], _keep(builder, vector, args[2]))
        return context.get_dummy_value()

    return types.void(array, types.int64, types.uint64, types.uint64, out, types.int64), code


def _keep(builder: Any, vector: Any, flags: Any) -> Any:
    kind = ir.FunctionType(_VECTOR, [_VECTOR, _MASK, _VECTOR])
    name = f"llvm.experimental.vector.compress.v{WIDTH}i8"
    compress = builder.module.globals.get(name) or ir.Function(builder.module, kind, name)
    return builder.call(compress, [vector, builder.bitcast(flags, _MASK), ir.Constant(_VECTOR, ir.Undefined)])


@intrinsic
def copy_wide(_typing: Any, array: Any, index: Any, out: Any, end: Any) -> Any:
    """Write 64 bytes of an array to out[end:]."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        vector = _load(context, builder, signature.args[0], args[0], args[1])
        _store(context, builder, signature.args[2], args[2], args[3], vector)
        return context.get_dummy_value()

    return types.void(array, types.int64, out, types.int64), code


@intrinsic
def copy_bytes(_typing: Any, array: Any, index: Any, count: Any, out: Any) -> Any:
    """Copy array[index : index + count] to out[:count], which may overlap; the count is not negative."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        source = element_address(context, builder, signature.args[0], args[0], args[1], width=args[2])
        zero = ir.Constant(_WORD, 0)
        target = element_address(context, builder, signature.args[3], args[3], zero, width=args[2])
        cgutils.raw_memmove(builder, target, source, args[2], 1)  # type: ignore[no-untyped-call] # numba's
        return context.get_dummy_value()

    return types.void(array, types.int64, types.int64, out), code


@intrinsic
def clear_wide(_typing: Any, out: Any, index: Any) -> Any:
    """Set 64 bytes of an array to 0."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        _store(context, builder, signature.args[0], args[0], args[1], _all(0))
        return context.get_dummy_value()

    return types.void(out, types.int64), code
