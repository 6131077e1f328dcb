/// The table of keys, and what is generated from it: the JSON Schema and the tables of the reference.
#include "zwang/model/keys.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <vector>

#include "zwang/model/read.hpp"

namespace zwang::model {

namespace {

constexpr std::array table_list = {
    Table{"", "at the top of the file", "What concerns the whole model."},
    Table{"parameters", "[parameters]", "Numbers and vectors with a name; the order does not matter."},
    Table{"points.*", "[points.NAME]", "A material point, or with `count` a family of points."},
    Table{"coordinates.*", "[coordinates.NAME]", "A generalized coordinate, or with `count` a family of them."},
    Table{"bodies.*", "[bodies.NAME]",
          "A rigid body in space or in the plane, or with `count` a family of them. Its expressions are those of a "
          "point; "
          "`NAME.spin`, `NAME.angle` (in the plane), marks and `axis(NAME, [0, 0, 1])` speak of its turning."},
    Table{
        "bodies.*.shape", "shape = { … } in [bodies.NAME]",
        "What the body is made of, homogeneous, with its centre of mass at the origin of its axes: one of these keys."},
    Table{"bodies.*.orientation", "orientation = { … } in [bodies.NAME]",
          "A turn about an axis, instead of a quaternion or a matrix."},
    Table{"bodies.*.marks", "[bodies.NAME.marks]",
          "Points fixed in the body, in its axes. `NAME.MARK` is a point in every expression."},
    Table{"energy", "[energy]", "Energies beside the kinetic energy of the points and the potential of gravity."},
    Table{"constraints", "[constraints]", "The conditions; what kind each is follows from how it is written."},
    Table{"constraints.*", "NAME = { … } in [constraints]",
          "The long form of a condition, and families of conditions."},
    Table{"joints", "[joints]",
          "What holds bodies together; each joint stands for independent conditions `NAME.1`, `NAME.2`, ..."},
    Table{"joints.*", "NAME = { … } in [joints]",
          "One of the kinds with its two partners, first and second: marks, bodies (their centres), points, fixed "
          "places. Angle and travel are of the "
          "second against the first, right-handed about the axis."},
    Table{"joints.*.on", "on = { … } in a joint", "The plane on which it rolls: normal . r = offset."},
    Table{"springs", "[springs]",
          "Springs and dampers. Their potential is part of the energy, what dampers take is part of the work."},
    Table{"springs.*", "NAME = { … } in [springs]",
          "`between` two ends with stiffness (length - rest)^2 / 2 and a damper along their line, or `on` a hinge or "
          "slider."},
    Table{"contacts", "[contacts]",
          "Where shapes touch and do not enter each other, without friction. A contact of one condition has its own "
          "name, one of several "
          "the conditions `NAME[1]`, `NAME[2]`, ...; in a family the indices come first."},
    Table{"contacts.*", "NAME = { … } in [contacts]",
          "`body` above a `plane`, or two partners `between` which it is. Partners are bodies with a shape, points, "
          "marks and fixed places "
          "(balls of radius 0); a body without a shape is the cloud of its marks."},
    Table{"contacts.*.plane", "plane = { … } in a contact",
          "The half-space that the body stays in: normal . r >= offset."},
    Table{"flow", "[flow]",
          "A first-order system x' = X instead of points and energy: one line per variable, initial values in "
          "[coordinates]."},
    Table{"free", "[free]", "What keeps its free rate in a flow under conditions."},
    Table{"impulses", "[[impulses]]", "Blows from outside."},
    Table{"seizures", "[[seizures]]", "Equations imposed suddenly, and from then on."},
    Table{"releases", "[[releases]]", "Conditions and springs let go, from then on."},
    Table{"outputs", "[outputs]", "Expressions to be recorded and plotted."},
    Table{"simulation", "[simulation]", "Time span, accuracy and sampling."},
    Table{"view", "[view]", "How the animated report shows the model. Nothing of it enters the mechanics."},
    Table{"view.points.*", "[view.points.NAME]",
          "A point to be drawn, made of the state by expressions, or with `count` a family of them."},
    Table{"view.lines.*", "[view.lines.NAME]", "A line to be drawn through points, or with `for` a family of them."},
};

constexpr std::array key_list = {
    Key{"", "title", Form::text, false, "\"\"", "A line that says what the model is."},
    Key{"", "gravity", Form::expressions, false, "none",
        "Uniform acceleration of every point and body, with as many components as they have; may depend on `t`."},
    Key{"", "parameters", Form::named, false, "", "Numbers and vectors with a name."},
    Key{"", "points", Form::named, false, "", "The material points."},
    Key{"", "coordinates", Form::named, false, "", "The generalized coordinates."},
    Key{"", "bodies", Form::named, false, "", "The rigid bodies."},
    Key{"", "energy", Form::table, false, "", "Kinetic and potential energy."},
    Key{"", "constraints", Form::named, false, "", "The conditions."},
    Key{"", "joints", Form::named, false, "", "What holds bodies together."},
    Key{"", "springs", Form::named, false, "", "Springs and dampers."},
    Key{"", "contacts", Form::named, false, "", "Where shapes touch."},
    Key{"", "flow", Form::named, false, "", "A first-order system instead of points and energy."},
    Key{"", "free", Form::table, false, "", "The functions whose rates keep their free form in a flow."},
    Key{"", "impulses", Form::list, false, "", "Blows."},
    Key{"", "seizures", Form::list, false, "", "Equations imposed suddenly."},
    Key{"", "releases", Form::list, false, "", "Conditions and springs let go."},
    Key{"", "outputs", Form::named, false, "", "Expressions to be recorded."},
    Key{"", "simulation", Form::table, false, "", "Time span, accuracy, sampling."},
    Key{"", "view", Form::table, false, "", "How the animated report shows the model."},

    Key{"parameters", "*", Form::parameter, false, "",
        "A number, or a vector of 2 or 3 components; may use other parameters."},

    Key{"points.*", "count", Form::count, false, "a single point",
        "Members of the family: `n`, or `[n, m]` for two indices. The index in this table is `i` (and `j`)."},
    Key{"points.*", "mass", Form::number, true, "", "Mass, greater than zero."},
    Key{"points.*", "position", Form::starts, true, "", "Position at the start, 2 or 3 components."},
    Key{"points.*", "velocity", Form::starts, false, "zero", "Velocity at the start."},
    Key{"points.*", "force", Form::expressions, false, "zero",
        "Force of time, positions and velocities, added to gravity."},

    Key{"coordinates.*", "count", Form::count, false, "a single coordinate",
        "Members of the family: `n`, or `[n, m]` for two indices. The index in this table is `i` (and `j`)."},
    Key{"coordinates.*", "initial", Form::start, true, "", "Value at the start."},
    Key{"coordinates.*", "velocity", Form::start, false, "0", "Rate at the start."},
    Key{"coordinates.*", "force", Form::expression, false, "0", "Generalized force Q in d/dt T_v - T_q + V_q = Q."},

    Key{"bodies.*", "count", Form::count, false, "a single body",
        "Members of the family: `n`, or `[n, m]` for two indices. The index in this table is `i` (and `j`)."},
    Key{"bodies.*", "mass", Form::number, false, "from `density`", "Mass, greater than zero."},
    Key{"bodies.*", "density", Form::number, false, "from `mass`",
        "Mass per volume of the shape, in the plane per area, of a rod per length; instead of `mass`."},
    Key{"bodies.*", "inertia", Form::inertia, false, "that of the shape",
        "About the centre of mass: principal moments along the body's axes, or a symmetric matrix; a number in the "
        "plane."},
    Key{"bodies.*", "shape", Form::table, false, "none",
        "A homogeneous solid: it gives the inertia, with `density` the mass."},
    Key{"bodies.*", "position", Form::starts, true, "",
        "Position of the centre of mass at the start, 2 or 3 components."},
    Key{"bodies.*", "orientation", Form::orientation, false, "that of the fixed frame",
        "How its axes lie in the fixed frame at the start; an angle in the plane."},
    Key{"bodies.*", "velocity", Form::starts, false, "zero", "Velocity of the centre of mass at the start."},
    Key{"bodies.*", "spin", Form::spin, false, "zero",
        "Angular velocity at the start, in the fixed frame; a number in the plane."},
    Key{"bodies.*", "force", Form::expressions, false, "zero",
        "Force at the centre of mass, in the fixed frame, of time, positions and velocities, added to gravity."},
    Key{"bodies.*", "torque", Form::parameter, false, "zero",
        "Torque in the fixed frame, of time, positions and velocities; a number in the plane."},
    Key{"bodies.*", "marks", Form::named, false, "", "Points fixed in the body."},

    Key{"bodies.*.shape", "box", Form::numbers, false, "",
        "Full lengths along the body's axes: three, in the plane two."},
    Key{"bodies.*.shape", "ball", Form::number, false, "", "Radius."},
    Key{"bodies.*.shape", "cylinder", Form::numbers, false, "", "Radius, and length along the body's z."},
    Key{"bodies.*.shape", "capsule", Form::numbers, false, "",
        "Radius, and length along the body's z between the centres of its two half balls."},
    Key{"bodies.*.shape", "rod", Form::number, false, "",
        "Length of a thin rod along the body's x; in space its spin about itself is kept zero, unless joints determine "
        "it."},
    Key{"bodies.*.shape", "disc", Form::number, false, "", "Radius; in the plane."},
    Key{"bodies.*.shape", "polygon", Form::corners, false, "",
        "Corners in order, in the plane. The body's origin is moved to their centre of mass, and the marks with it."},

    Key{"bodies.*.orientation", "axis", Form::numbers, true, "",
        "Axis of the turn from the fixed frame, of any length."},
    Key{"bodies.*.orientation", "angle", Form::number, true, "", "Angle of the turn, right-handed about the axis."},

    Key{"bodies.*.marks", "*", Form::numbers, false, "", "Where the point lies in the body's axes, 3 or 2 components."},

    Key{"energy", "kinetic", Form::expression, false, "0",
        "Kinetic energy beside that of the points, quadratic in the velocities; required when there are coordinates "
        "and no "
        "[flow]."},
    Key{"energy", "potential", Form::expression, false, "0",
        "Potential energy of positions and time, beside that of gravity."},

    Key{"constraints", "*", Form::condition_or_table, false, "", "A condition in quotes, or the long form."},

    Key{"constraints.*", "condition", Form::condition, true, "", "`left = right`, `left <= right` or `left >= right`."},
    Key{"constraints.*", "for", Form::ranges, false, "a single condition",
        "One or two indices and their ranges: `i = 1..n, j = i+1..n`."},
    Key{"constraints.*", "law", Form::law, false, "\"straightest\"",
        "`\"straightest\"` (what bodies do) or, for a nonholonomic equation, `\"variational\"`."},
    Key{"constraints.*", "multiplier", Form::number, false, "0", "Initial multiplier rho of a variational condition."},
    Key{"constraints.*", "restitution", Form::number, false, "0", "Coefficient of restitution in shocks, from 0 to 1."},

    Key{"joints.*", "ball", Form::partners, false, "", "Both partners in one place."},
    Key{"joints.*", "hinge", Form::partners, false, "",
        "... and turning about `axis` alone; in the plane about their place."},
    Key{"joints.*", "slider", Form::partners, false, "",
        "Sliding along `axis` through the first one's place, not turning."},
    Key{"joints.*", "cylindrical", Form::partners, false, "", "Sliding along `axis` and turning about it."},
    Key{"joints.*", "universal", Form::partners, false, "", "Both in one place, the two `axes` at right angles."},
    Key{"joints.*", "weld", Form::partners, false, "", "Both in one place, not turning against each other."},
    Key{"joints.*", "rolling", Form::reference, false, "",
        "A ball, a cylinder (its middle circle) or in the plane a disc that rolls `on` a plane without slip, and stays "
        "on it."},
    Key{"joints.*", "gear", Form::partners, false, "",
        "Turns of the second = `ratio` times turns of the first: two bodies on hinges, or the names of these hinges, "
        "which stand above."},
    Key{"joints.*", "axis", Form::numbers, false, "", "In the first one's axes, of any length."},
    Key{"joints.*", "axes", Form::corners, false, "",
        "Of a universal joint: one in the first one's axes, one in the second one's."},
    Key{"joints.*", "on", Form::table, false, "", "The plane on which it rolls."},
    Key{"joints.*", "ratio", Form::number, false, "", "Of a gear."},
    Key{"joints.*", "limits", Form::numbers, false, "none", "Of a hinge's angle or a slider's travel: `[low, high]`."},
    Key{"joints.*", "drive", Form::expression, false, "none", "Angle or travel as a function of `t`."},
    Key{"joints.*", "zero", Form::number, false, "0", "Where angle or travel is 0, counted from the start."},
    Key{"joints.*", "restitution", Form::number, false, "0", "Coefficient of restitution of the limits, from 0 to 1."},
    Key{"joints.*", "for", Form::ranges, false, "a single joint", "One or two indices and their ranges: `i = 1..n`."},

    Key{"joints.*.on", "normal", Form::numbers, true, "", "Upwards, of any length."},
    Key{"joints.*.on", "offset", Form::number, false, "0", "normal . r on the plane."},

    Key{"springs.*", "between", Form::partners, false, "", "Two ends: marks, bodies, points, fixed places."},
    Key{"springs.*", "on", Form::reference, false, "", "Instead: the name of a hinge or slider."},
    Key{"springs.*", "stiffness", Form::number, false, "0", "Force per length, torque per angle."},
    Key{"springs.*", "damping", Form::number, false, "0",
        "Force per speed along the line of the ends, torque per angular velocity."},
    Key{"springs.*", "length", Form::number, false, "0", "Rest length."},
    Key{"springs.*", "only", Form::text, false, "both",
        "`\"pull\"` (an elastic rope) or `\"push\"` (a bump stop): no force at all, damping included, on the other "
        "side of its length."},
    Key{"springs.*", "angle", Form::number, false, "0", "Rest angle on a hinge."},
    Key{"springs.*", "travel", Form::number, false, "0", "Rest place on a slider."},
    Key{"springs.*", "for", Form::ranges, false, "a single spring", "One or two indices and their ranges: `i = 1..n`."},

    Key{"contacts.*", "body", Form::reference, false, "", "What stays in the half-space `plane`."},
    Key{"contacts.*", "plane", Form::table, false, "", "The half-space."},
    Key{"contacts.*", "between", Form::partners, false, "", "Two partners that do not enter each other."},
    Key{"contacts.*", "inside", Form::truth, false, "false", "The second partner stays inside of the first."},
    Key{"contacts.*", "restitution", Form::number, false, "0", "Coefficient of restitution in shocks, from 0 to 1."},
    Key{"contacts.*", "for", Form::ranges, false, "a single contact",
        "One or two indices and their ranges: `i = 1..n, j = i+1..n`."},

    Key{"contacts.*.plane", "normal", Form::numbers, true, "", "Into the half-space, of any length."},
    Key{"contacts.*.plane", "offset", Form::expression, false, "0", "normal . r on the plane; may depend on `t`."},

    Key{"flow", "*", Form::expression, false, "",
        "The rate X of the coordinate of that name, of time and positions; in a family `i` (and `j`) is the index."},

    Key{"free", "functions", Form::functions, true, "",
        "Functions of positions and time, as many as the equations leave over; without [free] rates are projected "
        "orthogonally."},

    Key{"impulses", "at", Form::number, false, "the start", "Time of the blow."},
    Key{"impulses", "on", Form::reference, true, "",
        "A point, a body (at its centre), a mark of a body, a coordinate, or a member of a family."},
    Key{"impulses", "value", Form::parameter, false, "none",
        "Impulse (mass times velocity): a vector for a point, body or mark, a number for a coordinate."},
    Key{"impulses", "torque", Form::parameter, false, "none",
        "Angular impulse on a body, in the fixed frame; a number in the plane. `value` or `torque` must stand."},

    Key{"seizures", "name", Form::text, true, "", "Name of the equation in the answers."},
    Key{"seizures", "at", Form::number, false, "the start", "Time from which the equation holds."},
    Key{"seizures", "condition", Form::condition, true, "",
        "A velocity condition, or a position that holds at that instant."},

    Key{"releases", "constraint", Form::text, true, "",
        "Name of the condition, joint, contact, spring or seizure: all members of a family, or one, `link[3]`."},
    Key{"releases", "at", Form::number, false, "", "Time from which the condition is gone."},
    Key{"releases", "when", Form::condition, false, "",
        "Instead of a time: comparisons joined by `and`, `or`; the condition goes when they first become true."},

    Key{"outputs", "*", Form::expression, false, "",
        "An expression of time, positions and velocities; a vector gives its components."},

    Key{"simulation", "method", Form::text, false, "\"events\"",
        "`\"events\"`: from event to event. `\"stepping\"`: Moreau's scheme, in steps of one length, without a list of "
        "events."},
    Key{"simulation", "step", Form::number, false, "1e-3",
        "Length of a step in time, of the method `stepping`. `--set step=…` sets it, too, where no parameter has that "
        "name."},
    Key{"simulation", "start", Form::number, false, "0", "Time of the initial state."},
    Key{"simulation", "until", Form::number, false, "start + 10", "Time at which the run ends."},
    Key{"simulation", "tolerance", Form::number, false, "1e-12", "Relative and absolute error per step."},
    Key{"simulation", "samples", Form::number, false, "1001", "Evenly spaced output instants, at least 2."},
    Key{"simulation", "stop", Form::condition, false, "none",
        "End the run when this becomes true: comparisons joined by `and`, `or`."},
    Key{"simulation", "touch", Form::number, false, "1e-12",
        "What counts as touching, relative to the terms of the condition itself."},

    Key{"view", "dimension", Form::number, false, "that of the points", "2 or 3: a picture of the plane or of space."},
    Key{"view", "up", Form::numbers, false, "against gravity", "The direction that points upwards in the picture."},
    Key{"view", "points", Form::named, false, "", "Points to be drawn beside those of the model."},
    Key{"view", "lines", Form::named, false, "", "Lines to be drawn between points."},

    Key{"view.points.*", "count", Form::count, false, "a single point",
        "Members of the family: `n`, or `[n, m]` for two indices. The index in this table is `i` (and `j`)."},
    Key{"view.points.*", "position", Form::expressions, true, "",
        "Where it is: 2 or 3 components, of positions, `t`, and points of the view that stand above."},
    Key{"view.points.*", "size", Form::number, false, "small", "Radius in the picture; 0 hides the point."},

    Key{"view.lines.*", "through", Form::corners, true, "",
        "Points of the model or of the view, members, vectors of parameters; `origin` is where all coordinates are 0."},
    Key{"view.lines.*", "for", Form::ranges, false, "a single line",
        "One or two indices and their ranges: `i = 1..n, j = i+1..n`."},
    Key{"view.lines.*", "closed", Form::truth, false, "false", "Back to the first point from the last."},
};

constexpr std::string_view friction =
    "friction is written as a force: \"-mu*N*sign(a.x')\" is dry friction under a given load N, \"-c*a.x'\" "
    "resistance; "
    "friction under the load of a contact is outside of this mechanics";
constexpr std::string_view geometry =
    "a shape belongs to a rigid body, shape = { ball = r } in [bodies.NAME]; what touches stands in [contacts], or is "
    "written as a condition such as \"distance(a, b) >= r\" or \"a.z >= r\" in [constraints]";
constexpr std::string_view code =
    "programs are not run by a model: write the force, energy or condition itself as an expression in quotes";
constexpr std::string_view method =
    "the method cannot be chosen, time stepping is outside of this version: leave the line out, shocks and contacts "
    "are found exactly";
constexpr std::string_view jump =
    "functions that jump are sign, step, floor and if(condition, a, b): write it with them";

struct Refusal {
  std::string_view word;
  std::string_view sentence;
};
constexpr std::array refusals = {
    Refusal{"friction", friction},
    Refusal{"mu", friction},
    Refusal{"stiction", friction},
    Refusal{"coulomb", friction},
    Refusal{"friction_coefficient", friction},
    Refusal{"sgn", jump},
    Refusal{"signum", jump},
    Refusal{"heaviside", jump},
    Refusal{"where", jump},
    Refusal{"round", jump},
    Refusal{"ceil", jump},
    Refusal{"sphere", geometry},
    Refusal{"box", geometry},
    Refusal{"radius", geometry},
    Refusal{"collide", geometry},
    Refusal{"collision", geometry},
    Refusal{"collisions", geometry},
    Refusal{"shape", geometry},
    Refusal{"geometry", geometry},
    Refusal{"geom", geometry},
    Refusal{"mesh", geometry},
    Refusal{"plane", geometry},
    Refusal{"capsule", geometry},
    Refusal{"contact", geometry},
    Refusal{"contacts", geometry},
    Refusal{"size", geometry},
    Refusal{"code", code},
    Refusal{"python", code},
    Refusal{"lua", code},
    Refusal{"function", code},
    Refusal{"functions", code},
    Refusal{"plugin", code},
    Refusal{"script", code},
    Refusal{"callback", code},
    Refusal{"import", code},
    Refusal{"eval", code},
    Refusal{"exec", code},
    Refusal{"method", method},
};

/// Schema of one form, in JSON.
std::string_view schema(Form form) {
  switch (form) {
    case Form::text: return R"("type": "string")";
    case Form::number: return R"("$ref": "#/definitions/number")";
    case Form::numbers: return R"("$ref": "#/definitions/vector")";
    case Form::start:
      return R"("anyOf": [{"$ref": "#/definitions/number"}, {"type": "array", "items": {"$ref": "#/definitions/number"}}])";
    case Form::starts:
      return R"("anyOf": [{"$ref": "#/definitions/vector"}, {"type": "array", "items": {"$ref": "#/definitions/vector"}}])";
    case Form::expressions: return R"("$ref": "#/definitions/vector")";
    case Form::parameter: return R"("anyOf": [{"$ref": "#/definitions/number"}, {"$ref": "#/definitions/vector"}])";
    case Form::count:
      return R"("anyOf": [{"$ref": "#/definitions/number"}, {"type": "array", "items": {"$ref": "#/definitions/number"}, "minItems": 1, "maxItems": 2}])";
    case Form::expression: return R"("$ref": "#/definitions/number")";
    case Form::functions: return R"("type": "array", "items": {"$ref": "#/definitions/number"})";
    case Form::condition: return R"("type": "string", "pattern": "[<>=]")";
    case Form::ranges: return R"("type": "string", "pattern": "=.*\\.\\.")";
    case Form::reference: return R"("type": "string")";
    case Form::law: return R"("enum": ["straightest", "variational"])";
    case Form::truth: return R"("type": "boolean")";
    case Form::corners: return R"("type": "array", "items": {"$ref": "#/definitions/vector"}, "minItems": 2)";
    case Form::partners:
      return R"("type": "array", "items": {"$ref": "#/definitions/vector"}, "minItems": 2, "maxItems": 2)";
    case Form::inertia:
      return R"("anyOf": [{"$ref": "#/definitions/number"}, {"type": "array", "items": {"anyOf": [{"$ref": "#/definitions/number"}, {"$ref": "#/definitions/vector"}]}, "minItems": 3, "maxItems": 3}])";
    case Form::spin:
      return R"("anyOf": [{"$ref": "#/definitions/number"}, {"type": "array", "items": {"anyOf": [{"$ref": "#/definitions/number"}, {"$ref": "#/definitions/vector"}]}}])";
    case Form::table:
    case Form::named:
    case Form::list:
    case Form::orientation:
    case Form::condition_or_table: break;
  }
  assert(false && "tables have no schema of their own");
  return {};
}

/// Text as a JSON string.
std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + '"';
}

std::string table_schema(std::string_view path, int indent);

/// Schema of what stands behind one key.
std::string key_schema(const Key& key, int indent) {
  const std::string about = fmt::format("\"description\": {}", quoted(key.description));
  const std::string path = key.table.empty() ? std::string(key.key)
                           : key.key == "*"  ? fmt::format("{}.*", key.table)
                                             : fmt::format("{}.{}", key.table, key.key);
  switch (key.form) {
    case Form::table: return fmt::format("{{{}, {}", about, table_schema(path, indent).substr(1));
    case Form::list:
      return fmt::format("{{{}, \"type\": \"array\", \"items\": {}}}", about, table_schema(path, indent));
    case Form::condition_or_table:
      return fmt::format("{{{}, \"anyOf\": [{{{}}}, {}]}}", about, schema(Form::condition), table_schema(path, indent));
    case Form::orientation: {
      // A number, a quaternion, the rows of a matrix, quaternions of all members, or a table.
      constexpr std::string_view rows =
          R"({"type": "array", "items": {"anyOf": [{"$ref": "#/definitions/number"}, {"type": "array", "items": {"$ref": "#/definitions/number"}}]}})";
      return fmt::format("{{{}, \"anyOf\": [{{{}}}, {}, {}]}}", about, schema(Form::number), rows,
                         table_schema(path, indent));
    }
    case Form::named: {
      // The users' names: a key of the table below, or a table of its own.
      const auto inner = std::find_if(key_list.begin(), key_list.end(),
                                      [&](const Key& other) { return other.table == path && other.key == "*"; });
      const std::string item =
          inner != key_list.end() ? key_schema(*inner, indent + 2) : table_schema(path + ".*", indent + 2);
      const std::string pad(static_cast<std::size_t>(indent), ' ');
      return fmt::format(
          "{{{}, \"type\": \"object\",\n{}  \"propertyNames\": {{\"$ref\": \"#/definitions/name\"}},\n{}  "
          "\"additionalProperties\": {}}}",
          about, pad, pad, item);
    }
    default: return fmt::format("{{{}, {}}}", about, schema(key.form));
  }
}

/// Schema of a table of fixed keys.
std::string table_schema(std::string_view path, int indent) {
  const std::string pad(static_cast<std::size_t>(indent), ' ');
  std::string out = "{\"type\": \"object\", \"additionalProperties\": false,";
  std::string required;
  std::string properties;
  for (const Key& key : key_list) {
    if (key.table != path) continue;
    if (key.required) required += fmt::format("{}{}", required.empty() ? "" : ", ", quoted(key.key));
    properties += fmt::format("{}\n{}    {}: {}", properties.empty() ? "" : ",", pad, quoted(key.key),
                              key_schema(key, indent + 4));
  }
  if (!required.empty()) out += fmt::format(" \"required\": [{}],", required);
  return out + fmt::format("\n{}  \"properties\": {{{}\n{}  }}}}", pad, properties, pad);
}

}  // namespace

