"""Scenes with robots that others have made (scenes/robots): make_gallery.py writes them.

The robots stay in their own files, URDF and MJCF; a scene takes one as a model, says what it changes of it, and what is
expected. Expected values come from statics, geometry and the targets of the motors, never from the engine.
"""

import json
import math

G = 9.81


class RobotScene:
    """A scene of version 2 around one robot."""

    def __init__(self, name, description, seconds, camera, robot, override=None, rate=240, **more):
        use = {"model": robot}
        use.update({k: more.pop(k) for k in ("position", "euler") if k in more})
        if override:
            use["override"] = override
        self.data = {"version": 2, "name": name, "description": description, "dt": "${1/%d}" % rate,
                     "steps": round(seconds * rate), "camera": {"position": camera[0], "target": camera[1]}, **more,
                     "use": [use], "expect": []}

    def expect(self, quantity, body=None, joint=None, sensor=None, **outcome):
        check = {k: v for k, v in (("body", body), ("joint", joint), ("sensor", sensor)) if v}
        self.data["expect"].append({**check, "quantity": quantity, **outcome})

    def text(self):
        lines = []
        for key, value in self.data.items():
            if key == "use":
                lines.append('  "use": [%s]' % json.dumps(value[0], indent=2, ensure_ascii=False).replace("\n", "\n  "))
            elif isinstance(value, list) and value and isinstance(value[0], dict):
                inner = ",\n".join("    " + json.dumps(v, ensure_ascii=False) for v in value)
                lines.append("  %s: [\n%s\n  ]" % (json.dumps(key), inner))
            elif value not in ([], {}):
                lines.append("  %s: %s" % (json.dumps(key), json.dumps(value, ensure_ascii=False)))
        return "{\n" + ",\n".join(lines) + "\n}\n"


GROUND = {"shapes": {"ground": {"type": "plane"}}, "bodies": [{"name": "ground", "shape": "ground", "static": True}]}


def quadruped_stands():
    legs = [f"{end}_{side}" for end in ("front", "back") for side in ("left", "right")]
    motor = {"mode": "position", "target": 0, "stiffness": 3000, "damping": 150, "maxForce": 600}
    joints = {f"{kind}_{leg}": {"motor": dict(motor)} for leg in legs for kind in ("yaw", "pitch", "knee", "ankle")}
    s = RobotScene("quadruped_stands",
                   "A four-legged robot of 107 kg (dm_control's, from its MJCF file) on sixteen position motors, with a ball "
                   "beside it: it sags by what its springs give, and stands.",
                   4.0, [[2.4, -2.4, 1.5], [0, 0, 0.4]], "quadruped/quadruped.xml",
                   {"joints": joints, "bodies": {"ball": {"position": [1.3, 0.9, 0.15]}}})
    # The toes hang 5 cm above the floor at the start; the rest is sag.
    s.expect("position.z", body="torso", value=0.52, tolerance=0.02)
    s.expect("position.x", body="torso", value=0.0, tolerance=0.02)
    s.expect("position.y", body="torso", value=0.0, tolerance=0.02)
    s.expect("orientation.w", body="torso", min=0.9995)
    s.expect("speed", body="torso", max=1e-3)
    for leg in legs:
        s.expect("contacts", body=f"ankle_{leg}", min=1)
    for leg in legs:
        s.expect("coordinate", joint=f"knee_{leg}", value=0.0, tolerance=0.05)
    s.expect("deepestPenetration", max=0.005, at="max")
    return s


def humanoid_falls():
    mass = 40.8441  # [kg], volumes of the geoms times 1000 kg/m³
    s = RobotScene("humanoid_falls",
                   "A figure of 13 bodies and 21 hinges (MuJoCo's humanoid, from its MJCF file) whose motors are off: "
                   "pushed backwards for a moment, it falls and lies. The floor carries its weight.",
                   3.5, [[2.2, -2.4, 1.4], [-0.3, 0, 0.4]], "humanoid/humanoid.xml",
                   {"bodies": {"torso": {"forces": [{"at": 0, "value": [-100, 0, 0]}, {"at": 0.3, "value": [-100, 0, 0]},
                                                    {"at": 0.3, "value": [0, 0, 0]}]}}}, rate=120)
    # Nothing of it is thicker than 0.25 m: whoever lies has the middle of the body below that.
    s.expect("position.z", body="torso", min=0.05, max=0.35)
    s.expect("position.z", body="pelvis", min=0.05, max=0.35)
    s.expect("kineticEnergy", max=0.05)
    s.expect("contactForce.z", body="floor", value=round(-mass * G, 3), tolerance=0.4)
    s.expect("jointError", max=1e-8, at="max")
    s.expect("deepestPenetration", max=0.005, at="max")
    return s


