/// The page written: the viewer's shell with the data in it, compressed, within the bytes allowed.
#include <fmt/format.h>

#include <algorithm>

#include "zwang/error.hpp"
#include "zwang/report/page.hpp"
#include "zwang/report/page_draft.hpp"
#include "zwang/report/page_shell.hpp"

namespace zwang::report {

PageAccount write_page(std::span<const PageRun> runs, const PageOptions& options, const Sink& sink) {
  return write_page_into(page_shell(), runs, options, sink);
}

PageAccount write_page_into(std::string_view shell, std::span<const PageRun> runs, const PageOptions& options,
                            const Sink& sink) {
  const std::size_t marker = shell.find(page_marker);
  if (marker == std::string_view::npos) {
    throw Error({"page", 0, 0}, fmt::format("the shell of the page has no place for data: {} is missing", page_marker));
  }

  PageDrafts drafts(runs, options);
  constexpr std::uint64_t very_many_pieces = 200'000;
  // Compression is known only afterwards: begin with much and take less until it fits.
  constexpr std::string_view opening = R"(<script id="zwang-data" type="text/plain">)";
  constexpr std::string_view closing = "</script>";
  const std::uint64_t around = shell.size() - page_marker.size() + opening.size() + closing.size();
  const std::uint64_t room =
      std::max<std::uint64_t>(options.bytes > around ? (options.bytes - around) / 4 * 3 : 0, 1U << 15U);
  // A run of very many pieces is fitted again in any case, and such numbers keep three quarters of their size: every attempt reads all of it.
  double share = drafts.pieces() > very_many_pieces ? 1.35 : 2.2;
  PageDraft draft;
  std::string packed;
  bool fits = false;
  for (int attempt = 0; attempt < 6 && !fits; ++attempt) {
    draft = drafts.make(static_cast<std::uint64_t>(share * static_cast<double>(room)));
    packed = compress(bundle(draft.header, draft.blob));
    fits = packed.size() <= room;
    share *= std::clamp(0.95 * static_cast<double>(room) / static_cast<double>(packed.size()), 0.2, 0.9);
  }

  PageAccount account;
  account.notes = draft.notes;
  const auto pass = [&](std::string_view text) {
    account.bytes += text.size();
    sink(text);
  };
  pass(shell.substr(0, marker));
  pass(opening);
  pass(base64(packed));
  pass(closing);
  pass(shell.substr(marker + page_marker.size()));
  if (account.bytes > options.bytes) {
    const bool small = options.bytes < around + (1U << 15U);
    account.notes.push_back(
        fmt::format("The page has {} bytes, more than the {} it should have: {}.", account.bytes, options.bytes,
                    small ? fmt::format("without any data it has {}", around) : "there are too many points"));
  }
  return account;
}

}  // namespace zwang::report
