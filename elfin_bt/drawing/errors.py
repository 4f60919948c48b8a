# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""Why a drawing was refused; every message is one line that a person can act on."""


class DrawingError(ValueError):
    """A drawing can't be used. The text says what, the value, the limit and what to do."""


class SvgError(DrawingError):
    """The file can't be read as a drawing."""


class PlacementError(DrawingError):
    """The artwork can't be put on the paper as asked."""


class RecipeError(DrawingError):
    """A recipe is malformed or of an unknown version."""
