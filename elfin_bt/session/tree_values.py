# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""The port attributes of a node: complete, known, and of the right type."""

from __future__ import annotations

import re
from typing import Any

from py_trees.ports import PortsMixin
from py_trees.ports_utils import convert_str_to_type

from elfin_bt.session.tree_xml import Element

_KEY = re.compile(r'\{([A-Za-z_][A-Za-z0-9_]*)\}')


def key_of(element: Element, attribute: str) -> str | None:
    """Return the blackboard key in an attribute written ``{key}``, None for a constant.

    Raises TreeError for a half-written key.
    """
    value = element.attributes[attribute]
    match = _KEY.fullmatch(value)
    if match is None and ('{' in value or '}' in value):
        element.fail(f"{attribute}='{value}': a key is written {{name}}, with letters, digits, _")
    return match.group(1) if match else None


def check_ports(element: Element, cls: type[PortsMixin]) -> None:
    """Check the attributes of a node against the ports that its class declares."""
    inputs, outputs = cls.input_ports(), cls.output_ports()
    known = {**inputs, **outputs}
    for attribute in element.attributes:
        if attribute != 'name' and attribute not in known:
            ports = f'its ports are {", ".join(known)}' if known else 'it has no ports'
            element.fail(f"<{element.tag}> knows no attribute '{attribute}': {ports}")
    for port, information in known.items():
        if port not in element.attributes:
            if information.required and not information.has_default:
                element.fail(f"<{element.tag}> needs its port '{port}': {information.description}")
            continue
        if key_of(element, port) is not None:
            continue
        if port in outputs:
            element.fail(f"{port}='{element.attributes[port]}': an output needs a key, {{name}}")
        check_constant(element, port, element.attributes[port], information.data_type)


def check_constant(element: Element, port: str, value: str, data_type: Any) -> None:
    """Check that the text of a constant can be read as the type of its port."""
    try:
        converted, _ = convert_str_to_type(value, data_type)
    except ValueError:
        converted = False
    if not converted:
        element.fail(f"{port}='{value}' is not of type {data_type.__name__}")
