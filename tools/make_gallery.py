#!/usr/bin/env python3
"""Write the gallery: scenes whose outcome is known beforehand, each with its checks.

Usage: make_gallery.py [--out FOLDER] [--large] [--compare] [NAME ...]

The expected values come from closed forms, or from integrating the exact equations of motion with a
tiny step (Dzhanibekov nut); never from the engine. Without --large the files of scenes/ are written
(default folder: scenes/ of this checkout); with it those too large to keep. Only the standard library
is used; the same program gives the same files.
"""

import argparse
import json
import math
import os

from gallery_robots import ROBOTS

G = 9.81
DT = 1.0 / 60.0


# --- small mathematics --------------------------------------------------------------------------------

def quaternion(axis, angle):
    s = math.sin(angle / 2)
    return [math.cos(angle / 2), axis[0] * s, axis[1] * s, axis[2] * s]


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def multiply(p, q):
    return [p[0] * q[0] - p[1] * q[1] - p[2] * q[2] - p[3] * q[3],
            p[0] * q[1] + p[1] * q[0] + p[2] * q[3] - p[3] * q[2],
            p[0] * q[2] - p[1] * q[3] + p[2] * q[0] + p[3] * q[1],
            p[0] * q[3] + p[1] * q[2] - p[2] * q[1] + p[3] * q[0]]


def rotate(q, v):
    r = multiply(multiply(q, [0.0] + list(v)), [q[0], -q[1], -q[2], -q[3]])
    return r[1:]


def box_inertia(mass, half):
    x, y, z = (h * h for h in half)
    return [mass / 3 * (y + z), mass / 3 * (x + z), mass / 3 * (x + y)]


def free_rotation(inertia, omega, time, steps):
    """Euler's equations of a free body and its orientation, fourth-order Runge-Kutta; body axes start
    along the world's. Returns orientation and world angular velocity."""
    def rate(state):
        q, w = state[:4], state[4:]
        dq = [0.5 * c for c in multiply(q, [0.0] + w)]
        torque = cross(w, [i * c for i, c in zip(inertia, w)])
        return dq + [-t / i for t, i in zip(torque, inertia)]

    state = [1.0, 0.0, 0.0, 0.0] + list(omega)
    h = time / steps
    for _ in range(steps):
        k1 = rate(state)
        k2 = rate([s + 0.5 * h * k for s, k in zip(state, k1)])
        k3 = rate([s + 0.5 * h * k for s, k in zip(state, k2)])
        k4 = rate([s + h * k for s, k in zip(state, k3)])
        state = [s + h / 6 * (a + 2 * b + 2 * c + d) for s, a, b, c, d in zip(state, k1, k2, k3, k4)]
        norm = math.sqrt(sum(c * c for c in state[:4]))
        state[:4] = [c / norm for c in state[:4]]
    return state[:4], rotate(state[:4], state[4:])


# What the reference method, of first order in time, is held to: (scene, body or joint, quantity) → the fields of a
# check's "reference", or a function of the check that gives them. (scene, None, None) stands for all of its checks.
REFERENCE = {
    # A free top's momentum is exact, its energy goes to and fro with dt² (measured: 1.6e-6 of 21.3 J where it ends).
    ("dzhanibekov nut", None, "kineticEnergy"): {"tolerance": 1e-5},
    # The swing is early by half a step: ½ dt a ω = 4.2e-3 m where it is fastest; measured 4.2e-3.
    ("spring oscillator", "weight", "position.z"): {"tolerance": 0.005},
    # Spheres are found to touch up to a step late, by when the line between them has turned; measured 0.028 and 0.016.
    ("glancing blow", "first", "linearVelocity.x"): {"tolerance": 0.03},
    ("glancing blow", "second", "linearVelocity.x"): {"tolerance": 0.03},
    # One impact after the other (sequentialImpacts) is of the exact method alone: here all balls are hit at once, and
    # Newton's law turns the speed of two balls against three around, each group staying together: -1/5 and 4/5.
    **{("newton's cradle", "ball %d" % (i + 1), "linearVelocity.x"): {"value": -0.2 if i < 2 else 0.8} for i in range(5)},
}


# --- a scene ------------------------------------------------------------------------------------------

class Scene:
    def __init__(self, name, description, seconds, dt=DT, gravity=None, camera=None, **solver):
        self.data = {"version": 1, "name": name, "description": description}
        if gravity is not None:
            self.data["gravity"] = gravity
        self.data.update({"dt": dt, "steps": round(seconds / dt)})
        if camera:
            self.data["camera"] = {"position": camera[0], "target": camera[1]}
        if solver:
            self.data["solver"] = solver
        self.data.update({"materials": {}, "shapes": {}, "bodies": [], "joints": [], "expect": []})

    def material(self, name="default", friction=0.5, restitution=0.0, density=1000.0, **more):
        self.data["materials"][name] = {"friction": friction, "restitution": restitution, "density": density, **more}

    def shape(self, name, kind, **fields):
        self.data["shapes"][name] = {"type": kind, **fields}
        return name

    def body(self, name, shape, position, **fields):
        entry = {"name": name, "shape": shape, "position": list(position)}
        entry.update({k: v for k, v in fields.items() if v is not None})
        self.data["bodies"].append(entry)
        return name

    def joint(self, kind, a, b, anchor, **fields):
        self.data["joints"].append({"type": kind, "bodyA": a, "bodyB": b, "anchor": list(anchor), **fields})

    def ground(self, half=20.0, material=None):
        self.shape("ground", "box", halfExtents=[half, half, 1.0])
        self.body("ground", "ground", [0, 0, -1.0], static=True, material=material)

    def expect(self, what, quantity, value=None, tolerance=None, at=None, low=None, high=None, joint=False):
        check = {}
        if what:
            check["joint" if joint else "body"] = what
        check["quantity"] = quantity
        if value is not None:
            check.update({"value": value, "tolerance": tolerance})
        if low is not None:
            check["min"] = low
        if high is not None:
            check["max"] = high
        if at is not None:
            check["at"] = at
        own = REFERENCE.get((self.data["name"], what, quantity)) or REFERENCE.get((self.data["name"], None, None))
        if own:
            check["reference"] = own(check) if callable(own) else own
        self.data["expect"].append(check)

    def text(self):
        """One thing a line, so that a change shows as a change."""
        data = {k: v for k, v in self.data.items() if v not in ([], {})}
        lines = []
        for key, value in data.items():
            if isinstance(value, list) and value and isinstance(value[0], dict):
                inner = ",\n".join("    " + json.dumps(rounded(v)) for v in value)
                lines.append("  %s: [\n%s\n  ]" % (json.dumps(key), inner))
            elif key in ("shapes", "materials"):
                inner = ",\n".join("    %s: %s" % (json.dumps(k), json.dumps(rounded(v))) for k, v in value.items())
                lines.append("  %s: {\n%s\n  }" % (json.dumps(key), inner))
            else:
                lines.append("  %s: %s" % (json.dumps(key), json.dumps(rounded(value) if key != "dt" else value,
                                                                      ensure_ascii=False)))
        return "{\n" + ",\n".join(lines) + "\n}\n"


