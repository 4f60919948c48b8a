# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""The collision checker against hand-computed distances and against plain, dense coal queries."""

from itertools import combinations, pairwise
from math import pi
from xml.etree import ElementTree

import coal
import numpy as np
import pinocchio
import pytest

from elfin_bt.kinematics import BRANCHES, PaperFrame, branch_of, ik_branch
from elfin_bt.kinematics.limits import POSITION
from elfin_bt.planning.collision import (
    CLEARANCE,
    FIGURE_TOLERANCE,
    PEN_RADIUS,
    RESOLUTION,
    CollisionChecker,
)
from elfin_bt.resources import share_path

URDF = share_path('config/elfin5.urdf')
NEVER = [
    (entry.attrib['link1'], entry.attrib['link2'])
    for entry in ElementTree.parse(URDF.with_suffix('.srdf')).iter('disable_collisions')
    if entry.attrib['reason'] == 'Never'
] + [(f'elfin_link{number}', 'pen') for number in (3, 4, 5)]
READY = np.array([0.0, 0.0, -pi / 2, 0.0, -pi / 2, 0.0])


@pytest.fixture(scope='module')
def checker():
    return CollisionChecker(URDF)


class PlainArm:
    """Distances between bodies, by one coal query for each pair of shapes."""

    def __init__(self):
        self.model = pinocchio.buildModelFromUrdf(str(URDF))
        self.data = self.model.createData()
        geometry = pinocchio.buildGeomFromUrdf(
            self.model, str(URDF), pinocchio.GeometryType.COLLISION
        )
        self.shapes = {}
        for shape in geometry.geometryObjects:
            link = self.model.frames[shape.parentFrame].name
            self.shapes.setdefault(link, []).append(
                (shape.parentJoint, shape.placement, shape.geometry)
            )
        middle = pinocchio.SE3(np.eye(3), np.array([0.0, 0.0, 0.1565 + 0.075]))
        self.shapes['pen'] = [(6, middle, coal.Capsule(PEN_RADIUS, 0.15))]

    def joint(self, body):
        return self.shapes[body][0][0]

    def distance(self, q, first, second):
        pinocchio.forwardKinematics(self.model, self.data, q)
        return min(
            coal.distance(
                a[2], self._place(a), b[2], self._place(b), coal.DistanceRequest(), result
            )
            for a in self.shapes[first]
            for b in self.shapes[second]
            for result in [coal.DistanceResult()]
        )

    def _place(self, shape):
        placement = self.data.oMi[shape[0]] * shape[1]
        return coal.Transform3s(placement.rotation, placement.translation)

    def height(self, q, body, board=0.10):
        """Lowest point of cylinders and spheres over the board."""
        pinocchio.forwardKinematics(self.model, self.data, q)
        lowest = []
        for joint, placement, shape in self.shapes[body]:
            world = self.data.oMi[joint] * placement
            up = abs(world.rotation[2, 2])
            reach = shape.radius
            if isinstance(shape, coal.Cylinder):
                reach = shape.radius * np.sqrt(max(1.0 - up * up, 0.0)) + shape.halfLength * up
            lowest.append(world.translation[2] - reach)
        return min(lowest) - board

    def nearest(self, q):
        """Smallest distance among all that could meet, board included, pen tip excluded."""
        moving = [f'elfin_link{number}' for number in range(2, 7)]
        bodies = list(self.shapes)
        pairs = [
            (a, b)
            for a, b in combinations(bodies, 2)
            if abs(bodies.index(a) - bodies.index(b)) > 1 and (a, b) not in NEVER
        ]
        return min(
            min(self.distance(q, a, b) for a, b in pairs),
            min(self.height(q, body) for body in moving),
        )


@pytest.fixture(scope='module')
def plain():
    return PlainArm()


def over_paper(points):
    """Joints on the ready pose's branch with the pen's tip at points (N, 3) of the paper."""
    branch = BRANCHES[int(branch_of(READY[None])[0])]
    return ik_branch(PaperFrame().pen_poses(np.array(points, dtype=float)), branch)


def test_ready_and_home_are_free_by_the_upper_arms_height(checker):
    # The shoulder is at 0.22, link 2 is a cylinder of radius 0.06 around it, the board at 0.10.
    poses = np.array([READY, np.zeros(6)])
    assert checker.check(poses) is None
    np.testing.assert_allclose(checker.clearance(poses), 0.06, atol=1e-6)


