/// Wrong models with the message and the place a user gets. The sign § stands where the caret must point; it is taken
/// out before reading.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace wrong_models {

struct Case {
  std::string_view name;
  std::string text;
  std::string_view message;  ///< part of it
};

inline const std::string two_points =
    "[points.a]\nmass = 1\nposition = [0, 0, 0]\n[points.b]\nmass = 1\nposition = [1, 0, 0]\n";
inline const std::string pendulum =
    "[coordinates.w]\ninitial = 1\n[coordinates.u]\ninitial = 2\n[energy]\nkinetic = \"w'^2/2 + u'^2/2\"\n";
inline const std::string beads = "[points.bead]\ncount = 3\nmass = 1\nposition = [\"i\", 0, 0]\n";

inline std::string condition(const std::string& text) { return two_points + "[constraints]\nc = \"" + text + "\"\n"; }
inline std::string plane_condition(const std::string& text) {
  return two_points + "[points.p]\nmass = 1\nposition = [0, 0]\n[constraints]\nc = \"" + text + "\"\n";
}
inline std::string kinetic(const std::string& text) {
  return "[coordinates.w]\ninitial = 1\n[coordinates.u]\ninitial = 2\n[energy]\nkinetic = \"" + text + "\"\n";
}
inline std::string parameter(const std::string& text) { return "[parameters]\n" + text + "\n" + two_points; }
inline std::string bead_condition(const std::string& text) { return beads + "[constraints]\nc = " + text + "\n"; }

/// A flow of two variables with what else stands in the file.
inline std::string flow(const std::string& rest) {
  return "[coordinates.x]\ninitial = 1\n[coordinates.y]\ninitial = 2\n[flow]\nx = \"y\"\ny = \"-x\"\n" + rest;
}
inline std::string free_functions(const std::string& list) {
  return flow("[constraints]\nring = \"x^2 + y^2 = 5\"\n[free]\nfunctions = " + list + "\n");
}