def rounded(value):
    """Twelve digits: enough for every check, short to read."""
    if isinstance(value, float):
        short = float("%.12g" % value)
        return int(short) if short == int(short) and abs(short) < 1e15 else short
    if isinstance(value, (list, tuple)):
        return [rounded(v) for v in value]
    if isinstance(value, dict):
        return {k: rounded(v) for k, v in value.items()}
    return value


# --- motion without contact ---------------------------------------------------------------------------

def dzhanibekov():
    half, omega, time = [0.45, 0.2, 0.05], [0.01, 4.0, 0.01], 20.0
    mass = 8 * half[0] * half[1] * half[2] * 1000
    # Axis of middle inertia first: inertia grows with the extents across the axis.
    inertia = box_inertia(mass, half)
    q, w = free_rotation(inertia, omega, time, 100000)
    drift = 0.3
    energy = 0.5 * sum(i * c * c for i, c in zip(inertia, omega)) + 0.5 * mass * drift ** 2
    s = Scene("dzhanibekov nut",
              "A free plate spun about its middle axis turns over again and again, although nothing acts on it. Energy "
              "stays, and the attitude after 20 s is that of Euler's equations.",
              time, gravity=[0, 0, 0], camera=([0.7, -4.2, 1.6], [0.7, 0, 0]))
    s.material()
    s.shape("plate", "box", halfExtents=half)
    s.body("plate", "plate", [-1.5, 0, 0], linearVelocity=[drift, 0, 0], angularVelocity=omega)
    s.expect(None, "kineticEnergy", energy, 1e-7 * energy)
    for i, axis in enumerate("xyz"):
        s.expect("plate", "angularVelocity." + axis, w[i], 0.01)
    return s


def spring_oscillator():
    mass, stiffness, stretch = 10.0, 1000.0, 0.2
    rate = math.sqrt(stiffness / mass)
    s = Scene("spring oscillator",
              "A weight on a spring swings about its rest: z = a cos(√(k/m) t), for 10 s.", 10.0, dt=1 / 240,
              gravity=[0, 0, 0], camera=([0, -4, 1], [0, 0, 1]))
    s.material()
    s.shape("weight", "sphere", radius=0.1)
    s.body("weight", "weight", [0, 0, stretch], mass=mass)
    s.joint("spring", "world", "weight", [0, 0, 2], anchorB=[0, 0, stretch], stiffness=stiffness, length=2.0)
    for time in (0.5 * math.pi / rate, math.pi / rate, 10.0):
        step = round(time * 240) / 240
        s.expect("weight", "position.z", stretch * math.cos(rate * step), 0.02 * stretch, at=step)
    return s


# --- collisions ---------------------------------------------------------------------------------------

def glancing_blow():
    # Smooth equal spheres, e = 1: the normal part of the velocity goes over, the tangential part stays.
    offset = 1.0   # 2 r sin 30°
    n = [math.sqrt(3) / 2, 0.5]
    v = 4.0
    out = [v * n[0] * n[0], v * n[0] * n[1]]
    s = Scene("glancing blow",
              "A smooth ball hits another half off its centre. Along the line of centres the velocities are exchanged, "
              "across it they stay: the two part at a right angle.", 1.0, dt=1 / 240, gravity=[0, 0, 0],
              camera=([0.4, -1.2, 5.6], [0.4, 0.1, 0]))
    s.material(friction=0.0, restitution=1.0)
    s.shape("ball", "sphere", radius=1.0 * 0.5)
    s.body("first", "ball", [-2.0, 0, 0], linearVelocity=[v, 0, 0])
    s.body("second", "ball", [0.0, 0.5 * offset, 0])
    s.expect("first", "linearVelocity.x", v - out[0], 0.02)
    s.expect("first", "linearVelocity.y", -out[1], 0.02)
    s.expect("second", "linearVelocity.x", out[0], 0.02)
    s.expect("second", "linearVelocity.y", out[1], 0.02)
    energy = 0.5 * 4 / 3 * math.pi * 0.125 * 1000 * v * v
    s.expect(None, "kineticEnergy", energy, 1e-4 * energy)
    return s


def newtons_cradle():
    s = Scene("newton's cradle",
              "Two balls strike three that touch: two leave on the other side with the same speed, the rest stays. Impacts "
              "travel through the row one after the other.", 1.0, dt=1 / 240, gravity=[0, 0, 0],
              camera=([0, -1.9, 0.8], [0, 0, 0]), method="exact", sequentialImpacts=True)
    s.material(friction=0.0, restitution=1.0)
    s.shape("ball", "sphere", radius=0.1)
    positions = [-0.9, -0.7, 0.0, 0.2, 0.4]
    for i, x in enumerate(positions):
        s.body("ball %d" % (i + 1), "ball", [x, 0, 0], linearVelocity=[1.0, 0, 0] if i < 2 else None)
    for i in range(5):
        s.expect("ball %d" % (i + 1), "linearVelocity.x", 1.0 if i >= 3 else 0.0, 1e-3)
    return s