def test_clearance_is_that_of_plain_queries(checker, plain):
    for q in np.random.default_rng(8).uniform(*POSITION.T, (60, 6)):
        distance = plain.nearest(q)
        if distance > 0.0:
            assert checker.clearance(q[None])[0] == pytest.approx(distance, abs=1e-6)
        else:
            assert checker.clearance(q[None])[0] <= 1e-6


def test_an_arm_in_the_board_is_named_with_its_depth(checker):
    # Upper arm level, forearm straight down, hand level: the wrist is 0.42 m below the shoulder's
    # 0.22, so 0.3 m below the board, and the hand's cylinder has a radius of 0.045.
    q = np.array([[0.0, pi / 2, -pi / 2, 0.0, -pi / 2, 0.0]])
    collision = checker.check(q)
    assert (collision.index, collision.first, collision.second) == (0, 'board', 'elfin_link6')
    assert collision.distance == pytest.approx(-0.345, abs=1e-9)
    assert str(collision) == 'board overlaps elfin_link6 by 345.0 mm'


def test_the_pen_may_be_as_deep_as_allowed_and_no_deeper(checker):
    q = over_paper([[0.0, 0.0, -0.0005]])
    assert checker.check(q, pen_depth=0.0005) is None
    collision = checker.check(q)
    assert (collision.first, collision.second) == ('pen_tip', 'board')
    assert collision.distance == pytest.approx(-0.0005, abs=1e-12)
    assert str(collision) == 'the pen tip goes 0.5 mm below the paper'


def test_the_board_moves_with_the_paper(checker):
    q = over_paper([[0.0, 0.0, 0.01]])
    assert checker.check(q) is None
    raised = CollisionChecker(URDF, PaperFrame(origin=(-0.46, 0.0, 0.12)))
    assert raised.check(q).distance == pytest.approx(-0.01, abs=1e-12)
    longer = CollisionChecker(URDF, pen_length=0.17)
    assert longer.check(q).distance == pytest.approx(-0.01, abs=1e-12)


def test_a_way_through_the_board_is_found_between_two_free_points(checker):
    # Swinging by 0.3 rad either way lifts the tip by 0.3065 m (1 - cos 0.3) = 13.7 mm.
    low = over_paper([[0.0, -0.1, -0.005]])[0]
    swing = np.array([0.0, 0.0, 0.0, 0.0, 0.3, 0.0])
    ends = np.array([low - swing, low + swing])
    assert checker.check(ends[:1]) is None
    assert checker.check(ends[1:]) is None
    collision = checker.check(ends)
    assert (collision.index, collision.first) == (1, 'pen_tip')


def test_the_first_collision_is_reported_by_the_index_of_its_point(checker):
    way = np.linspace(READY, [0.0, 1.2, -pi / 2, 0.0, -pi / 2, 0.0], 500)
    collision = checker.check(way)
    assert checker.check(way[: collision.index]) is None
    assert checker.check(way[collision.index :]).index == 0


def test_long_paths_are_checked_in_blocks_without_a_gap(checker, monkeypatch):
    way = np.linspace(READY, [0.0, 1.2, -pi / 2, 0.0, -pi / 2, 0.0], 500)
    whole = checker.check(way)
    monkeypatch.setattr('elfin_bt.planning.collision._BLOCK', 7)
    assert checker.check(way) == whole


def hatched(size, height, lines):
    """Points along lines to and fro over the paper, 2 mm apart."""
    along = np.linspace(-size, size, int(size / 1e-3) + 1)
    return np.array(
        [
            (x if line % 2 else -x, y, height)
            for line, y in enumerate(np.linspace(-size, size, lines))
            for x in along
        ]
    )


def hatching(size, height=-0.0005, lines=13):
    """Joints along such lines."""
    return over_paper(hatched(size, height, lines))


def test_the_clearance_of_a_drawing_is_that_of_all_its_rows_within_the_tolerance(checker):
    way = hatching(0.11)
    survey = checker.survey(way, pen_depth=0.0005)
    smallest = checker.clearance(way).min()
    assert survey.collision is None
    assert smallest <= survey.clearance <= smallest + FIGURE_TOLERANCE


