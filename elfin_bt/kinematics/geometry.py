# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""Dimensions of the Elfin5 and the pen, in metres; config/elfin5.urdf says the same.

The arm has neither a shoulder nor an elbow offset, and its axes 4, 5 and 6 meet in one point:

    base --SHOULDER_HEIGHT-- shoulder --UPPER_ARM-- elbow --FOREARM-- wrist centre --FLANGE-- flange

At zero joints all of it stands straight up along the world's z.
"""

SHOULDER_HEIGHT = 0.220
UPPER_ARM = 0.380
FOREARM = 0.420
FLANGE = 0.1565
PEN_LENGTH = 0.150