def bouncing_ball():
    # Dropped from h, apex n is e^(2n) h. Times: first fall, then twice the rise each bounce.
    h, e, radius = 2.0, 0.8, 0.1
    s = Scene("bouncing ball",
              "A ball that keeps 0.8 of its speed in a bounce rises to e²ⁿ h: 1.28 m, 0.819 m, 0.524 m.", 3.6, dt=1 / 240,
              camera=([0, -3.6, 1.5], [0, 0, 0.95]))
    s.material(friction=0.0, restitution=e)
    s.ground(5.0)
    s.shape("ball", "sphere", radius=radius)
    # Without friction it keeps its speed along the floor.
    drift, start = 0.7, -1.26
    s.body("ball", "ball", [start, 0, radius + h], linearVelocity=[drift, 0, 0])
    time, height = math.sqrt(2 * h / G), h
    for n in (1, 2, 3):
        height *= e * e
        time += math.sqrt(2 * height / G)
        s.expect("ball", "position.z", radius + height, 0.01 * height, at=time)
        time += math.sqrt(2 * height / G)
    s.expect("ball", "position.x", start + drift * 3.6, 1e-9)
    s.expect("ball", "angularSpeed", high=1e-6)
    return s


# --- friction -----------------------------------------------------------------------------------------

def incline(sticks):
    friction = 0.5
    angle = math.atan(friction) + math.radians(-0.01 if sticks else 0.5)
    tilt = quaternion([0, 1, 0], angle)
    down = [math.cos(angle), 0.0, -math.sin(angle)]
    up = [math.sin(angle), 0.0, math.cos(angle)]
    half = [0.4, 0.3, 0.1]
    time = 4.0
    start = [-1.0 * down[i] + half[2] * up[i] for i in range(3)]
    s = Scene("incline, " + ("sticks" if sticks else "slides"),
              "A block on a slope 0.01° below atan μ stays where it is." if sticks else
              "A block on a slope half a degree above atan μ slides s = ½ g (sin α − μ cos α) t² in 4 s.",
              time, dt=1 / 240, camera=([-0.4, -3.4, 1.3], [-0.5, 0, 0.3]), sleeping=False)
    s.material(friction=friction)
    s.shape("slope", "box", halfExtents=[6, 2, 0.5])
    s.shape("block", "box", halfExtents=half)
    s.body("slope", "slope", [-0.5 * u for u in up], orientation=tilt, static=True)
    s.body("block", "block", start, orientation=tilt)
    travel = 0.0 if sticks else 0.5 * G * (math.sin(angle) - friction * math.cos(angle)) * time * time
    tolerance = 1e-3 if sticks else 2e-3 * travel + 1e-3
    s.expect("block", "position.x", start[0] + travel * down[0], tolerance)
    s.expect("block", "position.y", 0.0, 1e-5)
    s.expect("block", "position.z", start[2] + travel * down[2], tolerance)
    return s


def rolling_sphere():
    v, friction, radius = 5.0, 0.3, 0.25
    s = Scene("sliding, then rolling",
              "A ball pushed without spin slides, and friction turns it until it rolls: at 5/7 of its speed, whatever the "
              "friction.", 2.0, dt=1 / 240, camera=([3.7, -6, 2.2], [3.7, 0, 0.2]))
    s.material(friction=friction)
    s.ground(20.0)
    s.shape("ball", "sphere", radius=radius)
    s.body("ball", "ball", [0, 0, radius], linearVelocity=[v, 0, 0])
    until = 2 * v / (7 * friction * G)
    s.expect("ball", "linearVelocity.x", 5 * v / 7, 1e-3 * v)
    s.expect("ball", "angularVelocity.y", 5 * v / 7 / radius, 1e-3 * v / radius)
    s.expect("ball", "position.x", v * until - 0.5 * friction * G * until ** 2 + 5 * v / 7 * (2.0 - until), 0.01)
    s.expect("ball", "position.y", 0.0, 1e-6)
    return s


def pinched_block(holds):
    mass, friction = 10.0, 0.5
    weight = mass * G
    force = (1.1 if holds else 0.9) * weight / (2 * friction)
    time = 1.0
    s = Scene("pinched block, " + ("held" if holds else "slips"),
              "A block is pressed against a wall. Friction on both sides carries it while 2 μ N exceeds its weight: here by a "
              "tenth." if holds else
              "A block is pressed against a wall with a tenth too little: it sinks with g − 2 μ N / m.",
              time if not holds else 5.0, dt=1 / 240, camera=([0, -4, 2], [0, 0, 1.5]), method="exact")
    s.material("rough", friction=friction)
    s.material("smooth", friction=0.0)
    s.shape("wall", "box", halfExtents=[0.5, 0.5, 1.5])
    s.shape("ledge", "box", halfExtents=[1.0, 0.5, 0.25])
    s.shape("block", "box", halfExtents=[0.2, 0.2, 0.2])
    s.shape("plate", "box", halfExtents=[0.2, 0.3, 0.6])
    s.body("wall", "wall", [-0.7, 0, 1.5], static=True, material="rough")
    s.body("ledge", "ledge", [1.25, 0, 0.75], static=True, material="smooth")
    s.body("block", "block", [0, 0, 1.6], material="rough", mass=mass)
    s.body("plate", "plate", [0.4, 0, 1.6], material="rough", mass=20.0, force=[-force, 0, 0])
    fall = 0.0 if holds else 0.5 * (G - 2 * friction * force / mass) * time * time
    s.expect("block", "position.z", 1.6 - fall, 1e-3 if holds else 0.01)
    s.expect("block", "contactForce.z", weight if holds else 2 * friction * force, 0.02 * weight)
    s.expect("plate", "position.z", 1.6, 1e-3)
    return s


