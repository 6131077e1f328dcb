/// The data of a page before they are compressed: as many attempts as it takes to find what there is room for.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "zwang/report/pack.hpp"
#include "zwang/report/page.hpp"

namespace zwang::report {

struct PageDraft {
  std::string header;
  Blob blob;
  std::vector<std::string> notes;
};

/// What every attempt needs is found once. Runs and options must outlive it.
class PageDrafts {
 public:
  PageDrafts(std::span<const PageRun> runs, const PageOptions& options);
  ~PageDrafts();
  PageDrafts(const PageDrafts&) = delete;
  PageDrafts& operator=(const PageDrafts&) = delete;

  [[nodiscard]] std::uint64_t pieces() const;  ///< of all runs
  /// About so many bytes, uncompressed.
  [[nodiscard]] PageDraft make(std::uint64_t bytes);

 private:
  struct Inside;
  std::unique_ptr<Inside> inside_;
};

}  // namespace zwang::report
