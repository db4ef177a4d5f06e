# SPDX-FileCopyrightText: The Trammel authors
# SPDX-License-Identifier: MIT

"""Dynamics in joint coordinates: M(q) qdd + bias(q, qd) = tau + forces(t, q, qd) + G^T lambda (trammel/joint_space.h)."""

import threading

import numpy as np

from ._lib import ffi, lib
from .batch import Batch
from .errors import Error, Messages, ModelError, NotPickled
from .model import _Built
from .simulation import _doubles, _vector, array


class JointSpace(NotPickled):
    """Mass matrix, bias force, Jacobians, forward and inverse dynamics of a model from arrays of joint coordinates.

        M(q) qdd + bias_force(q, qd) = tau + model_force(q, qd, t) + G^T lambda,     bias_force(q, 0) = gravity_force(q)

    names: the coordinates of q. BODY.x y z rx ry rz of bodies that no joint carries come first (centre of mass [m], rotation vector of the
    principal axes [rad]), then coordinates of joints in the order of model.coordinates. Joints that close loops are constraints and have
    none. start: q at the start of the model."""

    _instead = "make another one of its model"

    def __init__(self, model):
        built = self._built = model if isinstance(model, _Built) else model._build()
        made = ffi.new("trm_joint_space **")
        status = lib.trm_joint_space_create(built.pointer, ffi.NULL, made)
        if status == lib.TRM_OUT_OF_MEMORY:
            raise MemoryError("out of memory")
        if status != lib.TRM_OK:
            raise ModelError("the model has no joint space")
        self._pointer = ffi.gc(made[0], lib.trm_joint_space_destroy)
        self._lock = threading.Lock()
        self.size = lib.trm_joint_space_size(self._pointer)
        self.constraints = lib.trm_joint_space_constraints(self._pointer)
        self.names = [self._name(i) for i in range(self.size)]
        state = ffi.gc(lib.trm_state_create(built.pointer, ffi.NULL), lib.trm_state_destroy)
        if not state:
            raise MemoryError("out of memory")
        self._scratch = state
        self.start = np.zeros(self.size)
        lib.trm_joint_space_read(self._pointer, state, _doubles(self.start), ffi.NULL)

    def _name(self, index):
        name, built = lib.trm_joint_space_name_of(self._pointer, index), self._built
        own = (name.joint, name.coordinate)
        if own in built.coordinates:
            return built.coordinate_names[built.coordinates.index(own)]
        if name.joint >= 0 or name.body >= len(built.bodies):  # made by the model itself: the rotor of an armature
            return f"rotor{name.body - len(built.bodies) + 1}.q{name.coordinate + 1}"
        return f"{built.bodies[name.body]}.{('x', 'y', 'z', 'rx', 'ry', 'rz')[name.coordinate]}"

    def _at(self, q, qd, t):
        """Sets q and qd; the lock is held until the results are read."""
        q = array(self.start if q is None else q, (self.size,), "q")
        qd = array(np.zeros(self.size) if qd is None else qd, (self.size,), "qd")
        if not self._lock.acquire(False):
            raise Error("the joint space is used by another thread; each thread needs its own")
        lib.trm_joint_space_set(self._pointer, float(t), _doubles(q), _doubles(qd))
        return self._lock

    def _read(self, function, q, qd, t, *shape):
        out = np.zeros(shape)
        lock = self._at(q, qd, t)
        try:
            function(self._pointer, _doubles(out))
        finally:
            lock.release()
        return out

    def mass_matrix(self, q=None):
        """Returns M(q), shape (n, n) [kg, kg m, kg m^2]. q: default: the start of the model."""
        return self._read(lib.trm_mass_matrix, q, None, 0, self.size, self.size)

    def bias_force(self, q=None, qd=None):
        """Returns the gyroscopic, centrifugal and gravity terms [N, N m]."""
        return self._read(lib.trm_bias_force, q, qd, 0, self.size)

    def gravity_force(self, q=None):
        """Returns the gravity terms [N, N m], on the left side of the equation of motion: the torques that hold the machine at rest."""
        return self._read(lib.trm_gravity_force, q, None, 0, self.size)

    def model_force(self, q=None, qd=None, t=0.0):
        """Returns all other forces of the model (springs, dampers, servos, actuators) along the coordinates [N, N m]."""
        return self._read(lib.trm_model_force, q, qd, t, self.size)

    def inverse_dynamics(self, q, qd, qdd, t=0.0):
        """Returns M qdd + bias_force - model_force [N, N m], the tau that produces qdd together with the springs, dampers and servos of the
        model. Constraints are ignored."""
        qdd = array(qdd, (self.size,), "qdd")
        return self._read(lambda space, out: lib.trm_inverse_dynamics(space, _doubles(qdd), out), q, qd, t, self.size)

    def forward_dynamics(self, q, qd=None, tau=None, t=0.0):
        """Returns qdd under tau [m/s^2, rad/s^2], with the constraints of loops."""
        return self._accelerate(q, qd, tau, t)[0]

    def constraint_forces(self, q, qd=None, tau=None, t=0.0):
        """Returns lambda of the constraints under tau, shape (m,) [N, N m], for G of constraint_rows; of least norm if rows are
        redundant."""
        return self._accelerate(q, qd, tau, t)[1]

    def _accelerate(self, q, qd, tau, t):
        tau = array(np.zeros(self.size) if tau is None else tau, (self.size,), "tau")
        good, forces = [], np.zeros(self.constraints)
        qdd = self._read(lambda space, out: good.append(lib.trm_forward_dynamics(space, _doubles(tau), out, _doubles(forces))), q, qd, t,
                         self.size)
        if not good[0]:
            raise ModelError("the mass matrix is not positive definite: a coordinate moves no mass")
        return qdd, forces

    def pose(self, body, q=None):
        """Forward kinematics: position [m] and orientation (w, x, y, z) in the world of a body, a frame BODY.POINT or a link at q."""
        index, frame = self._built.frame(body)
        lock = self._at(q, None, 0)
        try:
            lib.trm_joint_space_write(self._pointer, self._scratch)
            X = lib.trm_body_pose(self._scratch, index)
        finally:
            lock.release()
        return (_vector(X.p) + _rotate(X.q, _vector(frame.p)), _product(X.q, frame.q))

    def jacobian(self, body, point=(0, 0, 0), q=None):
        """Returns the Jacobian of a point in the frame of a body, BODY.POINT or link [m], world axes: shape (6, n), rows of the angular
        velocity, then of the velocity of the point."""
        index, place = self._place(body, point)
        return self._read(lambda space, out: lib.trm_point_jacobian(space, index, place, out), q, None, 0, 6, self.size)

    def jacobian_bias(self, body, point=(0, 0, 0), q=None, qd=None):
        """Returns (dJ/dt) qd of that point: its angular, then its linear acceleration at qdd = 0, shape (6,), world axes."""
        index, place = self._place(body, point)
        lock = self._at(q, qd, 0)
        try:
            A = lib.trm_point_bias(self._pointer, index, place)
        finally:
            lock.release()
        return np.concatenate([_vector(A.ang), _vector(A.lin)])

    def momentum_matrix(self, q=None):
        """Returns the centroidal momentum matrix, shape (6, n): multiplied by qd it gives the momentum about the centre of mass, angular,
        then linear."""
        return self._read(lib.trm_centroidal_matrix, q, None, 0, 6, self.size)

    def _place(self, body, point):
        """Number of the body, and the point in its frame."""
        index, frame = self._built.frame(body)
        x, y, z = _vector(frame.p) + _rotate(frame.q, array(point, (3,), "the point"))
        return index, ffi.new("trm_vec3 *", {"x": x, "y": y, "z": z})[0]

    def centre_of_mass(self, q=None):
        """Returns the centre of mass of all bodies that can move [m]."""
        lock = self._at(q, None, 0)
        try:
            centre = lib.trm_centre_of_mass(self._pointer)
        finally:
            lock.release()
        return np.array([centre.x, centre.y, centre.z])

    def constraint_rows(self, q=None, qd=None, t=0.0):
        """Returns the constraint errors [m, rad], shape (m,), and the rows G, shape (m, n)."""
        phi, G = np.zeros(self.constraints), np.zeros((self.constraints, self.size))
        self._read(lambda space, _: lib.trm_constraint_rows(space, _doubles(phi), _doubles(G), ffi.NULL), q, qd, t, 0)
        return phi, G

    def read(self, sim):
        """Returns q and qd of a Simulation of the same model, free bodies first; for a Batch, arrays of shape (n, size)."""
        self._check_model(sim)
        states = sim._states() if isinstance(sim, Batch) else [sim._state()]
        q, qd = np.zeros((len(states), self.size)), np.zeros((len(states), self.size))
        for i, state in enumerate(states):
            lib.trm_joint_space_read(self._pointer, state, _doubles(q[i]), _doubles(qd[i]))
        return (q, qd) if isinstance(sim, Batch) else (q[0], qd[0])

    def write(self, sim, q, qd=None, mask=None):
        """Sets a Simulation of the same model to q and qd, free bodies and joints together; loops are closed near these. For a Batch sets
        each simulation of the mask, or all, from arrays of shape (n, size)."""
        self._check_model(sim)
        if not isinstance(sim, Batch):
            sim._change()
            self._write(sim._state(), q, qd)
            sim.assemble()
            return
        shape = (len(sim), self.size)
        q, qd = array(q, shape, "q"), array(np.zeros(shape) if qd is None else qd, shape, "qd")
        chosen = sim._mask(mask)
        for i in range(len(sim)) if chosen is None else np.flatnonzero(chosen):
            state = lib.trm_sim_state(lib.trm_batch_sim(sim._open(), int(i)))
            self._write(state, q[i], qd[i])
            with Messages(quiet=True) as messages:
                messages.check(lib.trm_assemble(state, ffi.NULL, messages.list, ffi.NULL), "the joints cannot be closed")
            sim._restart(int(i))
        sim._call(0.0, 0, None, None)

    def _check_model(self, sim):
        if sim._built is not self._built:
            raise ModelError("the simulation belongs to another model")

    def _write(self, state, q, qd):
        lock = self._at(q, qd, lib.trm_state_time(state))
        try:
            lib.trm_joint_space_write(self._pointer, state)
        finally:
            lock.release()

    def __repr__(self):
        return f"<trammel.JointSpace: {self.size} coordinates, {self.constraints} constraint rows>"


def _rotate(q, v):
    """Returns the vector v rotated by a unit quaternion."""
    u = np.array([q.x, q.y, q.z])
    return v + 2 * np.cross(u, np.cross(u, v) + q.w * v)


def _product(a, b):
    """Returns the product of two quaternions as an array w, x, y, z."""
    u, v = np.array([a.x, a.y, a.z]), np.array([b.x, b.y, b.z])
    return np.array([a.w * b.w - u @ v, *(a.w * v + b.w * u + np.cross(u, v))])


def mass_matrix(model, q=None):
    """Returns the mass matrix at q; see JointSpace.mass_matrix."""
    return JointSpace(model).mass_matrix(q)


def jacobian(model, body, point=(0, 0, 0), q=None):
    """Returns the Jacobian of a point of a body at q; see JointSpace.jacobian."""
    return JointSpace(model).jacobian(body, point, q)