def turntable():
    # Rolling on a disc that turns at W, a solid ball's velocity turns at 2/7 W: it runs in circles.
    spin, radius, speed = 3.0, 0.1, 0.6
    rate = 2.0 / 7.0 * spin
    x, y = 1.0, 0.0
    vx, vy = 0.0, speed
    s = Scene("ball on a turntable",
              "A ball that rolls on a turning disc runs in circles of its own, once for 3½ turns of the disc, round a "
              "centre that is not the disc's.", 2 * math.pi / rate, dt=2 * math.pi / rate / 1800,
              camera=([0.3, -2.9, 2.6], [0.3, 0, 0]))
    s.material(friction=0.8)
    s.shape("disc", "cylinder", radius=4.0, halfHeight=0.1)
    s.shape("ball", "sphere", radius=radius)
    s.body("disc", "disc", [0, 0, -0.1], kinematic=True, angularVelocity=[0, 0, spin])
    # No slip: v + ω × (−r ẑ) = W ẑ × x.
    omega = [(spin * x - vy) / radius, (spin * y + vx) / radius, 0.0]
    s.body("ball", "ball", [x, y, radius], linearVelocity=[vx, vy, 0], angularVelocity=omega)
    period, orbit = 2 * math.pi / rate, speed / rate
    centre = [x - orbit, y]
    for share in (0.25, 0.5, 1.0):
        angle = 2 * math.pi * share
        at = share * period if share < 1 else None
        s.expect("ball", "position.x", centre[0] + orbit * math.cos(angle), 0.01, at=at)
        s.expect("ball", "position.y", centre[1] + orbit * math.sin(angle), 0.01, at=at)
    return s


def tippe_top():
    s = Scene("tippe top",
              "A ball whose centre of mass lies below its middle, spun fast, turns itself upside down: sliding friction lifts "
              "the centre of mass against gravity, at the cost of spin.", 6.0, dt=1 / 480,
              camera=([0.04, -0.12, 0.06], [0, 0, 0.02]))
    s.material(friction=0.3)
    radius, mass, offset = 0.02, 0.02, 0.006
    inertia = 0.4 * mass * radius * radius
    s.shape("floor", "plane")
    s.shape("top", "sphere", radius=radius)
    s.body("floor", "floor", [0, 0, 0], static=True)
    s.body("top", "top", [0, 0, radius], orientation=quaternion([1, 0, 0], 0.1), mass=mass, inertia=[inertia] * 3,
           centreOfMass=[0, 0, -offset], angularVelocity=[0, 0, 200.0])
    # Upside down: the body's z axis points down, w² + z² = 0.
    s.expect("top", "orientation.w", 0.0, 0.25)
    s.expect("top", "orientation.z", 0.0, 0.25)
    s.expect("top", "position.z", radius, 1e-4)
    return s


# --- structures ---------------------------------------------------------------------------------------

