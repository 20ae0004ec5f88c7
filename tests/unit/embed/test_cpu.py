"""Which processors need the exact kernels."""

from __future__ import annotations

import platform
from pathlib import Path

import pytest
import simsimd

from gnomon.embed import cpu


def test_at_least_one_core_is_usable() -> None:
    """Threads default to what this process may use."""
    assert cpu.usable_cores() >= 1


@pytest.mark.parametrize(
    ("machine", "flags", "saturates"),
    [
        ("x86_64", "flags : fpu avx2 fma", True),
        ("x86_64", "flags : fpu avx2 avx512f avx512bw", True),
        ("x86_64", "flags : fpu avx2 avx512f avx512_vnni", False),
        ("AMD64", "flags : fpu avx2 avx_vnni", False),
        ("aarch64", "Features : fp asimd", False),
    ],
)
def test_only_x86_without_vnni_saturates(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    machine: str,
    flags: str,
    saturates: bool,  # noqa: FBT001
) -> None:
    """Linux names the instruction sets; other architectures have no such kernels."""
    (tmp_path / "cpuinfo").write_text(flags, encoding="ascii")
    monkeypatch.setattr(cpu, "_CPUINFO", tmp_path / "cpuinfo")
    monkeypatch.setattr(platform, "machine", lambda: machine)
    assert cpu.int8_saturates() is saturates


@pytest.mark.parametrize(
    ("names", "saturates"), [(["haswell"], True), (["haswell", "ice"], False), (["sierra"], False)]
)
def test_systems_without_cpuinfo_are_asked_otherwise(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    names: list[str],
    saturates: bool,  # noqa: FBT001
) -> None:
    """Windows and macOS have no such file."""
    monkeypatch.setattr(cpu, "_CPUINFO", tmp_path / "none")
    monkeypatch.setattr(platform, "machine", lambda: "AMD64")
    monkeypatch.setattr(simsimd, "get_capabilities", lambda: dict.fromkeys(names, True))
    assert cpu.int8_saturates() is saturates
