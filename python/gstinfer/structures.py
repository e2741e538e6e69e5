# SPDX-FileCopyrightText: 2026 The inferfilter authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A ``Gst.Structure`` as a ``dict``: ``stats``, messages, events."""

from typing import Any

from gi.repository import GObject

from ._load import Gst


def _plain(value: Any) -> Any:
    return structure(value) if isinstance(value, Gst.Structure) else value


def _field(given: Any, name: str) -> Any:
    kind = GObject.type_name(given.get_field_type(name))
    if kind in ("GstValueArray", "GstValueList"):
        get = given.get_array if kind == "GstValueArray" else given.get_list
        found, values = get(name)
        return [_plain(values.get_nth(i)) for i in range(values.n_values)]
    if kind == "GstFraction":
        return given.get_fraction(name)[1:]
    return _plain(given.get_value(name))


def structure(given: Any) -> dict[str, Any]:
    """The fields; structures and arrays in it become dicts and lists."""
    names = [given.nth_field_name(i) for i in range(given.n_fields())]
    return {name: _field(given, name) for name in names}


def message(given: Any) -> tuple[str, dict[str, Any]]:
    """The name and the fields of an element's ``Gst.Message``."""
    content = given.get_structure()
    return content.get_name(), structure(content)