@pytest.mark.parametrize('share', [0.0, 0.001, 0.01, 0.1, 0.5])
def test_a_long_path_collides_where_looking_at_every_row_finds_it(share):
    # Over a low board the elbow's fold is nearest, and how near depends on the place.
    low = PaperFrame(origin=(-0.46, 0.0, 0.0))
    checker = CollisionChecker(URDF, low)
    way = ik_branch(low.pen_poses(hatched(0.11, 0.1, 13)), BRANCHES[int(branch_of(READY[None])[0])])
    distances = checker.clearance(way)
    clearance = np.quantile(distances, share)
    found = checker.check(way, clearance=clearance)
    if found is None:
        assert distances.min() >= clearance - RESOLUTION
    else:
        first, surely = distances < clearance, distances < clearance - RESOLUTION
        assert first[found.index]
        assert not surely[: found.index].any()  # at most what is free within RESOLUTION is passed
    assert share == 0.0 or checker.check(way, clearance=clearance + RESOLUTION) is not None


def test_one_bad_excursion_in_a_long_drawing_is_found(checker):
    way = hatching(0.11, height=0.01)
    lean = np.sin(np.linspace(0.0, pi, 41))[:, None] * np.array([0.0, 1.2, 0.0, 0.0, 0.0, 0.0])
    for first in (3, 700, len(way) - 45):
        bad = way.copy()
        bad[first : first + 41] += lean
        found = checker.check(bad)
        assert found is not None
        assert first <= found.index <= first + 40
        assert checker.check(bad[: found.index]) is None


def test_the_tip_is_followed_between_the_rows_of_a_long_path(checker):
    # Rows at the same height, but the swing from one to the next passes 13.7 mm lower.
    low = over_paper([[0.0, -0.1, 0.01]])[0]
    swing = np.array([0.0, 0.0, 0.0, 0.0, 0.3, 0.0])
    way = np.array([low - swing] * 50 + [low + swing] * 50)
    assert checker.tip_heights(way).min() > 0.02
    assert checker.check(way) is None  # passes at +10 mm
    lower = over_paper([[0.0, -0.1, -0.002]])[0]
    found = checker.check(np.array([lower - swing] * 50 + [lower + swing] * 50))
    assert (found.index, found.first) == (50, 'pen_tip')


def test_what_is_found_free_is_free_everywhere_on_the_way(checker, plain):
    random = np.random.default_rng(9).uniform(*POSITION.T, (4000, 6))
    low = [
        q for q in random if checker.tip_heights(q[None])[0] < 0.1 and not checker.check(q[None])
    ]
    outcomes = []
    for ends in map(np.array, pairwise(low[:60])):
        way = np.linspace(*ends, 60)
        free = checker.check(ends) is None
        outcomes.append(free)
        if free:
            nearest = min(plain.nearest(q) for q in way)
            assert nearest > CLEARANCE - RESOLUTION
            assert checker.tip_heights(way).min() > -1e-4
        else:
            dense = np.linspace(*ends, 3000)
            at = dense[checker.check(dense).index]
            touching = plain.nearest(at) < CLEARANCE + RESOLUTION
            assert touching or checker.tip_heights(at[None])[0] < 1e-4
    assert any(outcomes)
    assert not all(outcomes)


@pytest.mark.parametrize(('first', 'second'), NEVER)
def test_a_pair_that_is_not_checked_never_meets(plain, first, second):
    assert never_nearer(plain, first, second, CLEARANCE)


def test_the_search_itself_finds_pairs_that_do_meet(plain):
    assert not never_nearer(plain, 'elfin_link2', 'pen', CLEARANCE)


def never_nearer(arm, first, second, distance):
    """Branch and bound over all joints between the two bodies: a proof, not a sample."""
    joints = list(range(arm.joint(first), arm.joint(second)))
    reach = np.array([farthest(arm, second, joint) for joint in joints])
    lower, upper = POSITION[joints].T
    cells = [((lower + upper) / 2, (upper - lower) / 2)]
    while cells:
        centre, half = cells.pop()
        q = np.zeros(6)
        q[joints] = centre
        spare = arm.distance(q, first, second) - distance
        if spare <= 0.0:
            return False
        if reach @ half >= spare:
            widest = np.argmax(reach * half)
            part = half * np.where(np.arange(len(half)) == widest, 0.5, 1.0)
            shift = np.where(np.arange(len(half)) == widest, part, 0.0)
            cells += [(centre - shift, part), (centre + shift, part)]
    return True


def farthest(arm, body, joint):
    """How far a body ever is from the axis of a joint (from 0) before it, at most."""
    own, radius = arm.joint(body), 0.0
    for _, placement, shape in arm.shapes[body]:
        shape.computeLocalAABB()
        centre = np.linalg.norm(placement.act(shape.aabb_center))
        radius = max(radius, centre + shape.aabb_radius)
    offsets = [np.linalg.norm(arm.model.jointPlacements[k].translation) for k in range(7)]
    return radius + sum(offsets[joint + 2 : own + 1])
