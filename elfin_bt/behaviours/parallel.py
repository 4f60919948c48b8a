# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""A parallel whose policy is checked and may select the children that decide."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from py_trees import composites
from py_trees.behaviour import Behaviour
from py_trees.common import ParallelPolicy
from py_trees.ports import PortInformation, PortsMixin

POLICIES = ('success_on_all', 'success_on_one', 'success_on_selected')


class Parallel(PortsMixin, composites.Parallel):
    """Ticks all children in every tick.

    * SUCCESS: all, one, or the ``selected`` children succeeded, by ``policy``.
    * FAILURE: a child failed; the others have been interrupted.
    * RUNNING: otherwise. A child that succeeded is not ticked again.

    The XML parser's own Parallel takes an unknown policy for success_on_one and has no way to
    select. ``selected`` names children as they are named in the XML, separated by ``;``.
    """

    INPUT_PORTS: dict[str, PortInformation] = {}
    OUTPUT_PORTS: dict[str, PortInformation] = {}

    def __init__(
        self,
        name: str,
        children: Sequence[Behaviour],
        policy: str,
        selected: str = '',
        **kwargs: Any,
    ) -> None:
        super().__init__(
            name=name, policy=_policy(policy, selected, children), children=children, **kwargs
        )


def split_names(selected: str) -> list[str]:
    """Return the names in a ``selected`` attribute."""
    return [name.strip() for name in selected.split(';') if name.strip()]


def _policy(policy: str, selected: str, children: Sequence[Behaviour]) -> ParallelPolicy.Base:
    if policy == 'success_on_all':
        return ParallelPolicy.SuccessOnAll(synchronise=True)
    if policy == 'success_on_one':
        return ParallelPolicy.SuccessOnOne()
    if policy != 'success_on_selected':
        raise ValueError(f"policy '{policy}' is not one of {', '.join(POLICIES)}")
    # The parser puts the names of all ancestors in front: 'session.drawing job.execute'.
    by_name = {child.name.rsplit('.', 1)[-1]: child for child in children}
    try:
        chosen = [by_name[name] for name in split_names(selected)]
    except KeyError as error:
        raise ValueError(f'selected child {error} is not a child of this parallel') from None
    return ParallelPolicy.SuccessOnSelected(children=chosen, synchronise=True)
