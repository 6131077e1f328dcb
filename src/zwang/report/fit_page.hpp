/// The page of a fit: what was measured over the fitted motion, what is left, and how well the parameters are known.
#pragma once

#include <functional>
#include <string>

#include "zwang/model/model.hpp"
#include "zwang/sensitivity/fit.hpp"

namespace zwang::report {

/// One HTML document without script. `fitted` is the model with the values found, until the last instant measured; `command` is how its motion is run again.
/// Bars are one deviation of a value long, as the misfit itself tells it (docs/mathematics, section 24.6); none where there are no more values than parameters.
/// `go_on`, asked after every step of the motion that is drawn: false ends it there.
[[nodiscard]] std::string fit_page(const model::Model& fitted, const sensitivity::Measured& measured,
                                   const sensitivity::Fit& fit, const std::string& command,
                                   const std::function<bool()>& go_on = {});

}  // namespace zwang::report