std::span<const Key> keys() { return key_list; }
std::span<const Table> tables() { return table_list; }

std::string_view words(Form form) {
  switch (form) {
    case Form::text: return "a text in quotes";
    case Form::number: return "a number, or an expression of the parameters in quotes";
    case Form::numbers:
      return "2 or 3 components in brackets, each a number or an expression of the parameters in quotes";
    case Form::start:
      return "a number, or an expression of the parameters in quotes; in a family also a list of them, one per member";
    case Form::starts:
      return "2 or 3 components in brackets, each a number or an expression of the parameters in quotes; in a family "
             "also a "
             "list of such vectors, one per member";
    case Form::parameter: return "a number, an expression in quotes, or 2 or 3 components in brackets";
    case Form::count: return "a whole number, or two of them in brackets";
    case Form::expression: return "a number or an expression in quotes";
    case Form::expressions: return "2 or 3 components in brackets, each a number or an expression in quotes";
    case Form::functions: return "a list of expressions in quotes, such as [\"x\", \"y/z\"]";
    case Form::condition: return "a condition in quotes, such as \"distance(a, b) <= L\"";
    case Form::ranges: return "one or two ranges in quotes, such as \"i = 1..n, j = i+1..n\"";
    case Form::reference:
      return "the name of a point, a member or a coordinate in quotes, such as \"a\" or \"bead[3]\"";
    case Form::law: return "\"straightest\" or \"variational\"";
    case Form::truth: return "true or false";
    case Form::corners:
      return "a list of at least 2 points: names or members in quotes, or vectors in brackets, such as [\"a\", [0, 0, "
             "1]]";
    case Form::orientation:
      return "a unit quaternion [w, x, y, z], the three rows of a rotation matrix, { axis = [0, 0, 1], angle = "
             "\"pi/6\" }, "
             "or in the plane an angle";
    case Form::partners: return "two partners in brackets: names of marks, bodies or points in quotes, or fixed places";
    case Form::inertia:
      return "three principal moments in brackets, the three rows of a symmetric matrix, or in the plane a number";
    case Form::spin:
      return "3 components in brackets, or in the plane a number; in a family also a list, one per member";
    case Form::table: return "a table";
    case Form::named: return "a table";
    case Form::list: return "a list of tables, each under its own double brackets";
    case Form::condition_or_table:
      return "a condition in quotes, such as \"distance(a, b) <= L\", or a table { condition = \"…\", … }";
  }
  return {};
}

