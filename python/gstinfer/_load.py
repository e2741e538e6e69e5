# SPDX-FileCopyrightText: 2026 The inferfilter authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Finds the libraries, the typelibs and the plugin.

A wheel has them in its folder lib/; an installation has them where the system
looks.
"""

import os
import pathlib
from typing import Any

import gi

_LIB = pathlib.Path(__file__).parent / "lib"


def _repository() -> Any:
    # 3.0 is that of PyGObject ≥ 3.52.
    gi.require_version("GIRepository",
                       "3.0" if gi.version_info >= (3, 51) else "2.0")
    from gi.repository import GIRepository
    kind = GIRepository.Repository
    return kind.dup_default() if hasattr(kind, "dup_default") else kind


def _add_bundled(lib: pathlib.Path) -> None:
    repository = _repository()
    repository.prepend_search_path(str(lib / "girepository-1.0"))
    repository.prepend_library_path(str(lib))
    plugins = str(lib / "gstreamer-1.0")
    before = os.environ.get("GST_PLUGIN_PATH_1_0",
                            os.environ.get("GST_PLUGIN_PATH"))
    os.environ["GST_PLUGIN_PATH_1_0"] = os.pathsep.join(
        filter(None, (plugins, before)))


_BUNDLED = _LIB.is_dir()
if _BUNDLED:
    _add_bundled(_LIB)
gi.require_version("Gst", "1.0")
gi.require_version("GstVideo", "1.0")
gi.require_version("Infer", "1.0")
gi.require_version("GstInfer", "1.0")
from gi.repository import Gst, GstInfer, GstVideo, Infer  # noqa: E402

if _BUNDLED and Gst.is_initialized():
    Gst.Registry.get().scan_path(str(_LIB / "gstreamer-1.0"))
Gst.init(None)

__all__ = ["Gst", "GstInfer", "GstVideo", "Infer"]
