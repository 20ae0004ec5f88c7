"""What this machine's processor means for the engine: how many threads, and which kernels are exact."""

from __future__ import annotations

import os
from pathlib import Path

_X86 = frozenset({"x86_64", "amd64", "i386", "i686"})
_CPUINFO = Path("/proc/cpuinfo")
_CPUINFO_BYTES = 16_384  # the first core's entry; the file has one for each
# simsimd's names of instruction sets that contain VNNI.
_WITH_VNNI = ("ice", "sierra")


def usable_cores() -> int:
    """Cores this process may run on, at least 1."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0)) or 1
    return os.cpu_count() or 1


def int8_saturates() -> bool:
    """Whether products of unsigned by signed bytes overflow here: on x86 processors without VNNI.

    onnxruntime can then multiply unsigned bytes instead, which is exact; with VNNI that would only be slower.
    """
    import platform

    if platform.machine().lower() not in _X86:
        return False
    try:
        with _CPUINFO.open(encoding="ascii", errors="replace") as file:
            return "vnni" not in file.read(_CPUINFO_BYTES)
    except OSError:
        import simsimd

        capabilities = simsimd.get_capabilities()
        return not any(capabilities.get(name) for name in _WITH_VNNI)