std::string_view refusal(std::string_view word) {
  const auto* found = std::find_if(refusals.begin(), refusals.end(), [&](const Refusal& r) { return r.word == word; });
  return found == refusals.end() ? std::string_view{} : found->sentence;
}

std::string json_schema() {
  constexpr std::string_view definitions = R"({
    "name": {"type": "string", "pattern": "^[A-Za-z_][A-Za-z0-9_]*$"},
    "number": {"description": "a number, or an expression in quotes", "type": ["number", "string"]},
    "vector": {
      "description": "2 or 3 components, or a vector expression in quotes",
      "anyOf": [
        {"type": "array", "items": {"$ref": "#/definitions/number"}, "minItems": 2, "maxItems": 3},
        {"type": "string"}
      ]
    }
  })";
  const std::string root = table_schema("", 0);
  return fmt::format(
      "{{\"$schema\": \"http://json-schema.org/draft-07/schema#\",\n  \"title\": \"zwang model\",\n  \"definitions\": "
      "{},\n  {}\n",
      definitions, root.substr(1));
}

std::string keys_reference() {
  std::string out;
  for (const Table& table : table_list) {
    out += fmt::format("### `{}`\n\n{}\n\n", table.heading, table.description);
    if (table.path.empty()) out = fmt::format("### At the top of the file\n\n{}\n\n", table.description);
    out += "| key | value | default | meaning |\n|---|---|---|---|\n";
    for (const Key& key : key_list) {
      if (key.table != table.path) continue;
      const std::string fallback = key.required ? "required" : std::string(key.fallback);
      out += fmt::format("| `{}` | {} | {} | {} |\n", key.key == "*" ? "NAME" : key.key, words(key.form), fallback,
                         key.description);
    }
    out += "\n";
  }
  out.pop_back();
  return out;
}

}  // namespace zwang::model
