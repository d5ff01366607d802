"""Triton's interpreter as it is, without what it does over and over for each operation of a kernel: most of its time, for toys.

What it computes is not touched, but only what it looks up and describes: the stand-ins of the language, and the types of values.
"""

import inspect
from collections.abc import Callable, Sequence
from functools import cache

import numpy as np
import triton.language as tl
from triton.runtime import interpreter

__all__ = ["describe_types_once", "stand_in_once"]


def stand_in_once() -> None:
    """Stand-ins of the language stay where they are. At every start of a kernel, and of what kernels call, they are put there anew."""
    patch = interpreter._patch_lang
    modules = set()

    @cache
    def names(package: object) -> list[str]:
        return [name for name, member in inspect.getmembers(package) if tl.core.is_builtin(member)]

    def patch_builtin(package: object, *given: object) -> None:
        for name in names(package):
            if tl.core.is_builtin(member := getattr(package, name)):
                interpreter._patch_attr(package, name, member, *given)

    def patch_module(function: Callable) -> interpreter._LangPatchScope:
        if function.__module__ not in modules:
            modules.add(function.__module__)
            patch(function)
        return interpreter._LangPatchScope()  # with nothing to restore

    interpreter._patch_builtin, interpreter._patch_lang = patch_builtin, patch_module


def describe_types_once() -> None:
    """A type of blocks has one description, which all its values share; so has a number. Tuples are of no type that anything asks for."""
    describe, convert = tl.block_type.__init__, cache(interpreter._get_np_dtype)
    one, none = tl.constexpr(1), tl.tuple([])

    def describe_block(self: tl.block_type, element: tl.dtype, shape: Sequence) -> None:
        sizes = tuple([getattr(size, "value", size) for size in shape])
        key = element.name, sizes
        if key not in known:
            describe(self, element, shape)
            known[key] = self.shape, self.numel, self.name, tl.tuple([tl.constexpr(size) for size in sizes]), tl.constexpr(self.numel)
        self.element_ty = element
        self.shape, self.numel, self.name, self.shape_of_tensors, self.numel_of_tensors = known[key]

    def hold(self: tl.tensor, handle: object, type: tl.dtype) -> None:
        self.handle, self.type, self.dtype = handle, type, type.scalar
        self.shape, self.numel = (type.shape_of_tensors, type.numel_of_tensors) if type.is_block() else (none, one)

    def numpy_dtype(of: tl.dtype) -> np.dtype:
        return np.dtype(np.uint64) if of.scalar.is_ptr() else convert(of.scalar)

    known = {}
    tl.block_type.__init__, tl.tensor.__init__, interpreter._get_np_dtype = describe_block, hold, numpy_dtype
    tl.core._type_for_tuple_values = lambda values, fields=None: None
