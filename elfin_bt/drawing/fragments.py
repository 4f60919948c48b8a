# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""Strokes that are joined end to end into chains, never into a ring."""

from __future__ import annotations

from collections.abc import Iterator


class Fragments:
    """Chains of strokes; end 2 k is the start of stroke k, end 2 k + 1 its end."""

    def __init__(self, count: int) -> None:
        self._count = count
        self._joined_to = [-1] * (2 * count)
        # The far end of the chain, kept up to date at the two ends of every chain.
        self._other_end = [end ^ 1 for end in range(2 * count)]
        self.chain_count = count

    def join(self, a: int, b: int) -> bool:
        """Join two ends, unless one is joined already or they are the two ends of one chain."""
        if self._joined_to[a] >= 0 or self._joined_to[b] >= 0 or self._other_end[a] == b:
            return False
        self._joined_to[a], self._joined_to[b] = b, a
        far_a, far_b = self._other_end[a], self._other_end[b]
        self._other_end[far_a], self._other_end[far_b] = far_b, far_a
        self.chain_count -= 1
        return True

    def free_ends(self) -> list[int]:
        """The ends that nothing is joined to."""
        return [end for end, other in enumerate(self._joined_to) if other < 0]

    def other_end(self, end: int) -> int:
        """The far end of the chain that a free end belongs to."""
        return self._other_end[end]

    def chain_from(self, end: int) -> list[tuple[int, bool]]:
        """The strokes of a chain from its free end on, and whether each is turned round."""
        chain = []
        while end >= 0:
            chain.append((end // 2, bool(end % 2)))
            end = self._joined_to[end ^ 1]
        return chain

    def chains(self) -> Iterator[list[tuple[int, bool]]]:
        """Every chain once, begun at the end with the lower number."""
        for end in self.free_ends():
            if end <= self._other_end[end]:
                yield self.chain_from(end)
