// A wrong scene gets one message: path, line, what was found and what was expected.
//
// Each case changes one thing in a scene that uses every field, and says where the complaint must
// point (path and line) and what it must say. The cases that can be generated (every number, every
// cut, every flipped bit) are in HostileInputTest.cpp.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>
#include <string>
#include <vector>

#include "msd-scene/src/ReadScene.hpp"
#include "msd-scene/test/SampleScenes.hpp"

namespace msd_scene::test {
namespace {

using testing::HasSubstr;

struct BadCase {
  const char* name;
  const char* from;  ///< what stands in the sample scene
  const char* to;    ///< what is put there
  const char* path;
  const char* found;
  const char* expected;
};

std::ostream& operator<<(std::ostream& out, const BadCase& bad) {
  return out << bad.name;
}

class BadInput : public testing::TestWithParam<BadCase> {};

TEST_P(BadInput, getsOneMessageThatNamesPathLineValueAndExpectation) {
  const BadCase& bad = GetParam();
  const std::string text = replaced(fullScene(), bad.from, bad.to);
  const auto line =
      1 +
      std::count(text.begin(), text.begin() + static_cast<long>(fullScene().find(bad.from)), '\n');
  try {
    (void)loadScene(bytesOf(text), "bad.json", noMeshes());
    FAIL() << "the scene was accepted";
  } catch (const SceneError& error) {
    const SceneProblem& problem = error.problem();
    EXPECT_EQ(problem.path.toString(), bad.path) << error.what();
    EXPECT_THAT(problem.found, HasSubstr(bad.found)) << error.what();
    EXPECT_THAT(problem.expected, HasSubstr(bad.expected)) << error.what();
    // The value may stand some lines below the text that was replaced, and the start of an object
    // that lacks a field some lines above; never far.
    EXPECT_NEAR(static_cast<double>(problem.position.line), static_cast<double>(line), 3.0)
        << error.what();
    EXPECT_GE(problem.position.column, 1u);
    EXPECT_THAT(error.what(), testing::StartsWith("bad.json:")) << error.what();
    EXPECT_THAT(std::string{error.what()}, testing::Not(HasSubstr("\n")));
  }
}

const BadCase kSyntax[] = {
    {"MissingComma", "\"dt\": 0.005,", "\"dt\": 0.005", "dt", "\"steps\"", "',' or '}'"},
    {"TrailingComma", "\"offset\": -2}", "\"offset\": -2,}", "shapes.ground", "'}'", "name"},
    {"TrailingCommaInArray", "[0, 0, -9.81]", "[0, 0, -9.81,]", "gravity[3]", "']'", "number"},
    {"SingleQuotes", "\"name\": \"everything\"", "\"name\": 'everything'", "name", "'everything'",
     "name"},
    {"NameWithoutQuotes", "\"gravity\":", "gravity:", "", "gravity", "name in double quotes"},
    {"MissingColon", "\"steps\": 400", "\"steps\" 400", "steps", "400", "':'"},
    {"Comment", "\"steps\": 400", "// many\n\"steps\": 400", "", "comment", "name in double"},
    {"TwoMinus", "-9.81", "--9.81", "gravity[2]", "--9.81", "number"},
    {"LeadingPlus", "\"steps\": 400", "\"steps\": +400", "steps", "+400", "whole number"},
    {"LeadingZero", "\"steps\": 400", "\"steps\": 0400", "steps", "0400", "number"},
    {"LeadingPoint", "\"dt\": 0.005", "\"dt\": .005", "dt", ".005", "number"},
    {"TrailingPoint", "\"dt\": 0.005", "\"dt\": 5.", "dt", "5.", "number"},
    {"Hexadecimal", "\"mask\": 3", "\"mask\": 0x3", "bodies[4].mask", "0x3", "number"},
    {"BadEscape", "and \\u0041", "and \\q0041", "description", "unknown escape", "\\n"},
    {"ShortUnicodeEscape", "\\u0041 too", "\\u00z1 too", "description", "incomplete \\u",
     "four hexadecimal"},
    {"LoneSurrogate", "\\u0041 too", "\\ud800 too", "description", "half a surrogate", "pairs"},
    {"ControlCharacter", "and \\u0041", "and \n\\u0041", "description", "control character 0x0A",
     "escape"},
    {"InvalidUtf8", "Ünïcode", "\xC3\x28", "description", "not valid UTF-8", "UTF-8"},
    {"TrueMisspelt", "\"continuous\": true", "\"continuous\": True", "bodies[4].continuous", "True",
     "true or false"},
    {"TwoScenes", "\"at\": \"end\"}\n  ]\n}", "\"at\": \"end\"}\n  ]\n}{}", "", "an object",
     "the end of the file"},
};
INSTANTIATE_TEST_SUITE_P(Syntax, BadInput, testing::ValuesIn(kSyntax),
                         [](const auto& each) { return each.param.name; });

const BadCase kFields[] = {
    {"UnknownTopField", "\"steps\":", "\"stpes\":", "stpes", "unknown field \"stpes\"",
     "did you mean \"steps\""},
    {"UnknownBodyField", "\"linearDamping\"", "\"linearDampening\"", "bodies[4].linearDampening",
     "unknown field", "did you mean \"linearDamping\""},
    {"UnknownFieldWithoutLikeness", "\"maySleep\"", "\"wavelength\"", "bodies[4].wavelength",
     "unknown field \"wavelength\"", "a field of a body"},
    {"UnknownMaterialField", "\"density\": 900", "\"dencity\": 900", "materials.default.dencity",
     "unknown field", "did you mean \"density\""},
    {"UnknownSolverField", "\"substeps\"", "\"subSteps\"", "solver.subSteps", "unknown field",
     "did you mean \"substeps\""},
    {"UnknownMotorField", "\"dampingRatio\"", "\"dampinRatio\"", "joints[1].motor.dampinRatio",
     "unknown field", "did you mean \"dampingRatio\""},
    {"FieldTwice", "\"steps\": 400", "\"steps\": 400, \"steps\": 400", "steps", "a second time",
     "each field once"},
    {"BodyFieldTwice", "\"mass\": 2.5", "\"mass\": 2.5, \"mass\": 3", "bodies[5].mass",
     "a second time", "each field once"},
    {"MaterialTwice", "\"rubber\": {", "\"default\": {", "materials.default", "a second time",
     "each name once"},
    {"ShapeTwice", "\"coin\": {", "\"ball\": {", "shapes.ball", "a second time", "each name once"},
    {"NoVersion", "\"version\": 1,", "", "", "no field \"version\"", "version"},
    {"NoShapeType", "\"type\": \"sphere\", ", "", "shapes.ball", "no field \"type\"", "kind"},
    {"NoRadius", ", \"radius\": 0.5", "", "shapes.ball", "no field \"radius\"", "sphere"},
    {"NoBodyName", "{\"name\": \"terrain\", ", "{", "bodies[1]", "no field \"name\"", "name"},
    {"NoBodyShape", "\"name\": \"terrain\", \"shape\": \"hills\"", "\"name\": \"terrain\"",
     "bodies[1]", "no field \"shape\"", "shape"},
    {"NoAnchor", "\"bodyB\": \"wedge\", \"anchor\": [0, 0, 2.5]", "\"bodyB\": \"wedge\"",
     "joints[0]", "no field \"anchor\"", "place"},
    {"NoHingeAxis", "\"axis\": [0, 1, 0], ", "", "joints[1]", "no field \"axis\"", "hinge"},
    {"NoSpringStiffness", "\"stiffness\": 50, ", "", "joints[8]", "no field \"stiffness\"",
     "spring"},
    {"AxisOfBallJoint", "\"anchor\": [0, 0, 2.5]", "\"anchor\": [0, 0, 2.5], \"axis\": [1, 0, 0]",
     "joints[0].axis", "the field \"axis\"", "no such field in a joint of type ball"},
    {"RadiusOfBox", "\"halfExtents\": [0.2, 0.1, 0.05]",
     "\"halfExtents\": [0.2, 0.1, 0.05], \"radius\": 1", "shapes.brick.radius",
     "the field \"radius\"", "only type, halfExtents"},
    {"MeshWithoutTriangles", ",\n      \"triangles\": [[0, 1, 2], [0, 2, 3]]", "", "shapes.ramp",
     "neither \"file\" nor \"triangles\"", "mesh file"},
    {"MeshFileAndLists", "\"type\": \"mesh\", ", "\"type\": \"mesh\", \"file\": \"a.stl\", ",
     "shapes.ramp", "both \"file\" and \"vertices\"", "one of the two"},
    {"NoCameraTarget", ", \"target\": [0, 0, 1]", "", "camera", "no field \"target\"", "looks at"},
    {"NoQuantity", "{\"quantity\": \"deepestPenetration\", ", "{", "expect[6]",
     "no field \"quantity\"", "position.z"},
};
INSTANTIATE_TEST_SUITE_P(Fields, BadInput, testing::ValuesIn(kFields),
                         [](const auto& each) { return each.param.name; });

const BadCase kTypes[] = {
    {"SceneIsArray", "{\n  \"version\": 1,", "[{\n  \"version\": 1,", "", "an array", "a scene"},
    {"VersionThree", "\"version\": 1", "\"version\": 3", "version", "3", "from 1 to 2"},
    {"VersionText", "\"version\": 1", "\"version\": \"1\"", "version", "\"1\"", "whole number"},
    {"NameNumber", "\"name\": \"everything\"", "\"name\": 7", "name", "7", "name"},
    {"GravityNumber", "\"gravity\": [0, 0, -9.81]", "\"gravity\": -9.81", "gravity", "-9.81",
     "array of 3 finite numbers [m/s²]"},
    {"GravityTwoNumbers", "[0, 0, -9.81]", "[0, -9.81]", "gravity", "array of 2", "array of 3"},
    {"GravityFourNumbers", "[0, 0, -9.81]", "[0, 0, 0, -9.81]", "gravity", "array of 4",
     "array of 3"},
    {"PositionText", "[0, 0, 2], \"orientation\"", "[0, 0, \"up\"], \"orientation\"",
     "bodies[4].position[2]", "\"up\"", "finite number [m]"},
    {"PositionNull", "[3, 0, 2], \"mass\"", "null, \"mass\"", "bodies[5].position", "null",
     "array of 3"},
    {"OrientationThree", "[1, 0, 0, 0], \"linear", "[0, 0, 0], \"linear", "bodies[4].orientation",
     "array of 3", "array of 4"},
    {"StepsFraction", "\"steps\": 400", "\"steps\": 400.5", "steps", "400.5", "whole number"},
    {"StepsNegative", "\"steps\": 400", "\"steps\": -1", "steps", "-1", "whole number from 0"},
    {"StaticText", "\"static\": false", "\"static\": \"no\"", "bodies[4].static", "\"no\"",
     "true or false"},
    {"BodiesObject", "\"bodies\": [\n    {\"name\": \"ground\"",
     "\"bodies\": {\n    {\"name\": \"ground\"", "bodies", "an object", "array of bodies"},
    {"ShapesArray", "\"shapes\": {\n    \"ball\": {", "\"shapes\": [\n    \"ball\": {", "shapes",
     "an array", "shapes by name"},
    {"BodyIsText",
     "{\"name\": \"terrain\", \"shape\": \"hills\", \"static\": true, "
     "\"position\": [20, 0, 0]}",
     "\"terrain\"", "bodies[1]", "\"terrain\"", "a body"},
    {"ShapeTypeUnknown", "\"type\": \"sphere\"", "\"type\": \"spere\"", "shapes.ball.type",
     "\"spere\"", "did you mean \"sphere\""},
    {"JointTypeUnknown", "\"type\": \"hinge\"", "\"type\": \"revolute\"", "joints[1].type",
     "\"revolute\"", "one of ball, hinge"},
    {"MethodUnknown", "\"method\": \"exact\"", "\"method\": \"exakt\"", "solver.method",
     "\"exakt\"", "did you mean \"exact\""},
    {"MotorModeUnknown", "\"mode\": \"position\"", "\"mode\": \"speed\"", "joints[1].motor.mode",
     "\"speed\"", "one of velocity, position"},
    {"MaskTooLarge", "\"mask\": 3", "\"mask\": 4294967296", "bodies[4].mask", "4294967296",
     "4294967295"},
    {"VertexNumberFraction", "[0, 2, 3]]", "[0, 2, 2.5]]", "shapes.ramp.triangles[1][2]", "2.5",
     "whole number"},
    {"TriangleOfFour", "[0, 2, 3]]", "[0, 2, 3, 1]]", "shapes.ramp.triangles[1]", "array of 4",
     "3 vertex numbers"},
    {"InertiaOfFour", "[0.2, 0.25, 0.1, 0.01, 0, -0.02]", "[0.2, 0.25, 0.1, 0.01]",
     "bodies[5].inertia", "array of 4", "6 numbers"},
    {"EmptyName", "\"name\": \"terrain\"", "\"name\": \"\"", "bodies[1].name", "\"\"",
     "1 to 256 bytes"},
    {"ColumnsOne", "\"columns\": 3", "\"columns\": 1", "shapes.hills.columns", "1",
     "whole number from 2"},
    {"MomentUnknown", "\"at\": \"end\"", "\"at\": \"start\"", "expect[6].at", "\"start\"", "end"},
};
INSTANTIATE_TEST_SUITE_P(Types, BadInput, testing::ValuesIn(kTypes),
                         [](const auto& each) { return each.param.name; });

const BadCase kReferences[] = {
    {"ShapeMissing", "\"shape\": \"hills\"", "\"shape\": \"hils\"", "bodies[1].shape", "\"hils\"",
     "did you mean \"hills\""},
    {"MaterialMissing", "\"material\": \"rubber\"", "\"material\": \"ruber\"", "bodies[4].material",
     "\"ruber\"", "did you mean \"rubber\""},
    {"BodyAMissing", "\"bodyA\": \"ball\", \"bodyB\": \"wedge\"",
     "\"bodyA\": \"bal\", \"bodyB\": \"wedge\"", "joints[0].bodyA", "\"bal\"",
     "did you mean \"ball\""},
    {"BodyBMissing", "\"bodyB\": \"wedge\", \"anchor\": [0, 0, 2.5]",
     "\"bodyB\": \"nobody\", \"anchor\": [0, 0, 2.5]", "joints[0].bodyB", "\"nobody\"",
     "name of a body"},
    {"BodyBWorld", "\"bodyB\": \"wedge\", \"anchor\": [0, 0, 2.5]",
     "\"bodyB\": \"world\", \"anchor\": [0, 0, 2.5]", "joints[0].bodyB", "\"world\"",
     "only be bodyA"},
    {"JointToItself", "\"bodyA\": \"ball\", \"bodyB\": \"wedge\"",
     "\"bodyA\": \"wedge\", \"bodyB\": \"wedge\"", "joints[0].bodyB", "\"wedge\"", "another body"},
    {"SameBodyName", "\"name\": \"terrain\"", "\"name\": \"ground\"", "bodies[1].name",
     "\"ground\"", "bodies[0] has this one"},
    {"BodyNamedWorld", "\"name\": \"terrain\"", "\"name\": \"world\"", "bodies[1].name",
     "\"world\"", "the world itself"},
    {"SameJointName", "\"type\": \"slider\", ", "\"type\": \"slider\", \"name\": \"door\", ",
     "joints[2].name", "\"door\"", "joints[1] has this one"},
    {"PartMissing", "{\"shape\": \"brick\", \"position\"", "{\"shape\": \"brik\", \"position\"",
     "shapes.hammer.parts[0].shape", "\"brik\"", "did you mean \"brick\""},
    {"CompoundInCompound", "{\"shape\": \"brick\", \"position\"",
     "{\"shape\": \"hammer\", \"position\"", "shapes.hammer.parts[0].shape", "\"hammer\"",
     "sphere, box"},
    {"MeshInCompound", "{\"shape\": \"brick\", \"position\"", "{\"shape\": \"ramp\", \"position\"",
     "shapes.hammer.parts[0].shape", "a mesh", "sphere, box"},
    {"VertexOutOfRange", "[0, 2, 3]]", "[0, 2, 4]]", "shapes.ramp.triangles[1][2]", "4",
     "less than 4"},
    {"CheckedBodyMissing", "{\"body\": \"ball\", \"quantity\"", "{\"body\": \"bull\", \"quantity\"",
     "expect[0].body", "\"bull\"", "did you mean \"ball\""},
    {"CheckedJointMissing", "{\"joint\": \"door\", \"quantity\"",
     "{\"joint\": \"dor\", \"quantity\"", "expect[1].joint", "\"dor\"", "did you mean \"door\""},
    {"QuantityUnknown", "\"position.z\"", "\"positon.z\"", "expect[0].quantity", "\"positon.z\"",
     "did you mean \"position.z\""},
    {"QuantityOfAnother", "\"quantity\": \"coordinate\"", "\"quantity\": \"position.z\"",
     "expect[1].quantity", "\"position.z\"", "quantity of a joint"},
    {"FileWithoutFolder",
     "\"type\": \"hull\", \"vertices\": [[0, 0, 0], [1, 0, 0], [0, 1, 0], "
     "[0, 0, 1]]",
     "\"type\": \"hull\", \"file\": \"wedge.stl\"", "shapes.wedge.file", "\"wedge.stl\"",
     "inside the scene's folder"},
};
INSTANTIATE_TEST_SUITE_P(References, BadInput, testing::ValuesIn(kReferences),
                         [](const auto& each) { return each.param.name; });

const BadCase kRanges[] = {
    {"DtZero", "\"dt\": 0.005", "\"dt\": 0", "dt", "0", "from 1e-09 to 1 [s]"},
    {"DtNegative", "\"dt\": 0.005", "\"dt\": -0.01", "dt", "-0.01", "[s]"},
    {"DtTiny", "\"dt\": 0.005", "\"dt\": 1e-10", "dt", "1e-10", "[s]"},
    {"DtLarge", "\"dt\": 0.005", "\"dt\": 1.5", "dt", "1.5", "[s]"},
    {"FrictionNegative", "\"friction\": 0.6", "\"friction\": -0.1", "materials.default.friction",
     "-0.1", "from 0 to 1000"},
    {"RestitutionTwo", "\"restitution\": 0.1", "\"restitution\": 2",
     "materials.default.restitution", "2", "from 0 to 1"},
    {"DensityZero", "\"density\": 900", "\"density\": 0", "materials.default.density", "0", "> 0"},
    {"RollingNegative", "\"rollingResistance\": 0.002", "\"rollingResistance\": -1",
     "materials.rubber.rollingResistance", "-1", "[m]"},
    {"RadiusZero", "\"radius\": 0.5", "\"radius\": 0", "shapes.ball.radius", "0", "> 0"},
    {"RadiusHuge", "\"radius\": 0.5", "\"radius\": 1e7", "shapes.ball.radius", "10000000",
     "1000000 [m]"},
    {"RadiusInvisible", "\"radius\": 0.5", "\"radius\": 1e-8", "shapes.ball", "1e-06 m",
     "can be built"},
    {"ExtentNegative", "[0.2, 0.1, 0.05]", "[0.2, -0.1, 0.05]", "shapes.brick.halfExtents[1]",
     "-0.1", "> 0"},
    {"HullOfThreePoints", ", [0, 0, 1]]", "]", "shapes.wedge.vertices", "3 points",
     "at least 4 points"},
    {"HullFlat", "[0, 0, 1]]", "[1, 1, 0]]", "shapes.wedge", "no hull", "can be built"},
    {"HullCollinear", "[[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]",
     "[[0, 0, 0], [1, 0, 0], [2, 0, 0], [3, 0, 0]]", "shapes.wedge", "no hull", "can be built"},
    {"HullOnePoint", "[[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]",
     "[[1, 1, 1], [1, 1, 1], [1, 1, 1], [1, 1, 1]]", "shapes.wedge", "no hull", "can be built"},
    {"HullNearlyFlat", "[0, 0, 1]]", "[1, 1, 1e-12]]", "shapes.wedge", "no hull", "can be built"},
    {"NoTriangles", "[[0, 1, 2], [0, 2, 3]]", "[]", "shapes.ramp.triangles", "0 triangles", "1 to"},
    {"NormalNotUnit", "\"normal\": [0, 0, 1]", "\"normal\": [0, 0, 2]", "shapes.ground.normal",
     "length of 2", "1 (to 1e-06)"},
    {"NormalZero", "\"normal\": [0, 0, 1]", "\"normal\": [0, 0, 0]", "shapes.ground.normal",
     "length of 0", "1 (to"},
    {"HeightsTooFew", "0.2, 0.3, 0.1]", "0.2, 0.3]", "shapes.hills.heights", "5 heights",
     "columns x rows = 6"},
    {"CellSizeZero", "\"cellSize\": [1.5, 2]", "\"cellSize\": 0", "shapes.hills.cellSize", "0",
     "> 0"},
    {"NoParts",
     "\"parts\": [\n      {\"shape\": \"brick\", \"position\": [0, 0, 0.5]},\n      "
     "{\"shape\": \"pill\", \"position\": [0, 0, 0], \"orientation\": [0.6, 0.8, 0, "
     "0]}]",
     "\"parts\": []", "shapes.hammer.parts", "no parts", "at least one"},
    {"PartRotationNotUnit", "[0.6, 0.8, 0, 0]", "[0.6, 0.7, 0, 0]",
     "shapes.hammer.parts[1].orientation", "length of 0.92", "1 (to"},
    {"OrientationNotUnit", "[1, 0, 0, 0], \"linear", "[1, 0, 0, 0.01], \"linear",
     "bodies[4].orientation", "length of 1.00005", "1 (to 1e-06)"},
    {"OrientationZero", "[1, 0, 0, 0], \"linear", "[0, 0, 0, 0], \"linear", "bodies[4].orientation",
     "length of 0", "1 (to"},
    {"PositionBeyond", "[0, 0, 2], \"orientation\"", "[0, 0, 2e9], \"orientation\"",
     "bodies[4].position[2]", "2000000000", "1000000000 [m]"},
    {"MassZero", "\"mass\": 2.5", "\"mass\": 0", "bodies[5].mass", "0", "[kg]"},
    {"MassNegative", "\"mass\": 2.5", "\"mass\": -1", "bodies[5].mass", "-1", "[kg]"},
    {"MassHuge", "\"mass\": 2.5", "\"mass\": 1e13", "bodies[5].mass", "10000000000000", "[kg]"},
    {"InertiaWithoutMass", "\"mass\": 2.5,", "", "bodies[5]", "without \"mass\"", "a mass"},
    {"InertiaNegative", "[0.2, 0.25, 0.1, 0.01, 0, -0.02]", "[0.2, 0.25, -0.1]",
     "bodies[5].inertia", "principal moments -0.1", "positive"},
    {"InertiaTriangle", "[0.2, 0.25, 0.1, 0.01, 0, -0.02]", "[0.1, 0.1, 0.5]", "bodies[5].inertia",
     "principal moments 0.1, 0.1, 0.5", "sum of the others"},
    {"DampingNegative", "\"linearDamping\": 0.01", "\"linearDamping\": -1",
     "bodies[4].linearDamping", "-1", "[1/s]"},
    {"StaticAndKinematic", "\"kinematic\": true", "\"kinematic\": true, \"static\": true",
     "bodies[3].kinematic", "true in a static body", "one of the two"},
    {"StaticWithVelocity", "\"shape\": \"hills\", \"static\": true",
     "\"shape\": \"hills\", \"static\": true, \"linearVelocity\": [1, 0, 0]",
     "bodies[1].linearVelocity", "in a static body", "never moves"},
    {"StaticWithMass", "\"shape\": \"hills\", \"static\": true",
     "\"shape\": \"hills\", \"static\": true, \"mass\": 1", "bodies[1].mass", "in a static body",
     "never moves"},
    {"ForceOnKinematic", "\"kinematic\": true", "\"kinematic\": true, \"force\": [0, 0, 1]",
     "bodies[3].force", "kinematic", "as told"},
    {"MovingMesh", "\"shape\": \"ramp\", \"static\": true", "\"shape\": \"ramp\"",
     "bodies[2].shape", "a mesh, on a body that moves", "\"static\": true"},
    {"MovingPlane", "\"shape\": \"ground\", \"static\": true", "\"shape\": \"ground\"",
     "bodies[0].shape", "a plane, on a body that moves", "\"static\": true"},
    {"MovingHeightField", "\"shape\": \"hills\", \"static\": true", "\"shape\": \"hills\"",
     "bodies[1].shape", "a heightfield, on a body that moves", "\"static\": true"},
    {"AxisZero", "\"axis\": [0, 1, 0]", "\"axis\": [0, 0, 0]", "joints[1].axis", "0", "direction"},
    {"AxesParallel", "\"axisB\": [0, 1, 0]", "\"axisB\": [1, 0, 0]", "joints[4].axisB", "cosine",
     "perpendicular"},
    {"LimitReversed", "\"lower\": -1, \"upper\": 1.5", "\"lower\": 2, \"upper\": 1.5",
     "joints[1].limit", "lower 2 above upper 1.5", "lower <= upper"},
    {"LimitEmpty", "\"limit\": {\"upper\": 2}", "\"limit\": {}", "joints[2].limit", "no bound",
     "\"lower\""},
    {"MaxForceNegative", "\"maxForce\": 20", "\"maxForce\": -20", "joints[1].motor.maxForce", "-20",
     "[N]"},
    {"BreakingForceZero", "\"breakingForce\": 1000", "\"breakingForce\": 0",
     "joints[1].breakingForce", "0", "> 0"},
    {"StiffnessNegative", "\"stiffness\": 50", "\"stiffness\": -50", "joints[8].stiffness", "-50",
     "> 0"},
    {"LengthZero", "\"length\": 1}", "\"length\": 0}", "joints[6].length", "0", "> 0"},
    {"RopeWithoutLength", "\"anchor\": [0, 0, 2], \"anchorB\": [1, 0, 2]}",
     "\"anchor\": [0, 0, 2], \"anchorB\": [0, 0, 2]}", "joints[7]", "both anchors in one point",
     "length > 0"},
    {"SubstepsTooMany", "\"substeps\": 2", "\"substeps\": 65", "solver.substeps", "65",
     "from 0 to 64"},
    {"IterationsZero", "\"iterations\": 3", "\"iterations\": 0", "solver.iterations", "0",
     "from 1"},
    {"ToleranceTooLarge", "\"exactTolerance\": 1e-9", "\"exactTolerance\": 1",
     "solver.exactTolerance", "1", "0.01"},
    {"CorrectionAboveOne", "\"positionCorrection\": 0.3", "\"positionCorrection\": 1.1",
     "solver.positionCorrection", "1.1", "from 0 to 1"},
    {"CameraInItsTarget", "\"target\": [0, 0, 1]", "\"target\": [10, -10, 6]", "camera.target",
     "own position", "another point"},
    {"CheckWithoutValue", "\"value\": 2, \"tolerance\": 1, ", "", "expect[0]",
     "neither \"value\" nor a bound", "\"min\""},
    {"CheckWithBoth", "\"min\": -1,", "\"value\": 0, \"min\": -1,", "expect[1]",
     "both \"value\" and a bound", "\"min\""},
    {"ToleranceNegative", "\"tolerance\": 1", "\"tolerance\": -1", "expect[0].tolerance", "-1",
     "from 0"},
    {"CheckAfterTheEnd", "\"at\": 0.5", "\"at\": 2.5", "expect[0].at", "2.5", "from 0 to 2 [s]"},
};
INSTANTIATE_TEST_SUITE_P(Ranges, BadInput, testing::ValuesIn(kRanges),
                         [](const auto& each) { return each.param.name; });

TEST(SceneMessages, tellTheWholeStoryInOneLine) {
  const std::string text =
      replaced(fullScene(), "[0, 0, 2], \"orientation\"", "[0, 0, \"up\"], \"orientation\"");
  try {
    (void)loadScene(bytesOf(text), "scene.json", noMeshes());
    FAIL();
  } catch (const SceneError& error) {
    EXPECT_STREQ(error.what(),
                 "scene.json:44:26: bodies[4].position[2]: found \"up\", expected a finite number "
                 "[m]");
  }
}

TEST(SceneMessages, pointAtTheBodyWhoseMassIsOutOfRange) {
  const std::string text = replaced(fullScene(), "\"density\": 1200", "\"density\": 1e-9");
  try {
    (void)loadScene(bytesOf(text), "scene.json", noMeshes());
    FAIL();
  } catch (const SceneError& error) {
    EXPECT_EQ(error.problem().path.toString(), "bodies[4]");
    EXPECT_THAT(error.what(),
                HasSubstr("a mass of 5.235987755982989e-10 kg from shape and density"));
  }
}

TEST(SceneMessages, quoteNamesThatAreNotPlainWords) {
  const JsonPath path = JsonPath{} / "shapes" / "left wall" / "halfExtents" / std::size_t{1};
  EXPECT_EQ(path.toString(), "shapes[\"left wall\"].halfExtents[1]");
}

/// All that is wrong with a text, as paths.
std::vector<std::string> problemsOf(const std::string& text) {
  try {
    (void)loadScene(bytesOf(text), "bad.json", noMeshes());
  } catch (const SceneError& error) {
    std::vector<std::string> paths{error.problem().path.toString() + ": " + error.problem().found};
    for (const SceneProblem& other : error.others()) {
      EXPECT_GE(other.position.line, 1u);
      paths.push_back(other.path.toString() + ": " + other.found);
    }
    return paths;
  }
  return {};
}

TEST(BadScene, tellsAllProblemsOfItsValuesAtOnce) {
  const std::string text = R"({"version": 1, "name": "", "dt": "short",
    "shapes": {"ball": {"type": "sphere", "radius": "big"}, "odd": {"type": "blob", "size": 2}, "ball": {"type": "box"}},
    "bodies": [
      {"name": "a", "shape": "ball", "position": [0, "up", null]},
      {"name": "b", "massss": 3},
      7,
      {"name": "c", "shape": "ball", "mass": true}],
    "joints": [{"type": "hinge", "bodyA": null, "bodyB": "a", "anchor": [0, 0]}],
    "sover": {}})";
  EXPECT_THAT(problemsOf(text),
              testing::ElementsAre(
                  "name: \"\"", "dt: \"short\"", "shapes.ball.radius: \"big\"",
                  "shapes.odd.type: \"blob\"", "shapes.odd.size: the unknown field \"size\"",
                  "shapes.ball: the name \"ball\" a second time", "bodies[0].position[1]: \"up\"",
                  "bodies[0].position[2]: null", "bodies[1].massss: the unknown field \"massss\"",
                  "bodies[1]: no field \"shape\"", "bodies[2]: 7", "bodies[3].mass: true",
                  "joints[0].anchor: an array of 2", "sover: the unknown field \"sover\""));
}

TEST(BadScene, tellsWhatCameBeforeTextThatIsNoJson) {
  EXPECT_THAT(problemsOf(R"({"version": 3, "dt": 1 "steps": 3})"),
              testing::ElementsAre("version: 3", "dt: \"steps\""));
  EXPECT_THAT(problemsOf(R"({"version": 3, "bodies": [{"mass": "x", "shape": tru}]})"),
              testing::ElementsAre("version: 3", "bodies[0].mass: \"x\"", "bodies[0].shape: tru"));
}

TEST(BadScene, tellsAHundredProblemsAtMost) {
  std::string text = R"({"version": 1, "shapes": {}, "bodies": [)";
  for (int i = 0; i < 5000; ++i) text += "1,\n";
  EXPECT_EQ(problemsOf(text + "1]}").size(), 100u);
}

}  // namespace
}  // namespace msd_scene::test
