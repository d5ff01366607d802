"""Sections of IEEE float32, and of TF32: whatever was allowed elsewhere and however, they hold within, and all of it does afterwards."""

import threading
from collections.abc import Callable, Iterator

import pytest
import torch
import torch.nn.functional as F
from torch import backends

from engines.kit.nn.ieee_float32 import ieee_float32, no_other_precision, tensor_float32

SETTINGS: dict[str, Callable[[], object]] = {
    "fp32_precision": lambda: backends.fp32_precision,
    "cudnn.fp32_precision": lambda: backends.cudnn.fp32_precision,
    "mkldnn.fp32_precision": lambda: backends.mkldnn.fp32_precision,
    "cuda.matmul": lambda: backends.cuda.matmul.fp32_precision,
    "cudnn.conv": lambda: backends.cudnn.conv.fp32_precision,
    "cudnn.rnn": lambda: backends.cudnn.rnn.fp32_precision,
    "mkldnn.matmul": lambda: backends.mkldnn.matmul.fp32_precision,
    "mkldnn.conv": lambda: backends.mkldnn.conv.fp32_precision,
    "mkldnn.rnn": lambda: backends.mkldnn.rnn.fp32_precision,
    "matmul precision": torch.get_float32_matmul_precision,
    "cuda.matmul.allow_tf32": lambda: backends.cuda.matmul.allow_tf32,
    "cudnn.allow_tf32": lambda: backends.cudnn.allow_tf32,
    "cudnn.deterministic": lambda: backends.cudnn.deterministic,
    "cudnn.benchmark": lambda: backends.cudnn.benchmark,
}
OPERATIONS = ("cuda.matmul", "cudnn.conv", "cudnn.rnn", "mkldnn.matmul", "mkldnn.conv", "mkldnn.rnn")


def settings() -> dict[str, object]:
    """What torch says; "mixed" where it refuses to, because the two generations of settings disagree."""
    said = {}
    for name, read in SETTINGS.items():
        try:
            said[name] = read()
        except RuntimeError:
            said[name] = "mixed"
    return said


@pytest.fixture(autouse=True)
def as_torch_begins() -> Iterator[None]:
    before = settings()
    yield
    backends.fp32_precision = backends.cudnn.fp32_precision = "none"
    torch.set_float32_matmul_precision("highest")
    backends.cudnn.allow_tf32 = True
    for operation in (backends.cuda.matmul, backends.mkldnn.matmul, backends.mkldnn.conv, backends.mkldnn.rnn):
        operation.fp32_precision = "none"
    backends.cudnn.deterministic = backends.cudnn.benchmark = False
    assert settings() == before


def allow_by_matmul_precision() -> None:
    torch.set_float32_matmul_precision("high")


def allow_bfloat16_by_matmul_precision() -> None:
    torch.set_float32_matmul_precision("medium")


def allow_by_cublas() -> None:
    backends.cuda.matmul.allow_tf32 = True


def allow_everywhere() -> None:
    backends.fp32_precision = "tf32"


def allow_by_operation() -> None:
    backends.cuda.matmul.fp32_precision = backends.cudnn.conv.fp32_precision = "tf32"
    backends.mkldnn.matmul.fp32_precision = backends.mkldnn.conv.fp32_precision = "bf16"


def forbid_in_convolutions_and_allow_by_backend() -> None:
    backends.cudnn.allow_tf32 = False  # which leaves its operations to the backend's setting
    backends.cudnn.fp32_precision = "tf32"


def search_for_fast_algorithms() -> None:
    backends.cudnn.benchmark = True


WAYS = [
    lambda: None,
    allow_by_matmul_precision,
    allow_bfloat16_by_matmul_precision,
    allow_by_cublas,
    allow_everywhere,
    allow_by_operation,
    forbid_in_convolutions_and_allow_by_backend,
    search_for_fast_algorithms,
]


@pytest.mark.parametrize("allow", WAYS)
def test_within_all_is_ieee_and_afterwards_as_it_was(allow):
    allow()
    before = settings()
    with ieee_float32():
        within = settings()
    assert {within[name] for name in OPERATIONS} == {"ieee"}
    assert (within["cudnn.deterministic"], within["cudnn.benchmark"]) == (True, False)
    assert settings() == before


@pytest.mark.parametrize("allow", [*WAYS[:4], WAYS[7]])
def test_within_the_older_settings_can_be_read_too(allow):
    """Which torch.compile does, on any thread: they must agree with the newer ones."""
    allow()
    with ieee_float32():
        within = settings()
    assert (within["matmul precision"], within["cuda.matmul.allow_tf32"], within["cudnn.allow_tf32"]) == ("highest", False, False)