def arch(stands):
    # Milankovitch: a semicircular arch stands when t/R > 0.1075, however strong its stone.
    ratio = 0.12 if stands else 0.095
    blocks, radius, width, seconds = 27, 2.0, 0.5, 5.0
    inner, outer = radius * (1 - ratio / 2), radius * (1 + ratio / 2)
    step = math.pi / blocks
    # Straight sides cut inside the circle; the joints keep their full height.
    s = Scene("arch that " + ("stands" if stands else "falls"),
              "A semicircle of %d loose stones, thickness %.3f of its radius, no mortar. The least that can stand is 0.1075 "
              "(Milankovitch 1907): this one is %s." % (blocks, ratio, "thicker" if stands else "thinner"),
              seconds, dt=1 / 240, camera=([0, -6, 2], [0, 0, 1]), method="exact", sleeping=False, exactIterations=4000)
    s.material(friction=0.8, density=2400.0)
    s.ground(10.0)
    for i in range(blocks):
        a, b = i * step, (i + 1) * step
        middle = 0.5 * (a + b)
        # Voussoir in its own frame: along the thickness (x), the width (y) and the ring (z).
        centre = [radius * math.cos(middle), 0.0, radius * math.sin(middle)]
        corners = []
        for r in (inner, outer):
            for angle in (a, b):
                for y in (-width / 2, width / 2):
                    p = [r * math.cos(angle), y, r * math.sin(angle)]
                    corners.append([c - d for c, d in zip(p, centre)])
        s.shape("stone %d" % (i + 1), "hull", vertices=corners)
        s.body("stone %d" % (i + 1), "stone %d" % (i + 1), centre)
    key = "stone %d" % ((blocks + 1) // 2)
    if stands:
        s.expect(key, "position.z", radius, 2e-3)
        s.expect(key, "speed", high=1e-3)
        weight = blocks * 2400.0 * G * width * (outer ** 2 - inner ** 2) * math.sin(step) / 2
        s.expect("ground", "contactForce.z", -weight, 0.01 * weight)
    else:
        s.expect(key, "position.z", high=0.5 * radius)
    s.expect(None, "deepestPenetration", high=1e-3)
    return s


def overhang(stands):
    # Book k from the top may hang over the one below by L/(2k): ½ L Σ 1/k altogether.
    books, half = 8, [0.5, 0.35, 0.05]
    share = 0.99 if stands else 1.02
    s = Scene("book overhang, " + ("stands" if stands else "falls"),
              "Eight books, each over the edge of the next by %.2f of what balance allows, L/(2k) for the k-th from the top: "
              "together %.2f of a book's length." % (share, share * sum(0.5 / k for k in range(1, books))),
              5.0, dt=1 / 240, camera=([0, -4, 1], [0.5, 0, 0.5]), sleeping=False, method="exact")
    s.material(friction=0.6)
    s.ground(5.0)
    s.shape("book", "box", halfExtents=half)
    x = 0.0
    for level in range(books):
        from_top = books - level
        if level:
            x += share * 2 * half[0] / (2 * from_top)
        s.body("book %d" % (level + 1), "book", [x, 0, (2 * level + 1) * half[2]])
    top = "book %d" % books
    weight = books * 8 * half[0] * half[1] * half[2] * 1000.0 * G
    if stands:
        s.expect(top, "position.x", x, 1e-3)
        s.expect(top, "position.z", (2 * books - 1) * half[2], 1e-3)
        s.expect("ground", "contactForce.z", -weight, 0.01 * weight)
    else:
        s.expect(top, "position.z", high=0.5)
    return s


def heavy_on_light():
    s = Scene("heavy on light",
              "A cube a thousand times as heavy as the one below it, at rest. Solvers that sweep through contacts need "
              "thousands of sweeps here; the exact one needs one solve.", 10.0, camera=([2, -4, 1.9], [0, 0, 1]),
              method="exact", sleeping=False)
    s.material("light", friction=0.6, density=10.0)
    s.material("heavy", friction=0.6, density=10000.0)
    s.ground(5.0, "light")
    s.shape("cube", "box", halfExtents=[0.5, 0.5, 0.5])
    s.body("light", "cube", [0, 0, 0.5], material="light")
    s.body("heavy", "cube", [0, 0, 1.5], material="heavy")
    s.expect("heavy", "position.z", 1.5, 1e-4)
    s.expect("heavy", "position.x", 0.0, 1e-4)
    s.expect("light", "contactForce.z", 10 * G, 0.1)
    s.expect("ground", "contactForce.z", -10010 * G, 10.0)
    s.expect(None, "deepestPenetration", high=1e-4)
    return s


def wall_under_impact():
    s = Scene("wall under impact",
              "A heavy ball goes through a brick wall. Energy only falls, no brick is lost, and what is left lies still.", 6.0,
              camera=([6, -8, 3], [0, 0, 1]), exactIterations=2000)  # what the reference method needs at the impact
    s.material(friction=0.6, density=1800.0)
    s.material("iron", friction=0.3, density=7800.0)
    s.ground(100.0)
    half = [0.15, 0.25, 0.125]
    s.shape("brick", "box", halfExtents=half)
    s.shape("half brick", "box", halfExtents=[half[0], half[1] / 2, half[2]])
    s.shape("ball", "sphere", radius=0.35)
    for row in range(10):
        z = (2 * row + 1) * half[2]
        count = 10
        if row % 2 == 0:
            for i in range(count):
                s.body("brick %d %d" % (row, i), "brick", [0, (i - (count - 1) / 2) * 2 * half[1], z])
        else:
            edge = count * half[1]
            s.body("brick %d a" % row, "half brick", [0, -edge + half[1] / 2, z])
            for i in range(count - 1):
                s.body("brick %d %d" % (row, i), "brick", [0, (i - (count - 2) / 2) * 2 * half[1], z])
            s.body("brick %d b" % row, "half brick", [0, edge - half[1] / 2, z])
    mass = 4 / 3 * math.pi * 0.35 ** 3 * 7800
    s.body("ball", "ball", [-4, 0.1, 1.4], linearVelocity=[18, 0, 2], material="iron")
    bricks = 0.0
    for row in range(10):
        bricks += 10 * 8 * half[0] * half[1] * half[2] * 1800 * (2 * row + 1) * half[2] * G
    start = 0.5 * mass * (18 ** 2 + 2 ** 2) + mass * G * 1.4 + bricks
    s.expect(None, "mechanicalEnergy", high=start)
    s.expect("ball", "position.x", low=1.0)
    s.expect("brick 0 0", "position.z", low=0.1)
    s.expect("brick 9 0", "position.z", low=0.1)
    s.expect("brick 9 4", "position.z", low=0.1)
    return s


def domino_run():
    count, half, spacing = 40, [0.05, 0.2, 0.4], 0.45
    s = Scene("domino run",
              "Forty dominoes; the first is pushed. All fall, each against the next, the last one flat.", 8.0, dt=1 / 120,
              camera=([-2.5, -7.5, 4.5], [6, 0, -0.3]))
    s.material(friction=0.4)
    s.ground(40.0)
    s.shape("domino", "box", halfExtents=half)
    for i in range(count):
        s.body("domino %d" % (i + 1), "domino", [i * spacing, 0, half[2]],
               angularVelocity=[0, 2.5, 0] if i == 0 else None,
               linearVelocity=[2.5 * half[2], 0, 0] if i == 0 else None)
    s.expect("domino %d" % count, "position.z", half[0], 0.01)
    s.expect("domino %d" % (count // 2), "position.z", high=0.8 * half[2])
    s.expect("domino %d" % (count // 2), "position.y", 0.0, 0.02)
    s.expect(None, "kineticEnergy", high=0.1)
    return s


# --- joints -------------------------------------------------------------------------------------------

def long_chain():
    links, length, mass, load = 50, 0.2, 1.0, 100.0
    s = Scene("long chain",
              "Fifty links of 1 kg carry 100 kg. The top joint holds the weight of all; every joint stays closed to a "
              "thousandth of a link.", 5.0, camera=([1.2, -3.2, 1.9], [0, 0, 1.4]), sleeping=False)
    s.material()
    s.shape("link", "capsule", radius=0.03, halfHeight=0.06)
    s.shape("load", "sphere", radius=0.2)
    top = links * length + 1.0
    previous = "world"
    for i in range(links):
        name = "link %d" % (i + 1)
        s.body(name, "link", [0, 0, top - (i + 0.5) * length], mass=mass, collides=False)
        s.joint("ball", previous, name, [0, 0, top - i * length], name="joint %d" % (i + 1))
        previous = name
    s.body("load", "load", [0, 0, top - links * length - 0.2], mass=load, collides=False)
    s.joint("ball", previous, "load", [0, 0, top - links * length], name="hook")
    s.expect(None, "jointError", high=1e-3 * length)
    s.expect("joint 1", "force", (links * mass + load) * G, 0.01 * (links * mass + load) * G, joint=True)
    s.expect("hook", "force", load * G, 0.01 * load * G, joint=True)
    s.expect("load", "position.x", 0.0, 1e-6)
    return s


def four_bar():
    # Crank and rocker: A = (0, 0), B on the crank, C on the rocker, D = (3, 0).
    crank, coupler, rocker, base = 1.0, 3.0, 2.5, 3.0
    speed, seconds = math.pi, 4.0

    def place(angle):
        bx, bz = crank * math.cos(angle), crank * math.sin(angle)
        dx, dz = base - bx, -bz
        d = math.hypot(dx, dz)
        along = (coupler ** 2 - rocker ** 2 + d * d) / (2 * d)
        high = math.sqrt(coupler ** 2 - along ** 2)
        ux, uz = dx / d, dz / d
        return [bx, bz], [bx + along * ux - high * uz, bz + along * uz + high * ux]

    b0, c0 = place(math.pi / 2)
    s = Scene("four-bar linkage",
              "A motor turns the crank once in two seconds; the rocker swings to and fro. After every turn all bars are back "
              "where they started, and in between where geometry puts them.", seconds, dt=1 / 240,
              camera=([1.5, -7, 1], [1.5, 0, 1]), gravity=[0, 0, -G])
    s.material()

    def bar(name, start, end, y):
        dx, dz = end[0] - start[0], end[1] - start[1]
        length = math.hypot(dx, dz)
        angle = math.atan2(dz, dx)
        s.shape(name, "box", halfExtents=[length / 2, 0.05, 0.05])
        s.body(name, name, [0.5 * (start[0] + end[0]), y, 0.5 * (start[1] + end[1])],
               orientation=quaternion([0, 1, 0], -angle), collides=False, mass=2.0)

    a, d = [0.0, 0.0], [base, 0.0]
    bar("crank", a, b0, 0.0)
    bar("coupler", b0, c0, 0.0)
    bar("rocker", d, c0, 0.0)
    axis = [0, -1, 0]   # positive angles turn x towards z
    s.joint("hinge", "world", "crank", [a[0], 0, a[1]], axis=axis, name="motor",
            motor={"mode": "velocity", "target": speed})
    s.joint("hinge", "crank", "coupler", [b0[0], 0, b0[1]], axis=axis, name="crank pin")
    s.joint("hinge", "coupler", "rocker", [c0[0], 0, c0[1]], axis=axis, name="rocker pin")
    s.joint("hinge", "world", "rocker", [d[0], 0, d[1]], axis=axis, name="pivot")
    for time in (1.0, 2.0, seconds):
        _, c = place(math.pi / 2 + speed * time)
        s.expect("rocker", "position.x", 0.5 * (d[0] + c[0]), 0.02, at=time)
        s.expect("rocker", "position.z", 0.5 * (d[1] + c[1]), 0.02, at=time)
    s.expect(None, "jointError", high=1e-3)
    s.expect("rocker", "position.y", 0.0, 1e-3)
    return s


# --- mechanisms ---------------------------------------------------------------------------------------

def arm_sag(links, length, mass, stiffness):
    """Angles at which the springs of a horizontal arm hold its weight: k q_i = weight about hinge i.
    Positive angles (about y) lower it. Newton's method on the angles."""
    def torques(q):
        phi, x, xs, centres = 0.0, 0.0, [], []
        for angle in q:
            phi += angle
            xs.append(x)
            centres.append(x + 0.5 * length * math.cos(phi))
            x += length * math.cos(phi)
        return [sum(mass * G * (centres[k] - xs[i]) for k in range(i, links)) for i in range(links)]

    q = [0.0] * links
    for _ in range(200):  # a contraction: weight changes little with the angle
        q = [t / stiffness for t in torques(q)]
    return q


def robot_arm():
    links, length, mass, stiffness = 6, 0.3, 2.0, 1500.0
    pose = [-0.8, 0.5, 0.4, -0.6, 0.7, 0.3]
    s = Scene("robot arm",
              "Two arms of six links of 2 kg, stretched out. The motors of the first have a frequency: it holds its place, then goes to "
              "another pose and holds that. Those of the second have gains: it sags as far as statics says.", 5.0,
              camera=([0.9, -3.4, 0.6], [0.8, 0.4, -0.1]), sleeping=False)
    s.material()
    s.shape("link", "box", halfExtents=[length / 2, 0.04, 0.04])
    sag = arm_sag(links, length, mass, stiffness)
    for arm, y in (("tuned", 0.0), ("soft", 1.0)):
        previous = "world"
        for i in range(links):
            name = "%s %d" % (arm, i + 1)
            s.body(name, "link", [(i + 0.5) * length, y, 0], mass=mass, collides=False)
            if arm == "tuned":
                motor = {"mode": "position", "targets": [{"at": 1.0, "value": 0.0}, {"at": 3.0, "value": pose[i]}]}
            else:
                motor = {"mode": "position", "target": 0.0, "stiffness": stiffness, "damping": 150.0}
            s.joint("hinge", previous, name, [i * length, y, 0], axis=[0, 1, 0], name="%s joint %d" % (arm, i + 1),
                    motor=motor)
            previous = name
    for i in range(links):
        s.expect("tuned joint %d" % (i + 1), "coordinate", 0.0, 1e-2, at=1.0, joint=True)
        s.expect("tuned joint %d" % (i + 1), "coordinate", pose[i], 1e-2, joint=True)
        s.expect("soft joint %d" % (i + 1), "coordinate", sag[i], 1e-3, joint=True)
    s.expect("soft joint 1", "motorForce", -stiffness * sag[0], 0.5, joint=True)
    s.expect(None, "jointError", high=1e-6)
    return s


def gripper():
    squeeze, mass, lift = 30.0, 1.0, 0.3
    s = Scene("gripper",
              "Two fingers close on a box, with 30 N each, and a third motor lifts it. Friction carries its weight.", 4.5,
              camera=([0.8, -1.1, 0.6], [0, 0, 0.25]), sleeping=False)
    s.material(friction=0.8)
    s.ground(half=2.0)
    s.shape("box", "box", halfExtents=[0.05, 0.05, 0.05])
    s.shape("palm", "box", halfExtents=[0.2, 0.06, 0.03])
    s.shape("finger", "box", halfExtents=[0.015, 0.04, 0.12])
    s.body("box", "box", [0, 0, 0.05], mass=mass)
    s.body("palm", "palm", [0, 0, 0.35], mass=2.0)
    s.joint("slider", "world", "palm", [0, 0, 0.35], axis=[0, 0, 1], name="lift",
            motor={"mode": "position", "frequency": 20.0,
                   "targets": [{"at": 1.5, "value": 0.0}, {"at": 3.5, "value": lift}]})
    for side, sign in (("left", -1.0), ("right", 1.0)):
        s.body(side, "finger", [sign * 0.115, 0, 0.17], mass=1.0)
        s.joint("slider", "palm", side, [sign * 0.115, 0, 0.3], axis=[-sign, 0, 0], name=side,
                limit={"lower": -0.05, "upper": 0.11},
                motor={"mode": "position", "stiffness": squeeze / 0.06, "damping": 60.0, "maxForce": 2 * squeeze,
                       "targets": [{"at": 0.25, "value": 0.0}, {"at": 1.0, "value": 0.11}]})
    # The fingers stop at the box: half a finger and half a box from the middle.
    s.expect("left", "coordinate", 0.05, 1e-3, joint=True)
    s.expect("right", "coordinate", 0.05, 1e-3, joint=True)
    s.expect("box", "position.z", 0.05 + lift, 2e-3)
    s.expect("box", "position.x", 0.0, 2e-3)
    s.expect("box", "speed", high=1e-3)
    s.expect("left", "motorForce", squeeze, 0.1, joint=True)
    s.expect("box", "contactForce.z", mass * G, 0.05)
    s.expect("lift", "motorForce", (mass + 4.0) * G, 0.5, joint=True)
    s.expect(None, "jointError", high=1e-6)
    return s


def vehicle():
    chassis, carrier, wheel, radius = 200.0, 5.0, 15.0, 0.3
    stiffness, damping, torque = 20000.0, 2000.0, 60.0
    total = chassis + 4 * (carrier + wheel)
    # Two driven wheels push with torque/radius each; all four have to be turned as well.
    acceleration = 2 * torque / radius / (total + 4 * 0.5 * wheel)
    s = Scene("vehicle",
              "A car of 280 kg on springs and dampers settles, then its rear wheels drive it for two seconds, and it rolls on.",
              4.0, camera=([4, -7, 2.5], [3, 0, 0.5]), sleeping=False)
    s.material(friction=1.0)
    s.ground(half=60.0)
    s.shape("chassis", "box", halfExtents=[1.2, 0.5, 0.15])
    s.shape("carrier", "box", halfExtents=[0.05, 0.05, 0.05])
    s.shape("wheel", "cylinder", radius=radius, halfHeight=0.1)
    s.body("chassis", "chassis", [0, 0, 0.55], mass=chassis)
    side = quaternion([1, 0, 0], math.pi / 2)
    for x, end in ((0.9, "front"), (-0.9, "rear")):
        for y, name in ((0.75, "left"), (-0.75, "right")):
            place = "%s %s" % (end, name)
            s.body("carrier " + place, "carrier", [x, y, radius], mass=carrier, collides=False)
            s.joint("slider", "chassis", "carrier " + place, [x, y, radius], axis=[0, 0, 1], name="spring " + place,
                    stiffness=stiffness, damping=damping, limit={"lower": -0.1, "upper": 0.15})
            s.body("wheel " + place, "wheel", [x, y, radius], mass=wheel, orientation=side)
            motor = {"mode": "torque", "targets": [{"at": 1.0, "value": 0.0}, {"at": 1.0, "value": torque},
                                                   {"at": 3.0, "value": torque}, {"at": 3.0, "value": 0.0}]}
            s.joint("hinge", "carrier " + place, "wheel " + place, [x, y, radius], axis=[0, 1, 0],
                    name="axle " + place, **({"motor": motor} if end == "rear" else {}))
    for place in ("front left", "rear right"):
        s.expect("spring " + place, "coordinate", chassis * G / 4 / stiffness, 2e-4, at=1.0, joint=True)
        s.expect("axle " + place, "velocity", 2 * acceleration / radius, 0.01 * 2 * acceleration / radius, joint=True)
    s.expect("chassis", "linearVelocity.x", 2 * acceleration, 0.01 * 2 * acceleration, at=3.0)
    s.expect("chassis", "linearVelocity.x", 2 * acceleration, 0.01 * 2 * acceleration)
    s.expect("chassis", "position.x", 4 * acceleration, 0.01 * 4 * acceleration)
    s.expect("chassis", "position.y", 0.0, 1e-3)
    s.expect(None, "deepestPenetration", high=1e-3)
    s.expect(None, "jointError", high=1e-6)
    return s


# --- many bodies --------------------------------------------------------------------------------------

def galton_board():
    rows, pitch, peg, ball = 10, 0.2, 0.03, 0.035
    s = Scene("galton board",
              "A hundred balls fall through ten rows of pegs. Where each one ends is chance; none passes through a peg or a "
              "wall, and all come to rest in the bins.", 12.0, dt=1 / 120, camera=([0.6, -4.4, 2.2], [0, 0, 1.65]))
    s.material(friction=0.2, restitution=0.3)
    s.shape("peg", "cylinder", radius=peg, halfHeight=0.06)
    s.shape("ball", "sphere", radius=ball)
    s.shape("plate", "box", halfExtents=[1.6, 0.05, 2.5])
    s.shape("fin", "box", halfExtents=[0.01, 0.05, 0.4])
    s.shape("floor", "box", halfExtents=[1.6, 0.5, 0.1])
    s.shape("side", "box", halfExtents=[0.05, 0.1, 2.5])
    gap = 0.045
    s.body("floor", "floor", [0, 0, -0.1], static=True)
    s.body("front", "plate", [0, -gap - 0.05, 2.5], static=True)
    s.body("back", "plate", [0, gap + 0.05, 2.5], static=True)
    s.body("left", "side", [-1.45, 0, 2.5], static=True)
    s.body("right", "side", [1.45, 0, 2.5], static=True)
    upright = quaternion([1, 0, 0], math.pi / 2)
    for row in range(rows):
        for i in range(-7, 8):
            x = (i + (0.5 if row % 2 else 0.0)) * pitch
            if abs(x) < 1.25:   # a ball must fit between the last peg and the wall
                s.body("peg %d %d" % (row, i), "peg", [x, 0, 1.1 + row * 0.17], orientation=upright, static=True)
    for i in range(-7, 8):
        x = (i + 0.5) * pitch
        if abs(x) < 1.35:
            s.body("fin %d" % i, "fin", [x, 0, 0.4], static=True)
    for i in range(100):
        column, layer = i % 5, i // 5
        s.body("ball %d" % (i + 1), "ball",
               [(column - 2) * 0.075 + 0.004 * math.sin(12.9898 * i), 0.005 * math.cos(78.233 * i), 3.0 + 0.09 * layer])
    for i in (1, 25, 50, 75, 100):
        s.expect("ball %d" % i, "position.z", low=0.9 * ball, high=0.9)
        s.expect("ball %d" % i, "position.y", 0.0, gap)
    s.expect(None, "kineticEnergy", high=0.01)
    s.expect(None, "deepestPenetration", high=0.002)
    return s


def terrain():
    columns, cell = 41, 0.5
    half = 0.5 * (columns - 1) * cell

    def height(x, y):
        return 0.03 * (x * x + y * y) + 0.25 * math.sin(1.1 * x) * math.cos(0.9 * y)

    heights = [round(height(i * cell - half, j * cell - half), 4) for j in range(columns) for i in range(columns)]
    s = Scene("terrain",
              "Sixty bodies roll and slide into a bumpy hollow of a height field; none sinks into it.", 10.0,
              camera=([10, -12, 8], [0, 0, 1]))
    s.material(friction=0.6, density=500.0)
    s.shape("land", "heightfield", columns=columns, rows=columns, cellSize=cell, heights=heights)
    s.shape("ball", "sphere", radius=0.3)
    s.shape("crate", "box", halfExtents=[0.3, 0.25, 0.2])
    s.shape("log", "capsule", radius=0.2, halfHeight=0.4)
    s.shape("drum", "cylinder", radius=0.3, halfHeight=0.3)
    s.body("land", "land", [-half, -half, 0], static=True)
    for i in range(60):
        kind = ("ball", "crate", "log", "drum")[i % 4]
        angle, ring = 2.399963 * i, 0.8 * math.sqrt(i)
        x, y = ring * math.cos(angle), ring * math.sin(angle)
        s.body("%s %d" % (kind, i), kind, [round(x, 4), round(y, 4), round(height(x, y) + 1.2 + 0.02 * i, 4)],
               orientation=quaternion([1, 0, 0], 0.3 * i))
    for i in (0, 17, 34, 51):
        kind = ("ball", "crate", "log", "drum")[i % 4]
        s.expect("%s %d" % (kind, i), "position.z", low=-0.2, high=6.0)
    s.expect(None, "deepestPenetration", high=0.01)
    return s


def pile_10000():
    s = Scene("pile of 10,000", "Ten thousand bodies of three kinds, four layers deep, fall into a container.", 2.5,
              camera=([55, -70, 40], [0, 0, 2]))
    s.material(friction=0.6)
    inner, height = 40.0, 10.0
    s.shape("floor", "box", halfExtents=[inner + 2, inner + 2, 1.0])
    s.shape("wall x", "box", halfExtents=[1.0, inner + 2, height / 2])
    s.shape("wall y", "box", halfExtents=[inner, 1.0, height / 2])
    s.body("floor", "floor", [0, 0, -1], static=True)
    for sign, tag in ((-1, "a"), (1, "b")):
        s.body("wall x " + tag, "wall x", [sign * (inner + 1), 0, height / 2], static=True)
        s.body("wall y " + tag, "wall y", [0, sign * (inner + 1), height / 2], static=True)
    s.shape("ball", "sphere", radius=0.4)
    s.shape("box", "box", halfExtents=[0.45, 0.35, 0.3])
    s.shape("capsule", "capsule", radius=0.3, halfHeight=0.3)
    side, cell = 50, 1.6
    for i in range(10000):
        layer, place = divmod(i, side * side)
        row, column = divmod(place, side)
        kind = ("ball", "box", "capsule")[i % 3]
        s.body("%s %d" % (kind, i), kind,
               [round((column - (side - 1) / 2) * cell + 0.2 * math.sin(1.3 * i), 3),
                round((row - (side - 1) / 2) * cell + 0.2 * math.cos(2.1 * i), 3), round((layer + 0.5) * cell, 3)],
               orientation=quaternion([0.6, 0.0, 0.8], 0.7 * i))
    s.expect(None, "deepestPenetration", high=0.05)
    s.expect("ball 0", "position.z", low=0.3)
    return s


GALLERY = {
    "dzhanibekov_nut": dzhanibekov,
    "spring_oscillator": spring_oscillator,
    "glancing_blow": glancing_blow,
    "newtons_cradle": newtons_cradle,
    "bouncing_ball": bouncing_ball,
    "incline_sticks": lambda: incline(True),
    "incline_slides": lambda: incline(False),
    "rolling_sphere": rolling_sphere,
    "pinched_block_held": lambda: pinched_block(True),
    "pinched_block_slips": lambda: pinched_block(False),
    "ball_on_turntable": turntable,
    "tippe_top": tippe_top,
    "arch_stands": lambda: arch(True),
    "arch_falls": lambda: arch(False),
    "book_overhang_stands": lambda: overhang(True),
    "book_overhang_falls": lambda: overhang(False),
    "heavy_on_light": heavy_on_light,
    "wall_under_impact": wall_under_impact,
    "domino_run": domino_run,
    "long_chain": long_chain,
    "four_bar_linkage": four_bar,
    "robot_arm": robot_arm,
    "gripper": gripper,
    "vehicle": vehicle,
    "galton_board": galton_board,
    "terrain": terrain,
    **ROBOTS,
}

LARGE = {"pile_10000": pile_10000}


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", default=os.path.join(here, "..", "scenes"), help="folder to write into")
    parser.add_argument("--large", action="store_true", help="write the large scenes instead of the gallery")
    parser.add_argument("--compare", action="store_true", help="write nothing; fail where a file differs")
    parser.add_argument("names", nargs="*", help="write only these")
    arguments = parser.parse_args()
    os.makedirs(arguments.out, exist_ok=True)
    stale = []
    for name, build in (LARGE if arguments.large else GALLERY).items():
        if arguments.names and name not in arguments.names:
            continue
        path = os.path.join(arguments.out, name + ".json")
        text = build().text()
        if arguments.compare:
            with open(path, encoding="utf-8") as file:
                if file.read() != text:
                    stale.append(name)
            continue
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
    if stale:
        raise SystemExit("not what this program writes: " + ", ".join(stale))


if __name__ == "__main__":
    main()
