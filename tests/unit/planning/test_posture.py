# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""The choice of the arm's branch for a whole path."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from elfin_bt.kinematics import BRANCHES, PaperFrame, branch_of, tip_positions
from elfin_bt.kinematics.geometry import FLANGE, FOREARM, PEN_LENGTH, SHOULDER_HEIGHT, UPPER_ARM
from elfin_bt.kinematics.inverse import Branch
from elfin_bt.kinematics.limits import POSITION, within_position_limits
from elfin_bt.planning.collision import CollisionChecker
from elfin_bt.planning.joints import follow
from elfin_bt.planning.posture import choose_branch, margin
from elfin_bt.planning.settings import READY_POSE, PlannerConfig
from elfin_bt.resources import share_path

READY = np.array(READY_POSE)
READY_BRANCH = int(branch_of(READY[None])[0])
BEHIND, IN_FRONT = Branch(-1, -1, -1), Branch(1, 1, 1)  # elbow up on either side


def disc(radius=0.16, height=0.0):
    """Points all over the working disc, m."""
    ring, turn = np.meshgrid(np.linspace(0.0, radius, 40), np.linspace(0.0, 2.0 * np.pi, 120))
    x, y = ring * np.cos(turn), ring * np.sin(turn)
    return np.stack([x.ravel(), y.ravel(), np.full(x.size, height)], axis=1)


def config(**settings_):
    return PlannerConfig(**{'paper': PaperFrame(), **settings_})


def test_over_the_usual_paper_it_is_that_of_the_ready_pose_with_the_elbows_margin():
    posture = choose_branch(disc(), config())
    assert posture.branch == READY_BRANCH
    assert posture.margin.cause == 'elfin_joint3'
    # Folded most at its nearest, 0.30 m from axis 1: the law of cosines.
    height = 0.10 + PEN_LENGTH + FLANGE - SHOULDER_HEIGHT
    cosine = (0.30**2 + height**2 - UPPER_ARM**2 - FOREARM**2) / (2.0 * UPPER_ARM * FOREARM)
    assert posture.margin.value == pytest.approx(1.0 - np.arccos(cosine) / 2.61, abs=1e-6)


def test_paper_on_the_other_side_of_the_robot_is_drawn_on_by_the_other_shoulder():
    there = config(paper=PaperFrame(origin=(0.46, 0.0, 0.10)))
    posture = choose_branch(disc(), there)
    assert BRANCHES[posture.branch] == IN_FRONT
    assert posture.margin.value > 0.14
    tip = there.paper.to_paper(tip_positions(posture.start[None]))[0]
    np.testing.assert_allclose(tip, disc()[0], atol=1e-12)
    q = follow(posture.start, disc(), disc(), there.paper, 0.0, PEN_LENGTH).positions
    assert within_position_limits(q).all()
    assert (branch_of(q) == posture.branch).all()


def test_beside_the_robot_both_are_as_good_and_the_preferred_one_wins():
    beside = config(paper=PaperFrame(origin=(0.0, 0.46, 0.10)))
    assert choose_branch(disc(), beside).branch == READY_BRANCH
    other = np.array([np.pi / 2, -0.2, 1.8, 0.0, 1.1, 0.0])
    assert BRANCHES[choose_branch(disc(), beside, preferred=other).branch] == IN_FRONT


def test_a_comfortable_preferred_branch_wins_over_a_roomier_one():
    # With the pen turned, joint 6 is at -2.9 rad on the one branch and at 0.27 on the other.
    beside = config(paper=PaperFrame(origin=(0.0, 0.46, 0.10)), pen_yaw=1.3)
    narrow = choose_branch(disc(0.02), beside)
    only_front = choose_branch(disc(0.02), beside, candidates=[IN_FRONT])
    assert narrow.branch == READY_BRANCH
    assert narrow.margin.cause == 'elfin_joint6'
    assert 0.05 <= narrow.margin.value < only_front.margin.value
    tight = config(paper=PaperFrame(origin=(0.0, 0.46, 0.10)), pen_yaw=1.45)
    assert BRANCHES[choose_branch(disc(0.02), tight).branch] == IN_FRONT


def test_free_yaw_leaves_joint_6_its_whole_range():
    beside = PaperFrame(origin=(0.0, 0.46, 0.10))
    fixed = choose_branch(disc(), config(paper=beside, pen_yaw=1.4), candidates=[BEHIND])
    free = choose_branch(
        disc(), config(paper=beside, pen_yaw=1.4, free_yaw=True), candidates=[BEHIND]
    )
    assert fixed.margin.cause == 'elfin_joint6'
    assert fixed.margin.value < 0.0
    assert free.margin.cause == 'elfin_joint3'
    assert free.start[5] == -1.4


def test_lifts_and_travel_count_as_well():
    drawn = disc(0.05)
    far_lift = np.array([[0.0, 0.0, 0.40]])
    whole = choose_branch(np.concatenate([drawn, far_lift]), config())
    assert whole.margin.value < choose_branch(drawn, config()).margin.value
    q = follow(READY, far_lift, far_lift, PaperFrame(), 0.0, PEN_LENGTH).positions
    assert whole.margin.value == pytest.approx(margin(q).value)


def test_out_of_reach_of_all_branches_it_stays_with_the_preferred_one():
    posture = choose_branch(disc() + [-0.5, 0.0, 0.0], config())
    assert posture.margin.value == -np.inf
    assert posture.margin.cause == 'reach'
    assert posture.branch == READY_BRANCH


def test_a_branch_that_would_collide_is_not_chosen():
    checker = CollisionChecker(share_path('config/elfin5.urdf'))
    posture = choose_branch(disc(), config(), clearance=checker.clearance)
    assert posture.branch == READY_BRANCH
    beside = config(paper=PaperFrame(origin=(0.0, 0.46, 0.10)))
    obstructed = choose_branch(
        disc(), beside, clearance=lambda q: np.where(q[:, 2] < 0.0, 0.01, 0.5)
    )
    assert BRANCHES[obstructed.branch] == IN_FRONT


def test_where_all_collide_the_preferred_branch_and_the_clearance_are_named():
    # A board over the shoulder: whatever the branch, the upper arm stands in it.
    high = PaperFrame(origin=(-0.46, 0.0, 0.30))
    checker = CollisionChecker(share_path('config/elfin5.urdf'), high)
    posture = choose_branch(disc(), config(paper=high), clearance=checker.clearance)
    assert posture.branch == READY_BRANCH
    assert posture.margin.cause == 'clearance'
    assert posture.margin.value < 0.0


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 60), st.sampled_from([0.01, 0.5, 3.0]))
def test_the_margin_is_the_worst_of_all_rows(seed, count, spread):
    random = np.random.default_rng(seed)
    turns = np.cumsum(random.normal(0.0, spread / count, (count, 6)), axis=0)
    q = random.uniform(-2.0, 2.0, 6) + turns
    lower, upper = POSITION.T
    joints = (np.minimum(q - lower, upper - q) / (0.5 * (upper - lower))).min()
    # On the way between the rows as well: a sine that passes through zero is zero.
    share = np.linspace(0.0, 1.0, 400)[:, None, None]
    way = ((1 - share) * q[:-1] + share * q[1:]).reshape(-1, 6) if count > 1 else q
    sines = ((np.abs(np.sin(way[:, [2, 4]])) - 0.08) / 0.92).min()
    assert margin(q).value == pytest.approx(min(joints, sines), abs=0.02 * spread)


def test_no_candidates_is_an_error():
    with pytest.raises(ValueError, match='no branch'):
        choose_branch(disc(), config(), candidates=[])