def r2d2_stands():
    masses = [50, 1, 1, 1, 1, 0.05, 0.1, 0.1, 11]
    weight = G * sum(masses)
    s = RobotScene("r2d2_stands",
                   "A droid of 64 kg (from Bullet's URDF file) on four wheels that turn freely: on level ground it stands, "
                   "and the ground carries its weight.",
                   3.0, [[1.6, 1.9, 0.9], [0, 0, 0.45]], "r2d2/r2d2.urdf", rate=500, position=[0, 0, 0.471], **GROUND)
    s.expect("position.z", body="base_link", value=0.47, tolerance=2e-3)
    s.expect("position.x", body="base_link", value=0.0, tolerance=5e-3)
    s.expect("position.y", body="base_link", value=0.0, tolerance=5e-3)
    s.expect("orientation.w", body="base_link", min=0.99999)
    s.expect("speed", body="base_link", max=1e-3)
    s.expect("contactForce.z", body="ground", value=-weight, tolerance=1e-3 * weight)
    s.expect("contactForce.x", body="ground", value=0.0, tolerance=0.5)
    return s


def kuka_tracks_sine():
    amplitudes = [0.6, 0.5, 0.4, 0.7, 0.5, 0.6, 0.8]
    omega = math.pi  # half a turn a second
    seconds = 4.0

    def target(k, t):
        """Starts and ends gently: the position and the speed are zero at 0."""
        return amplitudes[k] * math.sin(omega * t) ** 3

    joints = {}
    for k, amplitude in enumerate(amplitudes):
        joints[f"lbr_iiwa_joint_{k + 1}"] = {
            "motor": {"mode": "position", "frequency": 20, "inverseDynamics": True,
                      "targets": [{"repeat": {"i": round(seconds * 240) + 1}, "at": "${i/240}",
                                   "value": "${%g*sin(pi*i/240)^3}" % amplitude}]}}
    s = RobotScene("kuka_tracks_sine",
                   "An arm of seven joints (KUKA LBR iiwa, from its URDF file) whose motors follow sines, cubed so that they start at "
                   "rest. The motors do inverse dynamics together: they push with what the targets' accelerations and gravity ask of the "
                   "whole arm, and correct what little is left.",
                   seconds, [[1.9, -1.9, 1.4], [0, 0, 0.6]], "kuka/kuka_iiwa.urdf", {"joints": joints}, **GROUND)
    for t in (0.25, 0.5, 0.75, 1.25, 1.5, 2.25, 2.75, 3.5, 4.0):
        for k in range(7):
            # The reference method is half a step behind: ½ dt q̇, 5.6e-3 rad for the fastest; measured 5.9e-3.
            s.expect("coordinate", joint=f"lbr_iiwa_joint_{k + 1}", at=t, value=round(target(k, t), 12), tolerance=1e-3,
                     reference={"tolerance": 0.0066})
    s.expect("jointError", max=1e-6, at="max")
    return s


def allegro_holds_ball():
    radius, mass = 0.034, 0.1
    # Where the motors want to go: 0.2 to 0.4 rad beyond where the ball stops them.
    finger = {"j1": 1.0, "j2": 1.4, "j3": 1.3}
    grip = {name + joint: angle for name in ("ff", "mf", "rf") for joint, angle in finger.items()}
    grip.update({"thj0": 1.35, "thj1": 0.6, "thj2": 0.7, "thj3": 1.0})
    joints = {}
    for name, angle in grip.items():
        joints[name] = {"motor": {"mode": "position", "stiffness": 3, "damping": 0.1,
                                  "targets": [{"at": 0.1, "value": 0.3 if name == "thj0" else 0}, {"at": 1.1, "value": angle}]}}
    s = RobotScene("allegro_holds_ball",
                   "A hand with four fingers and sixteen motors (Wonik's Allegro, from its MJCF file), palm down. Until 1.5 s the ball is "
                   "carried; the fingers close around it, and from then on they alone keep it from falling.",
                   4.0, [[0.3, -0.32, 0.42], [0.03, 0, 0.27]], "allegro/right_hand.xml", {"joints": joints},
                   position=[0, 0, 0.3], euler=[math.pi, 0, 0],
                   materials={"default": {"friction": 1}},
                   shapes={"ball": {"type": "sphere", "radius": radius}, "ground": {"type": "plane"}},
                   bodies=[{"name": "ground", "shape": "ground", "static": True},
                           {"name": "ball", "shape": "ball", "mass": mass, "position": [0.004, 0, round(0.3 - 0.0115 - radius, 4)],
                            "forces": [{"at": 1.5, "value": [0, 0, mass * G]}, {"at": 1.7, "value": [0, 0, 0]}]}])
    s.expect("position.z", body="ball", min=0.15)
    s.expect("speed", body="ball", max=2e-3)
    s.expect("contacts", body="ball", min=3)
    s.expect("contactForce.z", body="ball", value=mass * G, tolerance=0.01)
    s.expect("contactForce.z", body="ground", value=0.0, tolerance=1e-9)
    return s


ROBOTS = {
    "robots/humanoid_falls": humanoid_falls,
    "robots/quadruped_stands": quadruped_stands,
    "robots/allegro_holds_ball": allegro_holds_ball,
    "robots/r2d2_stands": r2d2_stands,
    "robots/kuka_tracks_sine": kuka_tracks_sine,
}
