/// `zwang gallery --site DIR`: every model is run, drawn and told on a page of its own.
#include "site.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <optional>
#include <set>
#include <vector>

#include "gallery_files.hpp"
#include "live_page.hpp"
#include "markdown.hpp"
#include "recorded.hpp"
#include "runs.hpp"
#include "zwang/base/escape.hpp"
#include "zwang/base/number.hpp"
#include "zwang/error.hpp"
#include "zwang/expressions/mathml.hpp"
#include "zwang/report/figures.hpp"
#include "zwang/report/json.hpp"
#include "zwang/report/page.hpp"
#include "zwang/report/whole_file.hpp"
#include "zwang/runs/record.hpp"
#include "zwang/version.hpp"

namespace zwang::cli {

namespace {

namespace fs = std::filesystem;

/// Shown first, in this order.
constexpr std::array<std::string_view, 24> featured = {"chain-meets-beam",  "domino-row",
                                                       "rolling-coin",      "whip",
                                                       "swinging-atwood",   "bead-curtain",
                                                       "snakeboard",        "chain-over-peg",
                                                       "net-on-ball",       "bowl",
                                                       "inchworm",          "double-string-pendulum",
                                                       "foucault-pendulum", "chain-and-wall",
                                                       "hard-balls",        "pulley",
                                                       "ratchet",           "bouncing-ball",
                                                       "leaning-disc",      "turntable",
                                                       "sheared-net",       "swinging-cradle",
                                                       "bicycle",           "crane"};

constexpr std::string_view style_sheet = R"(:root {
  color-scheme: light dark;
  --paper: #fbfaf7; --ink: #1d2025; --soft: #5b616b; --line: #dcd9d1; --card: #ffffff; --accent: #0b4f8a;
}
@media (prefers-color-scheme: dark) {
  :root { --paper: #14161a; --ink: #e8e6e1; --soft: #a3a9b3; --line: #2f333b; --card: #1c1f25; --accent: #7db9ec; }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 17px/1.6 Charter, "Bitstream Charter", Georgia, serif; }
a { color: var(--accent); text-decoration-thickness: 1px; text-underline-offset: 3px; }
a:focus-visible, iframe:focus-visible { outline: 3px solid var(--accent); outline-offset: 3px; border-radius: 4px; }
.skip { position: absolute; left: -999px; }
.skip:focus { left: 1rem; top: 1rem; background: var(--card); padding: .5rem 1rem; }
header, main, footer { max-width: 74rem; margin: 0 auto; padding: 0 1.5rem; }
header { padding-top: 3.5rem; padding-bottom: 1rem; }
header p { max-width: 46rem; color: var(--soft); font-size: 1.12rem; }
h1 { font-size: clamp(2rem, 5vw, 3rem); line-height: 1.15; letter-spacing: -.01em; margin: 0 0 .6rem; }
h2 { font-size: 1.5rem; margin: 2.6rem 0 1rem; }
nav { margin-bottom: 1.1rem; font-size: .95rem; display: flex; flex-wrap: wrap; gap: .3rem 1.4rem; }
.cards { list-style: none; margin: 0; padding: 0; display: grid; gap: 1.4rem; grid-template-columns: repeat(auto-fill, minmax(17.5rem, 1fr)); }
.card { background: var(--card); border: 1px solid var(--line); border-radius: 12px; overflow: hidden; display: flex; flex-direction: column; position: relative; }
.card:hover { border-color: var(--accent); }
.card img { width: 100%; height: 11rem; object-fit: contain; background: #fff; border-bottom: 1px solid var(--line); padding: .4rem; }
.card > div { padding: .9rem 1.1rem 1.1rem; }
.card h3 { margin: 0 0 .3rem; font-size: 1.15rem; line-height: 1.3; }
.card h3 a { text-decoration: none; color: var(--ink); }
.card h3 a::after { content: ""; position: absolute; inset: 0; }
.card p { margin: 0; color: var(--soft); font-size: .95rem; line-height: 1.45; }
.small { columns: 3 17rem; column-gap: 2rem; padding: 0; list-style: none; }
.small li { break-inside: avoid; margin: 0 0 .7rem; line-height: 1.35; }
.small li > span { display: block; color: var(--soft); font-size: .92rem; }
.two { display: grid; gap: 2rem; grid-template-columns: minmax(0, 1fr); }
@media (max-width: 62rem) { .two .report { order: -1; } iframe { height: 34rem; } }
@media (min-width: 62rem) { .two { grid-template-columns: minmax(0, 5fr) minmax(0, 7fr); } }
iframe { width: 100%; height: 42rem; max-height: 88vh; border: 1px solid var(--line); border-radius: 12px; background: var(--card); }
figure { margin: 0; background: #fff; border: 1px solid var(--line); border-radius: 12px; padding: .8rem; color: #333; }
figure img { width: 100%; height: auto; display: block; }
figcaption { font-size: .92rem; color: #555; padding: .3rem .4rem 0; }
.figures { display: grid; gap: 1.2rem; grid-template-columns: repeat(auto-fit, minmax(min(100%, 26rem), 1fr)); }
pre { overflow-x: auto; background: var(--card); border: 1px solid var(--line); border-radius: 12px; padding: 1rem 1.2rem; font-size: .86rem; line-height: 1.5; }
code { font-family: ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; font-size: .92em; }
table { border-collapse: collapse; margin: 1rem 0; }
th, td { text-align: left; padding: .25rem 1.1rem .25rem 0; border-bottom: 1px solid var(--line); }
.find { display: flex; flex-wrap: wrap; gap: .6rem 1.2rem; align-items: end; margin: 1.5rem 0 0; }
.find label { display: grid; gap: .15rem; font-size: .92rem; color: var(--soft); }
.find input, .find select { font: inherit; font-size: 1rem; color: var(--ink); background: var(--card); border: 1px solid var(--soft); border-radius: 8px; padding: .35rem .7rem; min-height: 2.4rem; }
.find input { width: min(22rem, 100%); }
.find :focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
.find output { color: var(--soft); padding-bottom: .4rem; }
.tags { display: flex; flex-wrap: wrap; gap: .3rem; margin-top: .5rem; }
.tags span, .small .tags span { display: inline-block; font: .8rem/1.5 system-ui, sans-serif; color: var(--soft); border: 1px solid var(--line); border-radius: 999px; padding: 0 .55rem; }
[hidden] { display: none !important; }
/* Figures are drawn in ink on white: in the dark both change places, and hues stay. */
@media (prefers-color-scheme: dark) {
  .card img, figure img { filter: invert(.91) hue-rotate(180deg); }
  .card img { background: #fff; }
  figure { background: #17191d; color: var(--soft); }
  figcaption { color: var(--soft); }
}
footer { color: var(--soft); font-size: .92rem; padding-top: 3rem; padding-bottom: 3rem; }
)";

/// Shows the models that have all the words, the law and the event that are asked for. Without it the page shows all of them.
constexpr std::string_view search_script = R"("use strict";
const form = document.querySelector(".find");
const models = [...document.querySelectorAll("[data-words]")];
const count = form.querySelector("output");
function choose() {
  const wanted = new FormData(form);
  const words = wanted.get("words").toLowerCase().split(/\s+/).filter(Boolean);
  const has = (list, one) => !one || list.split(" ").includes(one);
  let shown = 0;
  for (const model of models) {
    const { words: own, law, events } = model.dataset;
    model.hidden = !(words.every((word) => own.includes(word)) && has(law, wanted.get("law")) && has(events, wanted.get("event")));
    shown += model.hidden ? 0 : 1;
  }
  for (const list of document.querySelectorAll("main ul")) {
    const empty = [...list.children].every((model) => model.hidden);
    list.hidden = empty;
    list.previousElementSibling.hidden = empty;
  }
  count.textContent = shown === models.length ? `all ${shown} models` : shown === 1 ? "one model" : `${shown || "no"} models`;
}
form.addEventListener("input", choose);
form.addEventListener("submit", (event) => event.preventDefault());
form.hidden = false;
choose();
)";

struct Exhibit {
  std::string name, title, heading, summary, model, readme;
  std::vector<std::string> figures;  ///< names of files
  std::string card;                  ///< the one for the overview
  std::string outcome;               ///< one sentence
  std::set<std::string> laws;        ///< of its conditions
  std::set<std::string> events;      ///< the kinds that happened
  bool report = false;
};

void write_file(const fs::path& file, std::string_view text) { report::write_whole(file.string(), text); }

std::vector<Exhibit> exhibits() {
  std::vector<Exhibit> all;
  for (const GalleryFile& file : gallery_files()) {
    if (all.empty() || all.back().name != file.name) {
      all.emplace_back();
      all.back().name = file.name;
    }
    if (file.file == "model.toml") {
      all.back().model = file.text;
    }
    if (file.file == "README.md") {
      all.back().readme = file.text;
      all.back().heading = first_heading(file.text);
      all.back().summary = first_paragraph(file.text);
    }
  }
  // Cards show a sentence or two.
  for (Exhibit& one : all) {
    std::string& text = one.summary;
    if (text.size() > 190) {
      std::size_t end = text.rfind(". ", 190);
      if (end == std::string::npos || end < 60) {
        end = text.rfind(' ', 180);
        text = text.substr(0, end) + " …";
      } else {
        text.resize(end + 1);
      }
    }
  }
  return all;
}

constexpr std::size_t most_kinds = 8;  ///< of events: more than these there are not
constexpr std::uint64_t bytes_of_report = 9U << 17U;
constexpr std::string_view script_of_reports = "viewer.js";  ///< beside the folders of all models

/// These pages have no script but the search of the overview; what they load lies beside them. (From a disk, a page is not always its own neighbour's origin.) Reports have the policy of
/// every report but for their script, which lies beside them once for all.
constexpr std::string_view policy =
    "default-src 'none'; script-src 'self' file:; style-src 'self' file:; img-src 'self' file: data:; frame-src 'self' "
    "file:; base-uri 'none'; "
    "form-action 'none'";

std::string page(const std::string& title, const std::string& root, const std::string& body, const std::string& about) {
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n<meta "
      "http-equiv=\"Content-Security-Policy\" content=\"{4}\"/>\n<meta name=\"viewport\" "
      "content=\"width=device-width, initial-scale=1\"/>\n<title>{0}</title>\n<meta name=\"description\" "
      "content=\"{3}\"/>\n"
      "<link rel=\"stylesheet\" href=\"{1}style.css\"/>\n<link rel=\"icon\" href=\"data:,\"/>\n</head>\n<body>\n<a "
      "class=\"skip\" href=\"#content\">To the "
      "content</a>\n{2}</body>\n</html>\n",
      xml_escaped(title), root, body, xml_escaped(about), policy);
}

std::string caption(const std::string& figure) {
  if (figure == "path.svg") {
    return "Path";
  }
  if (figure == "coordinates.svg") {
    return "Coordinates over time, with the events";
  }
  if (figure == "multipliers.svg") {
    return "Multipliers of the conditions over time, with the events";
  }
  if (figure == "energy.svg") {
    return "Energy over time";
  }
  return "Phase portrait";
}

/// The script of a report, which is the same in all: the page then takes it from beside the folder that it lies in, and allows that. Empty if it has none.
std::string take_script_out(std::string& html) {
  constexpr std::string_view opening = "<script>";
  constexpr std::string_view rule = "script-src '";
  const std::size_t begin = html.find(opening);
  const std::size_t end = html.find("</script>", begin);
  const std::size_t allowed = html.find(rule);
  if (begin == std::string::npos || end == std::string::npos || allowed > begin) return {};
  std::string script = html.substr(begin + opening.size(), end - begin - opening.size());
  html.replace(begin, end - begin, fmt::format("<script src=\"../{}\">", script_of_reports));
  const std::size_t hash = allowed + rule.size() - 1;
  html.replace(hash, html.find('\'', hash + 1) + 1 - hash, "'self' file:");
  return script;
}

/// One model: its run, report and figures. What goes wrong is said on its page.
void make(const fs::path& folder, Exhibit& exhibit) {
  std::error_code ignored;
  fs::create_directories(folder, ignored);
  write_file(folder / "model.toml", exhibit.model);
  const fs::path scratch = fs::temp_directory_path() / fmt::format("zwang-site-{}", getpid());
  try {
    Question question;
    question.model = "gallery:" + exhibit.name;
    Manner manner;
    manner.folder = scratch.string();
    manner.quiet = true;
    Task task = new_task(question, manner);
    task.model.file = exhibit.name + ".toml";
    exhibit.title = task.model.title;
    runs::Store store = runs::Store::create(task.file, task.recipe, task.model);
    store.set_outputs(task.model);
    compute(task, manner, store);
    const motion::Account& account = store.account();
    exhibit.outcome = fmt::format(
        "The run {} at t = {} with {} event{}{}.",
        account.status == motion::Status::finished ? "ends" : "is " + std::string(motion::words(account.status)),
        readable(account.present.state.time), store.events(), store.events() == 1 ? "" : "s",
        account.why.empty() ? "" : ": " + account.why);
    for (const model::Condition& condition : task.model.conditions) exhibit.laws.emplace(words(condition.law));
    if (task.model.flow) exhibit.laws = {"flow"};
    store.each_event(0, [&](const motion::Event& event) {
      exhibit.events.emplace(motion::words(event.kind));
      return exhibit.events.size() < most_kinds;
    });
    // The path first, or what comes nearest to one.
    for (const report::Figure& figure : report::figures(task.model, runs::picture_view(task.model, store))) {
      write_file(folder / (figure.name + ".svg"), figure.svg);
      exhibit.figures.push_back(figure.name + ".svg");
    }
    std::stable_sort(exhibit.figures.begin(), exhibit.figures.end(), [](const std::string& a, const std::string& b) {
      const auto rank = [](const std::string& name) {
        return name == "path.svg" ? 0 : name.starts_with("phase") ? 1 : 2;
      };
      return rank(a) < rank(b);
    });
    exhibit.card = exhibit.figures.empty() ? "" : exhibit.figures.front();
    if (const std::string card = report::path_card(task.model, runs::picture_view(task.model, store)); !card.empty()) {
      write_file(folder / "card.svg", card);
      exhibit.card = "card.svg";
    }
    const report::PageRun run{&task.model, runs::picture_view(task.model, store), ""};
    std::string html;
    report::PageOptions options;
    options.bytes = bytes_of_report;
    (void)report::write_page({&run, 1}, options, [&](std::string_view text) { html += text; });
    const std::string script = take_script_out(html);
    if (const fs::path beside = folder.parent_path() / script_of_reports; !script.empty() && !fs::exists(beside))
      write_file(beside, script);
    write_file(folder / "report.html", html);
    exhibit.report = true;
  } catch (const Error& trouble) {
    exhibit.outcome = trouble.what();
  }
  fs::remove_all(scratch, ignored);
}

/// With `live` there is a living page beside all of them.
std::string model_page(const Exhibit& exhibit, const Exhibit* before, const Exhibit* after, bool live) {
  const std::string heading = exhibit.heading.empty() ? exhibit.name : exhibit.heading;
  std::string body = "<header>\n<nav aria-label=\"Gallery\"><a href=\"../index.html\">All models</a>";
  if (before != nullptr) {
    body +=
        fmt::format("<a href=\"../{}/index.html\" rel=\"prev\">← {}</a>", before->name, xml_escaped(before->heading));
  }
  if (after != nullptr) {
    body += fmt::format("<a href=\"../{}/index.html\" rel=\"next\">{} →</a>", after->name, xml_escaped(after->heading));
  }
  // A title that only repeats the heading is not said twice.
  const std::string title = exhibit.title == heading ? "" : fmt::format("<p>{}</p>\n", xml_escaped(exhibit.title));
  body += fmt::format("</nav>\n<h1>{}</h1>\n{}</header>\n<main id=\"content\">\n", xml_escaped(heading), title);
  body += "<div class=\"two\">\n<section aria-label=\"Physics\">\n";
  // The page's own heading stands above already.
  std::string_view text = exhibit.readme;
  if (text.starts_with("# ")) {
    text.remove_prefix(std::min(text.find('\n'), text.size()));
  }
  body += html_of_markdown(text, 1);
  body += fmt::format("<p>{}</p>\n<pre><code>zwang run gallery:{}\nzwang view gallery:{}</code></pre>\n</section>\n",
                      xml_escaped(exhibit.outcome), exhibit.name, exhibit.name);
  const std::string touch =
      live ? fmt::format(" · <a href=\"../live.html#gallery={}\">Change it and see it move</a>", exhibit.name) : "";
  if (exhibit.report) {
    body += fmt::format(
        "<section class=\"report\" aria-label=\"Animated report\">\n<iframe src=\"report.html#bare\" title=\"Animated "
        "report: {}\" "
        "loading=\"lazy\"></iframe>\n"
        "<p><a href=\"report.html\">The report on a page of its own</a>{}</p>\n</section>\n",
        xml_escaped(heading), touch);
  }
  body += "</div>\n";
  if (!exhibit.figures.empty()) {
    body += "<h2>Figures</h2>\n<div class=\"figures\">\n";
    for (const std::string& figure : exhibit.figures) {
      body += fmt::format(
          "<figure><a href=\"{0}\"><img src=\"{0}\" alt=\"{1} of the model {2}\" "
          "loading=\"lazy\"/></a><figcaption>{1}</figcaption></figure>\n",
          figure, caption(figure), xml_escaped(exhibit.name));
    }
    body += "</div>\n";
  }
  body += fmt::format(
      "<h2>The model</h2>\n<p><a href=\"model.toml\">model.toml</a></p>\n<pre "
      "tabindex=\"0\"><code>{}</code></pre>\n</main>\n",
      xml_escaped(exhibit.model));
  body += "<footer>zwang: mechanics with constraints by Gauss’s principle of least constraint</footer>\n";
  return page(heading + " · zwang", "../", body, exhibit.summary);
}

std::string listed_words(const std::set<std::string>& words) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : " ") + word;
  return out;
}

/// What the search looks at, in the element of a model.
std::string found_by(const Exhibit& exhibit) {
  std::string words = exhibit.name + " " + exhibit.heading + " " + exhibit.title + " " + exhibit.summary;
  for (char& c : words) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return fmt::format(" data-words=\"{}\" data-law=\"{}\" data-events=\"{}\"", xml_escaped(words),
                     listed_words(exhibit.laws), listed_words(exhibit.events));
}

std::string tags(const Exhibit& exhibit) {
  std::string out;
  for (const std::string& law : exhibit.laws) out += law == "straightest" ? "" : fmt::format("<span>{}</span>", law);
  for (const std::string& kind : exhibit.events) out += fmt::format("<span>{}</span>", kind);
  return out.empty() ? out : "<div class=\"tags\">" + out + "</div>";
}

std::string choice(const std::string& label, const std::string& name, const std::set<std::string>& values) {
  std::string out = fmt::format("<label>{}<select name=\"{}\"><option value=\"\">any</option>", label, name);
  for (const std::string& value : values) out += fmt::format("<option>{}</option>", value);
  return out + "</select></label>";
}

/// Hidden until the script is there.
std::string search_form(const std::vector<const Exhibit*>& first, const std::vector<const Exhibit*>& rest) {
  std::set<std::string> laws;
  std::set<std::string> events;
  for (const auto* list : {&first, &rest}) {
    for (const Exhibit* exhibit : *list) {
      laws.insert(exhibit->laws.begin(), exhibit->laws.end());
      events.insert(exhibit->events.begin(), exhibit->events.end());
    }
  }
  return "<form class=\"find\" role=\"search\" hidden=\"hidden\">\n<label>Search<input type=\"search\" "
         "name=\"words\"/></label>" +
         choice("Law", "law", laws) + choice("Event", "event", events) +
         "<output aria-live=\"polite\"></output>\n</form>\n";
}

std::string index_page(const std::vector<const Exhibit*>& first, const std::vector<const Exhibit*>& rest) {
  std::string body = fmt::format(
      "<header>\n<h1>Mechanics that pulls, holds, strikes and lets go</h1>\n<p>{} models, computed by zwang from "
      "Gauss’s principle of "
      "least constraint: strings that only pull, wheels that do not slip, walls that are struck and left again. Every "
      "page has the "
      "model’s text, its physics, figures, and an animated report that runs in the browser.</p>\n{}</header>\n<main "
      "id=\"content\">\n"
      "<h2>To begin with</h2>\n<ul class=\"cards\">\n",
      first.size() + rest.size(), search_form(first, rest));
  for (const Exhibit* exhibit : first) {
    body += fmt::format("<li class=\"card\"{}>", found_by(*exhibit));
    if (!exhibit->card.empty()) {
      body += fmt::format("<img src=\"{}/{}\" alt=\"\" loading=\"lazy\"/>", exhibit->name, exhibit->card);
    }
    body += fmt::format("<div><h3><a href=\"{}/index.html\">{}</a></h3><p>{}</p>{}</div></li>\n", exhibit->name,
                        xml_escaped(exhibit->heading), xml_escaped(exhibit->summary), tags(*exhibit));
  }
  body += "</ul>\n<h2>All the others</h2>\n<ul class=\"small\">\n";
  for (const Exhibit* exhibit : rest) {
    body += fmt::format("<li{}><a href=\"{}/index.html\">{}</a><span>{}</span>{}</li>\n", found_by(*exhibit),
                        exhibit->name, xml_escaped(exhibit->heading), xml_escaped(exhibit->title), tags(*exhibit));
  }
  body += fmt::format(
      "</ul>\n</main>\n<footer>Made by <code>zwang gallery --site</code>, version {}</footer>\n<script "
      "src=\"search.js\"></script>\n",
      version);
  return page("The gallery of zwang", "", body, "Mechanical systems with constraints, computed and animated");
}

}  // namespace

SiteAccount write_site(const std::string& folder, bool progress) {
  std::error_code code;
  fs::create_directories(folder, code);
  if (!fs::is_directory(folder)) {
    throw Error({folder, 0, 0}, "cannot make this folder");
  }
  write_file(fs::path(folder) / "style.css", style_sheet);
  write_file(fs::path(folder) / "search.js", search_script);
  const std::optional<std::string> live = live_page();
  if (live) write_file(fs::path(folder) / "live.html", *live);

  // Those to begin with first, then the others by name.
  std::vector<Exhibit> all = exhibits();
  std::vector<Exhibit*> order;
  for (const std::string_view name : featured) {
    const auto found = std::find_if(all.begin(), all.end(), [&](const Exhibit& one) { return one.name == name; });
    if (found != all.end()) {
      order.push_back(&*found);
    }
  }
  const std::size_t first = order.size();
  for (Exhibit& exhibit : all) {
    if (std::find(featured.begin(), featured.end(), exhibit.name) == featured.end()) {
      order.push_back(&exhibit);
    }
  }
  fs::remove(fs::path(folder) / script_of_reports, code);
  std::size_t number = 0;
  for (Exhibit* exhibit : order) {
    if (asked_to_end()) {
      return {"", number, false};
    }
    ++number;
    if (progress) {
      std::cerr << fmt::format("\r\x1b[K{} of {}  {}", number, order.size(), exhibit->name) << std::flush;
    }
    make(fs::path(folder) / exhibit->name, *exhibit);
  }
  if (progress) {
    std::cerr << "\r\x1b[K";
  }
  for (std::size_t k = 0; k < order.size(); ++k) {
    write_file(fs::path(folder) / order[k]->name / "index.html",
               model_page(*order[k], k > 0 ? order[k - 1] : nullptr, k + 1 < order.size() ? order[k + 1] : nullptr,
                          live.has_value()));
  }
  const auto middle = order.begin() + static_cast<std::ptrdiff_t>(first);
  const fs::path index = fs::path(folder) / "index.html";
  write_file(index, index_page({order.begin(), middle}, {middle, order.end()}));
  return {index.string(), order.size()};
}

}  // namespace zwang::cli
