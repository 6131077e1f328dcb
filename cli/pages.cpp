/// Reports and figures as files, and the way to a browser.
#include "pages.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <new>
#include <optional>
#include <thread>

#include "recorded.hpp"
#include "terminal.hpp"
#include "zwang/error.hpp"
#include "zwang/report/figures.hpp"
#include "zwang/report/whole_file.hpp"

namespace zwang::cli {

namespace {

/// Words of a command between blanks.
std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    if (end > at) {
      out.push_back(text.substr(at, end - at));
    }
    at = end + 1;
  }
  return out;
}

std::string url_of(const std::string& file) {
  std::string out = "file://";
  for (const char c : std::filesystem::absolute(file).lexically_normal().string()) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = (byte >= '0' && byte <= '9') || (byte >= 'A' && byte <= 'Z') || (byte >= 'a' && byte <= 'z') ||
                       std::strchr("/-._~", c) != nullptr;
    out += plain ? std::string(1, c) : fmt::format("%{:02X}", byte);
  }
  return out;
}

/// Starts a program that lives on by itself. True unless it fails within a moment; one that runs on is a browser.
bool start(const std::vector<std::string>& command) {
  std::vector<std::string> words = command;
  std::vector<char*> pointers;
  for (std::string& word : words) {
    pointers.push_back(word.data());
  }
  pointers.push_back(nullptr);
  const pid_t child = fork();
  if (child < 0) {
    return false;
  }
  if (child == 0) {
    setsid();
    const int nothing = open("/dev/null", O_RDWR);
    dup2(nothing, 0);
    dup2(nothing, 1);
    dup2(nothing, 2);
    execvp(pointers[0], pointers.data());
    _exit(127);
  }
  for (int tenth = 0; tenth < 20; ++tenth) {
    int status = 0;
    if (waitpid(child, &status, WNOHANG) == child) {
      return WIFEXITED(status) && WEXITSTATUS(status) == 0;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  return true;
}

bool is_set(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0';
}

}  // namespace

void write_report(const std::string& file, std::span<const report::PageRun> runs, const report::PageOptions& options) {
  std::error_code ignored;
  if (const std::filesystem::path above = std::filesystem::path(file).parent_path(); !above.empty()) {
    std::filesystem::create_directories(above, ignored);
  }
  report::WholeFile whole(file);
  (void)report::write_page(runs, options, [&](std::string_view text) { whole.put(text); });
  whole.finish();
}

void leave_report(const std::string& file, std::span<const report::PageRun> runs, std::vector<std::string>& files,
                  const report::PageOptions& options) {
  try {
    write_report(file, runs, options);
    files.push_back(file);
  } catch (const Interrupted&) {
    throw;
  } catch (const std::bad_alloc&) {
    lose("no report was written: there is not enough memory; the run itself is kept");
  } catch (const std::exception& trouble) {
    lose(fmt::format("no report was written: {}; the run itself is kept", trouble.what()));
  }
}

std::string report_name(const std::string& run_file) {
  return std::filesystem::path(run_file).replace_extension(".html").string();
}

std::vector<std::string> write_figures(const std::string& projection, const model::Model& model,
                                       const runs::Store& store) {
  const std::optional<report::Projection> from = report::read_projection(projection);
  const std::filesystem::path base = std::filesystem::path(store.path()).replace_extension();
  std::vector<std::string> files;
  for (const report::Figure& figure :
       report::figures(model, shown_view(model, store), from.value_or(report::Projection{}))) {
    const std::string name = fmt::format("{}-{}.svg", base.string(), figure.name);
    report::write_whole(name, figure.svg);
    files.push_back(name);
  }
  return files;
}

bool open_in_browser(const std::string& file) {
  const std::string url = url_of(file);

  // $BROWSER is a list between colons; a command may say with %s where the address goes.
  if (const char* browsers = std::getenv("BROWSER"); browsers != nullptr) {
    const std::string list = browsers;
    for (std::size_t at = 0; at <= list.size();) {
      const std::size_t end = std::min(list.find(':', at), list.size());
      std::vector<std::string> command = words_of(list.substr(at, end - at));
      at = end + 1;
      if (command.empty()) {
        continue;
      }
      bool placed = false;
      for (std::string& word : command) {
        if (const std::size_t sign = word.find("%s"); sign != std::string::npos) {
          word.replace(sign, 2, url);
          placed = true;
        }
      }
      if (!placed) {
        command.push_back(url);
      }
      if (start(command)) {
        return true;
      }
    }
  }

  // What the system offers, where there is a screen to show it on.
#ifdef __APPLE__
  return start({"open", url});
#else
  if (is_set("WSL_DISTRO_NAME") && start({"wslview", std::filesystem::absolute(file).string()})) {
    return true;
  }
  if (!is_set("DISPLAY") && !is_set("WAYLAND_DISPLAY")) {
    return false;
  }
  for (const char* opener : {"xdg-open", "sensible-browser", "firefox", "chromium", "google-chrome"}) {
    if (start({opener, url})) {
      return true;
    }
  }
  return false;
#endif
}

}  // namespace zwang::cli