inline std::vector<Case> cases() {
  std::vector<Case> list = {
      // The file as such.
      {"empty_file", "§", "the model has no points and no coordinates"},
      {"only_a_title", "§title = \"nothing\"\n", "the model has no points and no coordinates"},
      {"empty_points", "§[points]\n", "the model has no points and no coordinates"},
      {"binary_file", std::string("title = \"a\"\n§\0\x01\x02", 17), "this is not a text file"},
      {"not_utf8", "title = \"§\xff\xfe\"\n", "no part of UTF-8"},
      {"duplicate_key", "[points.a]\nmass = 1\nmass = §2\n", "`mass` stands here for the second time"},
      {"duplicate_table", two_points + "§[points.a]\nmass = 2\n", "`points.a` stands here for the second time"},
      {"unclosed_quote", "title = \"Two points§\n" + two_points, "a quote is missing"},
      {"unclosed_bracket", "[points.a§\nmass = 1\n", "the closing bracket ] is missing"},
      {"accent_in_a_name", "[points.m§é]\nmass = 1\n", "the character é cannot stand here"},
      {"accent_as_a_value", "title = \"Größe\" # Größe\nk = §ß\n", "the character ß cannot stand here"},
      {"accent_as_an_escape", "title = \"\\§é\"\n", "cannot stand behind a \\"},
      {"strange_table_name", "[§)]\n", "this is not TOML"},
      {"no_value", "[points.a]\nmass =§\n", "a value is missing"},
      {"two_values_in_a_line", "[points.a]\nmass = 1 §position = [0, 0, 0]\n", "this is not TOML"},
      {"expression_without_quotes", "[points.a]\nmass = §m/2\n", "expressions and texts in quotes"},
      {"file_ends_in_array", "gravity = [0, 0,§", "the file ends too early"},
      {"nested_arrays", "gravity = " + std::string(256, '[') + "§" + std::string(4000, '['), "nested too deeply"},
      {"dotted_name_without_end",
       "a" +
           [] {
             std::string s;
             for (int k = 0; k < 1000; ++k) s += ".a";
             return s;
           }() +
           "§.a = 1",
       "a name of more than 1000 parts"},
      {"number_beyond_double", "[parameters]\nk = 1e999§\n" + two_points, "too large or too small"},

      // Keys.
      {"unknown_key", "[points.a]\n§mas = 1\nposition = [0, 0, 0]\n",
       "there is no key `mas` in [points.a]; did you mean `mass`?"},
      {"unknown_table", two_points + "[§constraint]\nc = \"a.x = 0\"\n", "did you mean `constraints`?"},
      {"unknown_key_far", two_points + "[simulation]\n§zzz = 1\n", "the keys there are start, until"},
      {"missing_mass", "[points.§a]\nposition = [0, 0, 0]\n", "[points.a] has no `mass`"},
      {"missing_position", "[points.§a]\nmass = 1\n", "[points.a] has no `position`"},
      {"missing_initial", "[coordinates.§w]\nvelocity = 1\n[energy]\nkinetic = \"w'^2\"\n", "has no `initial`"},
      {"missing_condition", two_points + "[constraints]\n§c = { for = \"i = 1..2\" }\n", "has no `condition`"},
      {"missing_on", two_points + "§[[impulses]]\nvalue = [0, 0, 1]\n", "has no `on`"},
      {"missing_seizure_name", two_points + "§[[seizures]]\ncondition = \"a' = [0, 0, 0]\"\n", "has no `name`"},
      {"truth_value_as_mass", "[points.a]\nmass = §true\nposition = [0, 0, 0]\n", "here stands the truth value true"},
      {"date_as_mass", "[points.a]\nmass = §2024-01-01\nposition = [0, 0, 0]\n", "here stands a date"},
      {"nan_mass", "[points.a]\nmass = §nan\nposition = [0, 0, 0]\n", "must be a finite number; here stands nan"},
      {"infinite_position", "[points.a]\nmass = 1\nposition = [0, §inf, 0]\n",
       "must be a finite number; here stands inf"},
      {"point_that_is_no_table", "[points]\na = §1\n", "must be a table [points.a]"},
      {"constraint_that_is_a_number", two_points + "[constraints]\nc = §1\n", "must be a condition in quotes"},
      {"title_that_is_a_number", "title = §1\n" + two_points, "`title` must be a text in quotes"},
      {"impulses_in_single_brackets", two_points + "§[impulses]\non = \"a\"\n", "must be a list of tables"},
      {"position_of_one_component", "[points.a]\nmass = 1\nposition = §[1]\n", "must be 2 or 3 components"},
      {"position_of_four_components", "[points.a]\nmass = 1\nposition = §[1, 2, 3, 4]\n", "must be 2 or 3 components"},
      {"scalar_position", "[points.a]\nmass = 1\nposition = \"§2*3\"\n",
       "must have 2 or 3 components; here stands a number"},
      {"unknown_law", two_points + "[constraints]\nc = { condition = \"a.x' = 0\", law = §\"hamilton\" }\n",
       "\"straightest\" or \"variational\""},

      // What is refused, with what to write instead.
      {"friction_key", two_points + "[constraints]\nc = { condition = \"a.z >= 0\", §friction = 0.3 }\n",
       "dry friction"},
      {"mu_key", "[points.a]\nmass = 1\nposition = [0, 0, 0]\n§mu = 0.5\n", "dry friction"},
      {"radius_key", "[points.a]\nmass = 1\nposition = [0, 0, 0]\n§radius = 0.5\n", "distance(a, b) >= r"},
      {"shape_table", two_points + "[§shape]\nkind = \"box\"\n", "distance(a, b) >= r"},
      {"code_key", two_points + "§code = \"a.x = 1\"\n", "as an expression in quotes"},
      {"python_table", two_points + "[§python]\nfile = \"f.py\"\n", "as an expression in quotes"},
      {"sign_function", "[points.a]\nmass = 1\nposition = [0, 0, 0]\nforce = [\"-§sign(a.x')\", 0, 0]\n",
       "a function that jumps"},
      {"abs_of_velocity", "[points.a]\nmass = 1\nposition = [0, 0, 0]\nforce = [\"-§abs(a.x')\", 0, 0]\n",
       "dry friction"},
      {"abs_of_position", condition("§abs(a.x) <= 1"), "u <= c and -u <= c"},
      {"min_of_positions", condition("§min(a.x, b.x) >= 0"), "u >= c and v >= c"},
      {"max_of_positions", condition("§max(a.x, b.x) <= 2"), "u <= c and v <= c"},
      {"floor_of_time", condition("a.x = §floor(t)"), "floor is for parameters and indices only"},
      {"mod_of_angle", condition("§mod(a.x, 1) = 0"), "mod is for parameters and indices only"},
      {"method_key", two_points + "[simulation]\n§method = \"timestepping\"\n", "time stepping"},

      // Flows.
      {"flow_without_coordinates", "[§flow]\nx = \"y\"\n", "needs the initial values of its variables"},
      {"flow_of_points", two_points + "[§flow]\na = 1\n", "needs the initial values"},
      {"flow_beside_points", "[§points.p]\nmass = 1\nposition = [0, 0]\n" + flow(""), "and no points"},
      {"flow_with_gravity", "§gravity = [0, 1]\n" + flow(""), "no gravity"},
      {"flow_with_energy", flow("[§energy]\nkinetic = \"x'^2\"\n"), "no energy"},
      {"flow_with_a_blow", flow("[[§impulses]]\non = \"x\"\nvalue = 1\n"), "its rates follow from its state alone"},
      {"flow_with_a_seizure", flow("[[§seizures]]\nname = \"s\"\ncondition = \"x' = 0\"\n"),
       "write them into [constraints]"},
      {"flow_with_a_velocity", "[coordinates.x]\ninitial = 1\n§velocity = 2\n[flow]\nx = 1\n",
       "the rate at the start follows from [flow]"},
      {"flow_with_a_force", "[coordinates.x]\ninitial = 1\n§force = 2\n[flow]\nx = 1\n", "stands in [flow]"},
      {"flow_with_a_mass", "[coordinates.x]\ninitial = 1\n§mass = 2\n[flow]\nx = 1\n", "there is no key `mass`"},
      {"flow_without_a_line", "[coordinates.x]\ninitial = 1\n[coordinates.§y]\ninitial = 1\n[flow]\nx = \"y\"\n",
       "[flow] has no line for `y`"},
      {"flow_with_a_line_too_many", flow("§zebra = \"x\"\n"), "`zebra` has a rate and no initial value"},
      {"flow_with_a_line_misspelt",
       "[coordinates.speed]\ninitial = 1\n[coordinates.place]\ninitial = 1\n[flow]\n§sped = 1\nplace = \"speed\"\n",
       "did you mean `speed`?"},
      {"flow_line_of_the_wrong_form", "[coordinates.x]\ninitial = 1\n[flow]\nx = §[1, 2]\n", "`x` must be a number"},
      {"flow_that_is_a_vector", "[coordinates.x]\ninitial = 1\n[flow]\nx = \"§[x, x]\"\n",
       "the rate of a coordinate is a number"},
      {"flow_of_rates", "[coordinates.x]\ninitial = 1\n[flow]\nx = \"1 - §x'\"\n",
       "velocities cannot occur in a rate of a flow"},
      {"flow_without_a_value", "[coordinates.x]\ninitial = 0\n[flow]\nx = \"1/§x\"\n",
       "division by zero at the initial"},
      {"flow_that_is_a_number", "flow = §1\n[coordinates.x]\ninitial = 0\n", "`flow` must be a table"},
      {"flow_under_an_inequality", flow("[constraints]\nc = \"x §<= 1\"\n"), "the theory does not define"},
      {"flow_under_a_rate_inequality", flow("[constraints]\nc = \"x' §>= 1\"\n"), "the theory does not define"},
      {"flow_under_a_quadratic_condition", flow("[constraints]\nc = \"§x'^2 + y'^2 = 5\"\n"),
       "velocities must occur linearly"},
      {"flow_under_a_law", flow("[constraints]\nc = { condition = \"x' + y' = 0\", §law = \"variational\" }\n"),
       "`law` is for the motion of bodies"},
      {"flow_under_the_usual_law", flow("[constraints]\nc = { condition = \"x + y = 3\", §law = \"straightest\" }\n"),
       "`law` is for the motion of bodies"},
      {"flow_with_a_multiplier", flow("[constraints]\nc = { condition = \"x' + y' = 0\", §multiplier = 1 }\n"),
       "`multiplier` is for the motion of bodies"},
      {"flow_with_restitution", flow("[constraints]\nc = { condition = \"x + y = 3\", §restitution = 1 }\n"),
       "`restitution` is for the motion of bodies"},
      {"flow_under_a_root_without_gradient",
       "[coordinates.x]\ninitial = 0\n[flow]\nx = 1\n[constraints]\nc = \"§sqrt(x^2) = 0\"\n", "has no gradient"},
      {"free_without_a_flow", two_points + "[§free]\nfunctions = [\"a.x\"]\n", "there is no [flow]"},
      {"free_without_functions", flow("[§free]\n"), "[free] has no `functions`"},
      {"free_that_is_no_list", free_functions("§\"x\""), "must be a list of expressions"},
      {"free_with_another_key", flow("[free]\n§function = [\"x\"]\n"), "`function`"},
      {"too_many_free_functions", free_functions("§[\"x\", \"y\"]"),
       "there must be 1 free function: 2 variables less 1 independent equation at the initial state; here stand 2"},
      {"too_few_free_functions", free_functions("§[]"), "there must be 1 free function"},
      {"free_functions_of_a_free_flow", flow("[free]\nfunctions = §[\"x\"]\n"),
       "there must be 2 free functions: 2 variables less 0 independent equations"},
      {"free_functions_beside_dependent_equations",
       flow("[constraints]\na = \"x + y = 3\"\nb = \"2*x + 2*y = 6\"\n[free]\nfunctions = §[]\n"),
       "there must be 1 free function: 2 variables less 1 independent equation"},
      {"free_function_of_the_condition", free_functions("[§\"log(x^2 + y^2)\"]"), "cannot keep its free rate"},
      {"dependent_free_functions", flow("[free]\nfunctions = [\"x + y\", §\"(x + y)^3\"]\n"),
       "`(x + y)^3` cannot keep its free rate"},
      {"free_function_of_rates", free_functions("[\"x + §y'\"]"), "velocities cannot occur in a free function"},
      {"free_function_of_time", free_functions("[\"§t^2\"]"), "no variable of the flow occurs in it"},
      {"free_function_that_is_a_number", free_functions("[§1]"), "no variable of the flow occurs in it"},
      {"free_function_that_is_a_vector", free_functions("[\"§[x, y]\"]"), "here stands a vector"},
      {"free_function_that_is_a_condition", free_functions("[\"x §= 1\"]"), ""},
      {"free_function_of_a_stranger", free_functions("[\"x + §w\"]"), "`w`"},
      {"free_function_without_a_gradient",
       "[coordinates.x]\ninitial = 0\n[flow]\nx = 1\n[free]\nfunctions = [§\"sqrt(x^2)\"]\n", "has no gradient"},

      // Names.
      {"point_called_sin", "[points.§sin]\nmass = 1\nposition = [0, 0, 0]\n",
       "`sin` cannot be the name of a point: it is a function"},
      {"parameter_called_t", parameter("§t = 1"), "`t` cannot be the name of a parameter: it is the time"},
      {"coordinate_called_pi", "[coordinates.§pi]\ninitial = 1\n", "`pi` cannot be the name of a coordinate"},
      {"parameter_called_sum", parameter("§sum = 1"), "`sum` cannot be the name of a parameter: it is a function"},
      {"point_and_parameter", "[parameters]\na = 1\n[points.§a]\nmass = 1\nposition = [0, 0, 0]\n",
       "`a` is the name of a point and of a parameter (line 2, column 1)"},
      {"name_with_a_dash", "[points.§left-foot]\nmass = 1\nposition = [0, 0, 0]\n", "cannot be a name"},
      {"parameter_called_i_beside_family", "[parameters]\n§i = 2\n" + beads, "it is the index of the family `bead`"},
      {"index_called_like_a_point",
       two_points + "[constraints]\nc = { for = \"§a = 1..2\", condition = \"b.x >= a\" }\n",
       "already the name of a point"},
      {"index_called_t", two_points + "[constraints]\nc = { for = \"§t = 1..2\", condition = \"b.x >= t\" }\n",
       "is the time; take another index"},
      {"index_twice", bead_condition("{ for = \"i = 1..2, §i = 1..2\", condition = \"bead[i].x >= 0\" }"),
       "already an index here"},
      {"sum_index_twice", bead_condition("\"sum(i = 1..2, §sum(i = 1..2, bead[i].x)) = 0\""), "already an index here"},
      {"unknown_name", condition("a.x + §q = 0"), "nothing here is called `q`"},
      {"unknown_name_near", parameter("length = 2") + "[constraints]\nc = \"a.x <= §lenght\"\n",
       "did you mean `length`?"},
      {"unknown_function", condition("§cosinus(a.x) = 0"), "there is no function `cosinus`"},
      {"unknown_function_near", condition("§sqr(a.x) = 1"), "did you mean `sqrt`?"},
      {"function_without_argument", condition("a.x = §sin"), "`sin` is a function: write sin(…)"},
      {"parameter_as_function", parameter("k = 2") + "[constraints]\nc = \"§k(a.x) = 0\"\n", "write * for a product"},

      // Grammar.
      {"unbalanced_parenthesis", condition("a.x = §(1 + 2"), "("},
      {"closing_parenthesis", condition("a.x + 1§) = 0"), "this `)` closes nothing"},
      {"less", condition("a.x §< 0"), "<="},
      {"greater", condition("a.x §> 0"), ">="},
      {"double_equals", condition("a.x §== 0"), "="},
      {"unequal", condition("a.x §!= 0"), "restricts no motion"},
      {"chained_comparison", condition("0 <= a.x §<= 1"), "two comparisons in one condition"},
      {"no_comparison", condition("a.x + 1§"), "a comparison is missing"},
      {"empty_condition", condition("§"), "the condition is empty"},
      {"strange_character", condition("a.x §# 1 = 0"), "unknown character `#`"},
      {"two_operators", condition("a.x * §/ 2 = 0"), "is expected here, not `/`"},
      {"after_accents",
       two_points + "[constraints]\nc = { law = \"straightest\", condition = \"a.x + §q <= 1\" } # Fünf Füße\n",
       "nothing here is called `q`"},
      {"second_line_of_a_text", two_points + "[constraints]\nc = \"\"\"\na.x +\n  §q = 0\"\"\"\n",
       "nothing here is called `q`"},
      {"escaped_text", two_points + "[constraints]\nc = \"\\u0061.x + \\t§q = 0\"\n", "nothing here is called `q`"},
      {"literal_text", two_points + "[constraints]\nc = 'a.x + §q = 0'\n", "nothing here is called `q`"},

      // Dimensions and types.
      {"points_of_different_dimension", plane_condition("distance(a, §p) <= 1"), "needs two vectors of one dimension"},
      {"sum_of_different_dimensions", plane_condition("a = §p"), "cannot be added, subtracted or compared"},
      {"vector_and_number", condition("a = §0"), "the vector zero is [0, 0, 0]"},
      {"vector_inequality", condition("a §<= b"), "write one condition for each component"},
      {"z_of_a_plane_point", plane_condition("§p.z = 0"), "it has 2 components"},
      {"component_of_a_number", parameter("k = 2") + "[constraints]\nc = \"§k.x = a.x\"\n",
       "is a number; it has no component"},
      {"component_of_a_coordinate", pendulum + "[constraints]\nc = \"§w.x = 0\"\n", "is a coordinate, a number"},
      {"product_of_vectors", condition("a * §b = 0"), "dot(u, v) or cross(u, v)"},
      {"division_by_a_vector", condition("1 / §a = 0"), "one cannot divide by it"},
      {"power_of_a_vector", condition("§a^2 = 1"), "dot(u, u)"},
      {"sine_of_a_vector", condition("sin(§a) = 0"), "sin takes a number"},
      {"distance_of_a_number", condition("distance(a, §1) = 0"), "distance takes vectors"},
      {"too_many_arguments", condition("§sin(a.x, 1) = 0"), "sin takes 1 argument, here stand 2"},
      {"too_few_arguments", condition("§distance(a) = 0"), "distance takes 2 arguments, here stand 1"},
      {"vector_of_four", condition("a = §[1, 2, 3, 4]"), "a vector has 2 or 3 components, here stand 4"},
      {"velocity_dimension", "[points.a]\nmass = 1\nposition = [0, 0, 0]\nvelocity = §[0, 0]\n",
       "as many components as its position: 3, here stand 2"},
      {"force_dimension", "[points.a]\nmass = 1\nposition = [0, 0, 0]\nforce = §[0, 0]\n",
       "as many components as it has itself: 3, here stand 2"},
      {"gravity_dimension", "gravity = §[0, -1]\n" + two_points, "gravity must have as many components as the points"},
      {"gravity_on_mixed_points", "gravity = §[0, 0, -1]\n" + two_points + "[points.p]\nmass = 1\nposition = [0, 0]\n",
       "`p` has 2, here stand 3"},
      {"gravity_without_points", "gravity = §[0, 0, -1]\n" + pendulum, "gravity acts on points"},
      {"gravity_of_a_position", "gravity = [0, 0, \"§a.z\"]\n" + two_points, "`a` is a point"},
      {"coordinate_with_vector_start", "[coordinates.w]\ninitial = \"§[1, 2]\"\n[energy]\nkinetic = \"w'^2\"\n",
       "here stands a vector"},

      // Masses, positions, parameters.
      {"zero_mass", "[points.a]\nmass = §0\nposition = [0, 0, 0]\n", "must be greater than zero; here it is 0"},
      {"negative_mass", "[points.a]\nmass = §-1.5\nposition = [0, 0, 0]\n",
       "must be greater than zero; here it is -1.5"},
      {"negative_mass_of_a_member", "[points.bead]\ncount = 3\nmass = \"§2 - i\"\nposition = [0, 0, 0]\n",
       "the mass of `bead[2]`"},
      {"mass_of_time", "[points.a]\nmass = \"1 + §t\"\nposition = [0, 0, 0]\n", "the time t cannot occur in a mass"},
      {"mass_of_a_position", "[points.a]\nmass = \"1 + §a.x\"\nposition = [0, 0, 0]\n", "`a` is a point; only numbers"},
      {"position_of_a_point", "[points.a]\nmass = 1\nposition = [\"§a.x\", 0, 0]\n",
       "only numbers, parameters and indices may stand in an initial position"},
      {"vector_mass", "[points.a]\nmass = \"§[1, 2]\"\nposition = [0, 0, 0]\n", "a mass is a number"},
      {"recursion", parameter("k = \"2*m\"\nm = \"§k + 1\""), "the parameters go round in a circle: k -> m -> k"},
      {"recursion_on_itself", parameter("k = \"§k + 1\""), "in a circle: k -> k"},
      {"parameter_of_a_point", parameter("k = \"2*§a.x\""), "`a` is a point; only numbers"},
      {"parameter_divides_by_zero", parameter("k = 0\nm = \"1/§k\""), "division by zero: `k` is 0"},
      {"parameter_log", parameter("k = \"§log(-1)\""), "the logarithm of a negative number (-1)"},
      {"parameter_sqrt", parameter("k = \"§sqrt(1 - 2)\""), "the square root of a negative number (-1)"},
      {"parameter_asin", parameter("k = \"§asin(2)\""), "outside of -1..1"},
      {"parameter_power", parameter("k = \"§(-8)^0.5\""), "a negative number has no such power"},
      {"sum_with_broken_bound", parameter("k = \"sum(n = 1..§2.5, n)\""),
       "the upper bound of a sum must be a whole number"},

      // Velocities.
      {"quadratic_velocity", condition("§a.x'^2 + a.y' = 1"), "this term is not linear in them: a.x'^2"},
      {"product_of_velocities", condition("§a.x' + a.x'*b.x' = 1"), "not linear in them: a.x'*b.x'"},
      {"sine_of_velocity", condition("§sin(a.x') = 0"), "not linear"},
      {"norm_of_velocity", condition("§norm(a') <= 1"), "not linear"},
      {"acceleration", condition("a.x'§' = 0"), "accelerations cannot stand"},
      {"velocity_of_a_parameter", parameter("k = 2") + "[constraints]\nc = \"§k' = a.x'\"\n",
       "is a parameter; it has no velocity"},
      {"velocity_of_an_expression", condition("§(a - b)' = [0, 0, 0]"), "belongs to a point or a coordinate"},
      {"velocity_in_potential", two_points + "[energy]\npotential = \"a.x + §a.x'\"\n",
       "velocities cannot occur in the potential energy"},
      {"cubic_kinetic_energy", kinetic("§w'^2 + u'^2 + w'^3"), "this term is not: w'^3"},
      {"kinetic_energy_with_a_root", kinetic("§sqrt(w'^2) + u'^2"), "quadratic in the velocities"},
      {"kinetic_energy_quotient", kinetic("§w'^2 + u'^2/(1 + w'^2)"), "quadratic in the velocities"},
      {"kinetic_without_a_coordinate", kinetic("§w'^2"), "gives `u` no inertia"},
      {"kinetic_linear_in_a_coordinate", kinetic("§w'^2 + u'*u"), "gives `u` no inertia"},
      {"singular_mass_matrix", kinetic("§(w' + u')^2"), "not positive definite"},
      {"negative_kinetic_energy", kinetic("§w'^2 - u'^2"), "not positive definite"},
      {"kinetic_missing", "[coordinates.§w]\ninitial = 1\n", "needs `kinetic` in [energy]"},
      {"kinetic_energy_vector", two_points + "[energy]\nkinetic = \"§a'\"\n", "is a number; here stands a vector"},

      // Families.
      {"empty_family", "[points.bead]\ncount = §0\nmass = 1\nposition = [0, 0, 0]\n", "a family without members"},
      {"negative_count", "[points.bead]\ncount = §-3\nmass = 1\nposition = [0, 0, 0]\n", "a family without members"},
      {"broken_count", "[points.bead]\ncount = §2.5\nmass = 1\nposition = [0, 0, 0]\n", "must be a whole number"},
      {"monstrous_count", "[points.bead]\ncount = §1e8\nmass = 1\nposition = [0, 0, 0]\n", "at most 10000000 members"},
      {"three_counts", "[points.bead]\ncount = §[2, 2, 2]\nmass = 1\nposition = [0, 0, 0]\n",
       "two of them in brackets"},
      {"index_out_of_range",
       bead_condition("{ for = \"i = 1..3\", condition = \"distance(bead[i], bead[§i+1]) <= 1\" }"),
       "`i+1` is 4 here for i = 3, but the index of `bead` goes from 1 to 3"},
      {"index_zero", bead_condition("\"bead[§0].x = 0\""), "`0` is 0 here, but the index of `bead` goes from 1 to 3"},
      {"broken_index", bead_condition("\"bead[§1.5].x = 0\""), "an index must be a whole number"},
      {"index_of_the_state", bead_condition("\"bead[§bead[1].x].x = 0\""), "an index cannot depend on positions"},
      {"family_without_index", bead_condition("\"§bead.x = 0\""), "write a member, bead[i]"},
      {"index_of_a_single_point", condition("§a[1].x = 0"), "is a single point; it has no members"},
      {"two_indices_for_one", bead_condition("\"§bead[1, 2].x = 0\""), "has one index, here stand 2"},
      {"index_of_a_parameter", parameter("k = [1, 2, 3]") + "[constraints]\nc = \"§k[1] = a.x\"\n", "k.x, k.y, k.z"},
      {"empty_condition_family", bead_condition("{ for = \"§i = 3..1\", condition = \"bead[i].x >= 0\" }"),
       "has no members"},
      {"index_outside_its_table", bead_condition("\"bead[§i].x >= 0\""), "nothing here is called `i`"},
      {"three_indices", bead_condition("{ for = \"i = 1..2, j = 1..2, §k = 1..2\", condition = \"bead[i].x >= 0\" }"),
       "at most two indices"},
      {"broken_range", bead_condition("{ for = \"i = 1..§2.5\", condition = \"bead[i].x >= 0\" }"),
       "must be a whole number"},
      {"range_without_dots", bead_condition("{ for = \"§i = 1\", condition = \"bead[i].x >= 0\" }"), ".."},

      // Conditions that say nothing, values that do not exist.
      {"nothing_occurs", condition("§1 <= 2"), "always holds and restricts nothing"},
      {"never_holds", condition("§1 >= 2"), "can never hold"},
      {"nothing_left", condition("§a.x - a.x = 0"), "always holds and restricts nothing"},
      {"only_time", condition("§t <= 5"), "restricts nothing"},
      {"velocity_cancels", condition("§a.x' - a.x' = 0"), "always holds and restricts nothing"},
      {"division_by_zero_at_the_state", condition("1/(§a.x) <= 1"),
       "division by zero at the initial state: `a.x` is 0"},
      {"log_at_the_state", condition("§log(a.x - 1) <= 1"), "the logarithm of a negative number (-1)"},
      {"sqrt_at_the_state", condition("§sqrt(a.x - 4) <= 1"), "the square root of a negative number (-4)"},
      {"power_at_the_state", condition("§a.x^(-2) <= 1"), "has no value at the initial state"},
      {"force_without_value", "[points.a]\nmass = 1\nposition = [0, 0, 0]\nforce = [\"1/§a.x\", 0, 0]\n",
       "division by zero at the initial state"},
      {"potential_without_value", two_points + "[energy]\npotential = \"§log(a.x)\"\n", "the logarithm of zero"},

      // Long forms, blows, seizures, outputs, simulation.
      {"restitution_above_one", two_points + "[constraints]\nc = { condition = \"a.x <= 0\", restitution = §1.5 }\n",
       "must lie between 0 and 1; here it is 1.5"},
      {"negative_restitution", two_points + "[constraints]\nc = { condition = \"a.x <= 0\", restitution = §-0.5 }\n",
       "must lie between 0 and 1"},
      {"variational_holonomic", two_points + "[constraints]\nc = { condition = \"a.x = 0\", law = §\"variational\" }\n",
       "`c` is a holonomic equation"},
      {"variational_inequality",
       two_points + "[constraints]\nc = { condition = \"a.x' <= 0\", law = §\"variational\" }\n",
       "`c` is a nonholonomic inequality"},
      {"multiplier_without_law", two_points + "[constraints]\nc = { condition = \"a.x' = 0\", multiplier = §0.5 }\n",
       "needs law = \"variational\""},
      {"impulse_on_nothing", two_points + "[[impulses]]\non = \"§c\"\nvalue = [0, 0, 1]\n",
       "nothing here is called `c`"},
      {"impulse_on_a_parameter", parameter("k = 1") + "[[impulses]]\non = \"§k\"\nvalue = [0, 0, 1]\n",
       "is a parameter"},
      {"impulse_dimension", two_points + "[[impulses]]\non = \"a\"\nvalue = §[0, 1]\n", "a vector of 3 components"},
      {"impulse_on_a_family", beads + "[[impulses]]\non = \"§bead\"\nvalue = [0, 0, 1]\n", "write a member"},
      {"impulse_out_of_range", beads + "[[impulses]]\non = \"bead[§4]\"\nvalue = [0, 0, 1]\n", "goes from 1 to 3"},
      {"seizure_inequality", two_points + "[[seizures]]\nname = \"s\"\ncondition = \"a.x' §<= 0\"\n",
       "a seizure is an equation"},
      {"seizure_called_like_a_constraint",
       two_points + "[constraints]\nc = \"a.x <= 0\"\n[[seizures]]\nname = §\"c\"\ncondition = \"a.x' = 0\"\n",
       "already the name of a constraint"},
      {"seizure_name", two_points + "[[seizures]]\nname = §\"my hook\"\ncondition = \"a.x' = 0\"\n",
       "cannot be a name"},
      {"output_of_nothing", two_points + "[outputs]\nh = \"§c.x\"\n", "nothing here is called `c`"},
      {"stop_equation", two_points + "[simulation]\nstop = \"a.x §= 0\"\n", "`stop` is an inequality"},
      {"stop_of_vectors", two_points + "[simulation]\nstop = \"a §<= b\"\n", "`stop` compares numbers"},
      {"until_before_start", two_points + "[simulation]\nstart = 2\nuntil = §1\n", "the run must end after its start"},
      {"tolerance_zero", two_points + "[simulation]\ntolerance = §0\n", "between 0 and 1"},
      {"touch_negative", two_points + "[simulation]\ntouch = §-1e-9\n", "between 0 and 1"},
      {"one_sample", two_points + "[simulation]\nsamples = §1\n", "at least 2 samples"},
      {"broken_samples", two_points + "[simulation]\nsamples = §2.5\n", "must be a whole number"},
  };
  return list;
}

}  // namespace wrong_models