@pytest.mark.parametrize("allow", WAYS)
def test_what_is_inherited_is_inherited_afterwards(allow):
    allow()
    with ieee_float32():
        pass
    mine = {name: value for name, value in settings().items() if name in OPERATIONS}
    parents = {"cuda": backends.cudnn.fp32_precision, "mkldnn": backends.mkldnn.fp32_precision}
    backends.fp32_precision = backends.cudnn.fp32_precision = "ieee"
    now = settings()
    for name, value in mine.items():
        inherits = value == parents["mkldnn" if name.startswith("mkldnn") else "cuda"]
        assert now[name] == ("ieee" if inherits else value)


def test_products_and_convolutions_have_the_bits_of_float32():
    """On a CPU that knows bfloat16 the second setting changes them outside."""
    generator = torch.Generator().manual_seed(0)
    rows, matrix = torch.randn(64, 512, generator=generator), torch.randn(512, 64, generator=generator)
    signal, kernel = torch.randn(1, 32, 200, generator=generator), torch.randn(32, 32, 7, generator=generator)

    def computed() -> tuple[torch.Tensor, torch.Tensor]:
        return rows @ matrix, F.conv1d(signal, kernel)

    exact = computed()
    allow_bfloat16_by_matmul_precision()
    backends.mkldnn.conv.fp32_precision = "bf16"
    with ieee_float32():
        within = computed()
    assert all(torch.equal(mine, expected) for mine, expected in zip(within, exact, strict=True))


@pytest.mark.parametrize("first", [ieee_float32, tensor_float32])
def test_sections_of_two_threads_overlap_and_the_last_restores(first):
    """Also an exact one that outlives the one of TF32 in which it was opened."""
    allow_by_matmul_precision()
    before, opened, may_leave = settings(), threading.Event(), threading.Event()

    def hold() -> None:
        with ieee_float32():
            opened.set()
            assert may_leave.wait(60)

    thread = threading.Thread(target=hold)
    with first():
        thread.start()
        assert opened.wait(60)
    assert settings()["cuda.matmul"] == "ieee"
    may_leave.set()
    thread.join()
    assert settings() == before


def test_an_error_within_restores_too():
    allow_by_cublas()
    before = settings()
    with pytest.raises(ZeroDivisionError), ieee_float32(), ieee_float32():
        _ = 1 / 0
    assert settings() == before


@pytest.mark.parametrize("allow", WAYS)
def test_a_section_of_tf32_allows_it_to_a_gpu_alone_and_afterwards_all_is_as_it_was(allow):
    allow()
    before = settings()
    with tensor_float32():
        within = settings()
    assert [within[name] for name in OPERATIONS] == ["tf32"] * 3 + ["ieee"] * 3
    assert settings() == before


def test_within_a_section_of_tf32_the_older_settings_can_be_read_too():
    with tensor_float32():
        within = settings()
    assert (within["matmul precision"], within["cuda.matmul.allow_tf32"], within["cudnn.allow_tf32"]) == ("high", True, True)


def test_whichever_section_is_opened_first_the_exact_one_counts():
    before = settings()
    with tensor_float32(), ieee_float32():
        assert {settings()[name] for name in OPERATIONS} == {"ieee"}
    with ieee_float32():
        with tensor_float32():
            assert {settings()[name] for name in OPERATIONS} == {"ieee"}
        assert {settings()[name] for name in OPERATIONS} == {"ieee"}
    assert settings() == before


def test_tf32_holds_again_when_another_threads_exact_section_ends():
    before = settings()
    with tensor_float32():
        allowed = settings()
        thread = threading.Thread(target=run_exactly)
        thread.start()
        thread.join()
        assert settings() == allowed != before
    assert settings() == before


def run_exactly() -> None:
    with ieee_float32():
        assert settings()["cuda.matmul"] == "ieee"


@pytest.mark.parametrize("section", [ieee_float32, tensor_float32])
def test_what_is_kept_has_the_precision_of_its_own_sections_whoever_computes_beside_it(section):
    """A CUDA graph keeps what holds when it is captured: sections of other threads end before, and begin after."""
    order, opened, may_leave, inside = [], threading.Event(), threading.Event(), threading.Event()

    def before() -> None:
        with section():
            opened.set()
            assert may_leave.wait(60)
            order.append("before")

    def captured() -> None:
        with no_other_precision():
            order.append("begins")
            inside.set()
            with tensor_float32():
                order.append(settings()["cuda.matmul"])
            after.join(0.2)
            order.append("ends")

    def beside() -> None:
        assert inside.wait(60)
        with section():
            order.append("after")

    first, capturing, after = (threading.Thread(target=work) for work in (before, captured, beside))
    first.start()
    assert opened.wait(60)
    capturing.start()
    after.start()
    may_leave.set()
    for thread in (first, capturing, after):
        thread.join()
    assert order == ["before", "begins", "tf32", "ends", "after"]
