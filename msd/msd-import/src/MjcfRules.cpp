#include "msd-import/src/MjcfContext.hpp"

namespace msd_import {

namespace {

constexpr std::string_view kRigid{"contacts, limits and joints are rigid"};
constexpr std::string_view kSolver{"a setting of another solver"};
constexpr std::string_view kLooks{"looks"};
constexpr std::string_view kNoFluid{"bodies move without air or water around them"};
constexpr std::string_view kLeft{"left out"};
constexpr std::string_view kPose{"pos quat axisangle euler xyaxes zaxis"};

constexpr auto kRules = std::to_array<AttributeRule>({
    {"mujoco", "model"},
    {"compiler",
     "angle eulerseq coordinate inertiafromgeom balanceinertia boundmass boundinertia settotalmass "
     "meshdir assetdir autolimits strippath exactmeshinertia inertiagrouprange"},
    {"compiler", "texturedir usethread discardvisual saveinertial alignfree convexhull fitaabb",
     "a setting of another compiler", true},
    {"compiler", "fusestatic", "links without joints are always joined to their parent", true},
    {"lengthrange", "<>", "a setting of another compiler", true},
    {"option", "timestep gravity"},
    {"option",
     "integrator cone jacobian solver iterations tolerance ls_iterations ls_tolerance "
     "noslip_iterations noslip_tolerance mpr_iterations mpr_tolerance ccd_iterations ccd_tolerance "
     "sdf_iterations sdf_initpoints impratio apirate actuatorgroupdisable collision",
     kSolver, true},
    {"option", "density viscosity wind magnetic", kNoFluid},
    {"option", "o_margin o_solref o_solimp o_friction", kRigid},
    {"flag", "gravity contact constraint limit equality"},
    {"flag",
     "energy warmstart filterparent refsafe fwdinv invdiscrete island nativeccd multiccd "
     "override midphase eulerdamp autoreset sensornoise sensor clampctrl",
     kSolver, true},
    {"flag", "passive actuation frictionloss", "joints keep what they are given"},
    {"size", "<>", "sizes of another program's memory", true},
    {"visual", "<>", kLooks, true},
    {"statistic", "<>", kLooks, true},
    {"asset", ""},
    {"mesh", "name class file scale vertex face refpos refquat inertia"},
    {"mesh", "normal texcoord smoothnormal content_type maxhullvert material", kLooks, true},
    {"plugin", "<>", "programs of another engine are not run"},
    {"hfield", "name file nrow ncol size elevation"},
    {"hfield", "content_type", kLooks, true},
    {"skin", "<>", kLooks, true},
    {"texture", "<>", "bodies have one colour", true},
    {"layer", "<>", "bodies have one colour", true},
    {"material", "name class rgba"},
    {"material", "*", "bodies have one colour", true},
    {"default", "class"},
    {"worldbody", ""},
    {"body", "name childclass"},
    {"body", kPose},
    {"body", "mocap"},
    {"body", "user sleep", kLeft, true},
    {"body", "gravcomp", "gravity acts on every body"},
    {"frame", "name childclass"},
    {"frame", kPose},
    {"inertial", kPose},
    {"inertial", "mass diaginertia fullinertia"},
    {"freejoint", "name"},
    {"freejoint", "group align", kLooks, true},
    {"joint",
     "name class type pos axis limited range ref springref stiffness damping armature frictionloss "
     "actuatorfrcrange joint coef joint1 joint2 polycoef active"},
    {"joint", "group user", kLooks, true},
    {"joint", "actuatorfrclimited", kLeft},
    {"joint", "actuatorgravcomp", "gravity acts on every body"},
    {"joint", "solreflimit solimplimit solreffriction solimpfriction margin solref solimp", kRigid},
    {"joint", "springdamper", kLeft},
    {"geom",
     "name class type size fromto mesh hfield density mass contype conaffinity condim friction "
     "priority rgba material group"},
    {"geom", kPose},
    {"geom", "solmix solref solimp margin gap", kRigid},
    {"geom", "shellinertia", "geoms are solid"},
    {"geom", "fluidshape fluidcoef", kNoFluid},
    {"geom", "fitscale", kLeft},
    {"geom", "user", kLeft, true},
    {"site", "name class type size fromto site"},
    {"site", kPose},
    {"site", "rgba material group user", kLooks, true},
    {"camera", "<>", kLooks, true},
    {"light", "<>", kLooks, true},
    {"composite", "<>", "bodies of many parts that bend are left out"},
    {"flexcomp", "<>", "bodies that bend are left out"},
    {"deformable", "<>", "bodies that bend are left out"},
    {"flex", "<>", "bodies that bend are left out"},
    {"replicate", "<>", "left out: write the copies"},
    {"attach", "<>", "left out: include the file"},
    {"model", "<>", "left out: include the file"},
    {"contact", ""},
    {"exclude", "name body1 body2"},
    {"pair", "name class geom1 geom2 condim friction"},
    {"pair", "solref solimp margin gap solreffriction", kRigid},
    {"equality", ""},
    {"equality", "solref solimp class", kRigid},
    {"connect", "name class body1 body2 anchor active"},
    {"connect", "site1 site2", kLeft},
    {"connect", "solref solimp", kRigid},
    {"weld", "name class body1 body2 relpose anchor active"},
    {"weld", "site1 site2", kLeft},
    {"weld", "torquescale", kRigid},
    {"weld", "solref solimp", kRigid},
    {"tendon", "name class tendon1 tendon2 polycoef active"},
    {"tendon", "solref solimp", kRigid},
    {"fixed", "name class limited range"},
    {"fixed", "group width rgba material user", kLooks, true},
    {"fixed", "stiffness damping frictionloss springlength armature", "a sum of joints has none"},
    {"fixed", "*", kLeft},
    {"spatial", "name class limited range width rgba material group"},
    {"spatial", "*", kLeft},
    {"pulley", "divisor"},
    {"actuator", ""},
    {"general",
     "name class joint jointinparent tendon site ctrllimited ctrlrange forcelimited forcerange "
     "gear gaintype "
     "gainprm biastype biasprm dyntype dynprm"},
    {"motor",
     "name class joint jointinparent tendon site ctrllimited ctrlrange forcelimited forcerange "
     "gear"},
    {"position",
     "name class joint jointinparent tendon site ctrllimited ctrlrange forcelimited forcerange "
     "gear kp kv "
     "inheritrange dampratio timeconst"},
    {"velocity",
     "name class joint jointinparent tendon site ctrllimited ctrlrange forcelimited forcerange "
     "gear kv"},
    {"general", "*", kLeft},
    {"motor", "*", kLeft},
    {"position", "*", kLeft},
    {"velocity", "*", kLeft},
    {"intvelocity", "<>", "an actuator with a memory of its own is left out"},
    {"damper", "<>", "an actuator that damps by command is left out"},
    {"cylinder", "<>", "an actuator with a memory of its own is left out"},
    {"muscle", "<>", "muscles are left out"},
    {"adhesion", "<>", "actuators that stick are left out"},
    {"sensor", ""},
    {"keyframe", ""},
    {"key", "name qpos qvel ctrl"},
    {"key", "act mpos mquat time", kLeft},
    {"custom", "<>", "numbers for other programs", true},
    {"extension", "<>", "programs of another engine are not run"},
});

/// Sensors are judged one by one where they are read.
XmlNode withoutSensors(const XmlNode& root) {
  XmlNode copy = root;
  for (XmlNode& node : copy.children) {
    if (node.name == "sensor") node.children.clear();
  }
  return copy;
}

}  // namespace

void noteMjcf(const XmlNode& root, NoteList& notes) {
  noteAttributes(withoutSensors(root), kRules, notes);
}

}  // namespace msd_import
