# Copyright 2026 The elfin_bt authors
# SPDX-License-Identifier: Apache-2.0
"""The effort set, tau = tau_command + gravity + Coriolis: a simulated arm floats with it."""

import numpy as np
import pinocchio
import pytest

from elfin_bt.hardware.robco.command import Command
from elfin_bt.hardware.robco.dynamics import ArmDynamics
from elfin_bt.hardware.robco.effort import EffortLaw
from elfin_bt.hardware.robco.settings import RobcoSettings
from elfin_bt.hardware.robco.simulated_arm import CommandRefused, SimulatedArm
from elfin_bt.resources import share_path

URDF = share_path('config/elfin5.urdf')
POSES = {
    'ready': np.array([0.0, 0.0, -np.pi / 2, 0.0, -np.pi / 2, 0.0]),
    'stretched out': np.array([0.3, np.pi / 2, 0.0, 0.0, 0.0, 0.0]),
    'odd': np.array([-1.0, 0.7, 1.2, -0.4, 0.9, 2.0]),
}
GRAVITY = 9.81


@pytest.fixture(scope='module')
def dynamics() -> ArmDynamics:
    return ArmDynamics(URDF)


def law(dynamics: ArmDynamics, compensation: str) -> EffortLaw:
    return EffortLaw(dynamics, RobcoSettings(compensation=compensation))


def arm_in(pose: str, dynamics: ArmDynamics, *, compensates: bool) -> SimulatedArm:
    arm = SimulatedArm(dynamics, POSES[pose], compensates=compensates)
    arm.enable(True)
    return arm


# The model


def test_the_arm_weighs_what_its_file_says_and_every_link_is_possible() -> None:
    model = pinocchio.buildModelFromUrdf(str(URDF))
    total = sum(inertia.mass for inertia in model.inertias)  # the fixed base and the pen apart
    assert total == pytest.approx(23.05)
    for inertia in list(model.inertias)[1:]:
        moments = np.linalg.eigvalsh(inertia.inertia)
        assert moments[0] > 0.0
        assert moments[0] + moments[1] > moments[2]  # no body exceeds that


@pytest.mark.parametrize('pose', POSES)
def test_gravity_torques_are_the_slope_of_the_potential_energy(dynamics, pose) -> None:
    model = pinocchio.buildModelFromUrdf(str(URDF))
    data = model.createData()

    def energy(q: np.ndarray) -> float:
        pinocchio.centerOfMass(model, data, q)
        return GRAVITY * pinocchio.computeTotalMass(model) * data.com[0][2]

    q, step = POSES[pose], 1e-5
    slope = [(energy(q + step * e) - energy(q - step * e)) / (2 * step) for e in np.eye(6)]
    assert dynamics.bias(q, np.zeros(6)) == pytest.approx(np.array(slope), abs=1e-5)


def test_the_shoulder_carries_mass_times_lever(dynamics) -> None:
    # Stretched out horizontally: moments about the shoulder of links 2 to 6 and the pen, whose
    # centres lie at these distances from it along the arm (m), by the masses in the URDF (kg).
    levers = {
        0.1684: 6.5,  # link 2
        0.38: 3.5,  # link 3: its centre lies beside the arm's line
        0.38 + 0.2481: 2.6,
        0.38 + 0.42: 1.7,
        0.38 + 0.42 + 0.1305: 0.7,
        0.38 + 0.42 + 0.1565 + 0.15 - 0.08: 0.05,
    }
    torque = GRAVITY * sum(lever * mass for lever, mass in levers.items())
    stretched = np.array([0.0, np.pi / 2, 0.0, 0.0, 0.0, 0.0])
    assert abs(dynamics.bias(stretched, np.zeros(6))[1]) == pytest.approx(torque, rel=0.03)


def test_mass_matrix_and_forward_dynamics_agree(dynamics) -> None:
    rng = np.random.default_rng(2)
    for q in POSES.values():
        v, a = rng.uniform(-1, 1, (2, 6))
        effort = dynamics.inertial(q, a) + dynamics.bias(q, v)
        assert dynamics.acceleration(q, v, effort) == pytest.approx(a, abs=1e-9)


# Floating


