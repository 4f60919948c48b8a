# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""Elfin5 kinematics, vectorised over configurations. Metres, radians, seconds; numpy only."""

from elfin_bt.kinematics.forward import fk, jacobian, tip_heights, tip_positions
from elfin_bt.kinematics.inverse import BRANCHES, branch_of, ik, ik_branch
from elfin_bt.kinematics.limits import JOINT_NAMES, JointLimits
from elfin_bt.kinematics.plane import PaperFrame

__all__ = [
    'BRANCHES',
    'JOINT_NAMES',
    'JointLimits',
    'PaperFrame',
    'branch_of',
    'fk',
    'ik',
    'ik_branch',
    'jacobian',
    'tip_heights',
    'tip_positions',
]
