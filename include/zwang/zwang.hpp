/// Mechanics with constraints by Gauss's principle: all of the library.
///
///   zwang::Model model = zwang::load("swing.toml");              // model.hpp      read, names, states
///   zwang::instant::Instant now = zwang::accelerate(model);      // questions.hpp  one instant
///   zwang::Motion motion = zwang::run(model, {.until = 5});      // motion.hpp     a motion and its events
///   zwang::Stepper stepper(model);                               // stepper.hpp    a motion in your hand
///   zwang::Motion kept = zwang::record(model, "swing.sqlite");   // run_file.hpp   written, read, resumed
///   auto verdict = zwang::analysis::stability(model, state);     // analyze.hpp    what kind of system is it
///   zwang::write_page(motion, "swing.html");                     // report.hpp     page, figures, JSON, equations
///   zwang::gauss::solve(problem, {}, workspace, solution);       // gauss.hpp      the nearest point alone
///
/// **Threads.** Const objects may be shared by any number of threads: a Model or Motion and all their copies, a const Mass after `factor`, options,
/// results. Every other object belongs to one thread at a time: Stepper, Questions, gauss::Workspace. The library starts no thread; the little that
/// it keeps for all of them is guarded.
///
/// **Errors.** `Error` is for what a user wrote or a file contains, std::invalid_argument for a call that cannot be meant, std::out_of_range for a time
/// outside of a motion (error.hpp). A jam, a singular position, a contradiction are results with a status.
///
/// **Bits.** The same model gives the same bits on every run, with any number of threads, whether it was interrupted or not.
///
/// These headers are what is promised between versions (docs/reference/versions.md); whatever else the library is made of is its own affair.
#pragma once

#include "zwang/analysis.hpp"
#include "zwang/analyze.hpp"
#include "zwang/error.hpp"
#include "zwang/gauss.hpp"
#include "zwang/instant.hpp"
#include "zwang/matrix.hpp"
#include "zwang/model.hpp"
#include "zwang/motion.hpp"
#include "zwang/questions.hpp"
#include "zwang/report.hpp"
#include "zwang/run_file.hpp"
#include "zwang/stepper.hpp"
#include "zwang/system.hpp"
#include "zwang/trajectory.hpp"
#include "zwang/version.hpp"