@pytest.mark.parametrize('pose', POSES)
@pytest.mark.parametrize('compensation', ['robot', 'host'])
def test_at_zero_command_the_arm_floats_where_it_is(dynamics, pose, compensation) -> None:
    arm = arm_in(pose, dynamics, compensates=compensation == 'robot')
    host = law(dynamics, compensation)
    for _ in range(250):  # 1 s
        arm.take(Command.effort(host.floating(arm.position, arm.velocity)))
        arm.advance(0.004)
    assert arm.position == pytest.approx(POSES[pose], abs=1e-6)
    assert arm.velocity == pytest.approx(np.zeros(6), abs=1e-6)


def test_a_push_sends_a_floating_arm_on_without_loss(dynamics) -> None:
    arm = arm_in('odd', dynamics, compensates=True)
    arm.velocity = np.array([0.2, -0.1, 0.1, 0.3, -0.2, 0.1])
    arm.take(Command.effort(np.zeros(6)))
    arm.advance(1.0)
    # Nothing but Coriolis torques would change the velocity, and they are taken away as well.
    assert arm.position == pytest.approx(
        POSES['odd'] + 1.0 * np.array([0.2, -0.1, 0.1, 0.3, -0.2, 0.1]), abs=1e-6
    )


def test_a_bare_arm_falls_and_a_doubly_compensated_one_rises(dynamics) -> None:
    out = POSES['stretched out']
    model = pinocchio.buildModelFromUrdf(str(URDF))
    data = model.createData()

    def height(q: np.ndarray) -> float:
        return float(pinocchio.centerOfMass(model, data, q)[2])

    bare = arm_in('stretched out', dynamics, compensates=False)
    bare.take(Command.effort(law(dynamics, 'robot').floating(out, np.zeros(6))))
    bare.advance(0.1)
    assert height(bare.position) < height(out) - 0.005
    twice = arm_in('stretched out', dynamics, compensates=True)
    twice.take(Command.effort(law(dynamics, 'host').floating(out, np.zeros(6))))
    twice.advance(0.1)
    assert height(twice.position) > height(out) + 0.005


# Following


@pytest.mark.parametrize('compensation', ['robot', 'host'])
def test_a_disturbed_joint_comes_back_as_a_critically_damped_mass(dynamics, compensation) -> None:
    arm = arm_in('odd', dynamics, compensates=compensation == 'robot')
    host = law(dynamics, compensation)  # 400 1/s2 and 40 1/s: both poles at -20 1/s
    reference = POSES['odd'], np.zeros(6), np.zeros(6)
    arm.position = POSES['odd'] + 0.01
    for _ in range(200):
        arm.take(Command.effort(host.following(arm.position, arm.velocity, reference=reference)))
        arm.advance(0.0005)
    t = 0.1
    expected = 0.01 * (1 + 20 * t) * np.exp(-20 * t)
    assert arm.position - POSES['odd'] == pytest.approx(np.full(6, expected), abs=1e-4)


def test_efforts_stay_within_the_arms_limits(dynamics) -> None:
    effort = law(dynamics, 'robot').following(
        np.zeros(6), np.zeros(6), reference=(np.full(6, 100.0), np.zeros(6), np.zeros(6))
    )
    assert np.abs(effort) == pytest.approx(np.minimum(np.abs(effort), dynamics.effort_limit))
    assert np.abs(effort[1]) == 420.0


# The simulated arm


def test_a_disabled_arm_refuses_loudly_and_holds(dynamics) -> None:
    arm = SimulatedArm(dynamics, POSES['odd'], compensates=True)
    with pytest.raises(CommandRefused, match='disabled'):
        arm.take(Command.effort(np.zeros(6)))
    arm.advance(1.0)
    assert arm.position == pytest.approx(POSES['odd'], abs=0)


@pytest.mark.parametrize(
    'command',
    [
        Command(('position',), np.zeros((6, 1))),
        Command(('position', 'velocity'), np.zeros((6, 2))),
        Command(('position', 'velocity', 'acceleration', 'effort'), np.zeros((6, 4))),
        Command(('effort',), np.zeros((5, 1))),
        Command(('effort',), np.full((6, 1), np.nan)),
    ],
)
def test_what_is_no_command_set_is_refused(dynamics, command) -> None:
    arm = arm_in('ready', dynamics, compensates=True)
    with pytest.raises(CommandRefused):
        arm.take(command)
