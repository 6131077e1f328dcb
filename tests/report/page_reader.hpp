/// A page read again, as a browser would: unpacked, its blocks as numbers, its polynomials evaluated. And runs to make pages of.
#pragma once

#include <gtest/gtest.h>
#include <zlib.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "zwang/model/read.hpp"
#include "zwang/report/page.hpp"
#include "zwang/runs/record.hpp"

namespace page_reader {

using nlohmann::json;

inline std::string from_base64(const std::string& text) {
  std::array<int, 256> value{};
  value.fill(-1);
  const std::string letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (std::size_t k = 0; k < letters.size(); ++k) value[static_cast<unsigned char>(letters[k])] = static_cast<int>(k);
  std::string out;
  std::uint32_t bits = 0;
  int count = 0;
  for (const char c : text) {
    const int v = value[static_cast<unsigned char>(c)];
    if (v < 0) continue;
    bits = bits << 6U | static_cast<std::uint32_t>(v);
    count += 6;
    if (count >= 8) {
      count -= 8;
      out += static_cast<char>(bits >> static_cast<unsigned>(count) & 255U);
    }
  }
  return out;
}

inline std::string inflated(const std::string& packed) {
  std::string out;
  z_stream stream{};
  EXPECT_EQ(inflateInit(&stream), Z_OK);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  stream.avail_in = static_cast<uInt>(packed.size());
  std::vector<char> room(1U << 16U);
  int status = Z_OK;
  while (status == Z_OK) {
    stream.next_out = reinterpret_cast<Bytef*>(room.data());
    stream.avail_out = static_cast<uInt>(room.size());
    status = inflate(&stream, Z_NO_FLUSH);
    out.append(room.data(), room.size() - stream.avail_out);
  }
  EXPECT_EQ(status, Z_STREAM_END);
  inflateEnd(&stream);
  return out;
}

struct Page {
  json header;
  std::string blob;

  template <class T>
  [[nodiscard]] std::vector<double> read(std::size_t at, std::size_t count) const {
    EXPECT_EQ(at % 8, 0U);
    EXPECT_LE(at + count * sizeof(T), blob.size());
    std::vector<double> out;
    for (std::size_t k = 0; k < count; ++k) {
      T value;
      std::memcpy(&value, blob.data() + at + k * sizeof(T), sizeof(T));
      out.push_back(static_cast<double>(value));
    }
    return out;
  }
  [[nodiscard]] std::vector<double> numbers(const json& block) const {
    const std::string type = block.at("type");
    const std::size_t at = block.at("at");
    const std::size_t count = block.at("count");
    if (type == "f64") return read<double>(at, count);
    if (type == "f32") return read<float>(at, count);
    if (type == "u32") return read<std::uint32_t>(at, count);
    if (type == "u8") return read<std::uint8_t>(at, count);
    EXPECT_EQ(type, "u16");
    std::vector<double> out = read<std::uint16_t>(at, count);
    const double low = block.at("low");
    const double high = block.at("high");
    for (double& value : out) value = value == 65535 ? std::nan("") : low + (high - low) * value / 65534;
    return out;
  }

  [[nodiscard]] const json& run(std::size_t k = 0) const { return header.at("runs").at(k); }
};

/// The polynomials of one run.
class Tracks {
 public:
  explicit Tracks(const Page& page, std::size_t run = 0) {
    const json& pieces = page.run(run).at("pieces");
    start_ = page.numbers(pieces.at("start"));
    orders_ = page.numbers(pieces.at("orders"));
    coefficients_ = page.numbers(pieces.at("coefficients"));
    end = pieces.at("end");
    accuracy = pieces.at("accuracy");
    n = page.header.at("variables").size();
    std::size_t offset = 0;
    for (const double orders : orders_) {
      offset_.push_back(offset);
      offset += static_cast<std::size_t>(orders) * n;
    }
    EXPECT_EQ(offset, coefficients_.size());
  }
  [[nodiscard]] std::size_t pieces() const { return start_.size(); }

  /// Position and velocity of a variable; at a border those of the later piece.
  [[nodiscard]] std::array<double, 2> at(std::size_t variable, double time) const {
    std::size_t p = 0;
    std::size_t step = start_.size();
    while (step > 1) {
      const std::size_t half = step / 2;
      if (start_[p + half] <= time) p += half;
      step -= half;
    }
    const double s = time - start_[p];
    double x = 0;
    double v = 0;
    for (auto k = static_cast<std::size_t>(orders_[p]); k-- > 0;) {
      v = v * s + x;
      x = x * s + coefficients_[offset_[p] + k * n + variable];
    }
    return {x, v};
  }

  double end = 0;
  double accuracy = 0;
  std::size_t n = 0;

 private:
  std::vector<double> start_, orders_, coefficients_;
  std::vector<std::size_t> offset_;
};

inline Page read_page(const std::string& html) {
  const std::string opening = R"(<script id="zwang-data" type="text/plain">)";
  const std::size_t from = html.find(opening) + opening.size();
  EXPECT_NE(html.find(opening), std::string::npos);
  const std::string raw = inflated(from_base64(html.substr(from, html.find('<', from) - from)));
  EXPECT_EQ(raw.substr(0, 4), "ZWPG");
  std::uint32_t length = 0;
  std::memcpy(&length, raw.data() + 4, 4);
  EXPECT_EQ((8 + length) % 8, 0U);
  return {json::parse(raw.substr(8, length)), raw.substr(8 + length)};
}

/// A folder that goes away.
class Folder {
 public:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "zwang-page-XXXXXX").string();
    path_ = mkdtemp(name.data());
  }
  ~Folder() {
    std::error_code code;
    std::filesystem::remove_all(path_, code);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  [[nodiscard]] std::string file(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

/// A model with its run.
struct Recorded {
  zwang::model::Model model;
  zwang::runs::Store store;
};

inline Recorded make_run(const Folder& folder, const std::string& text, const zwang::model::Overrides& overrides = {},
                         std::uint64_t most_pieces = 1'000'000'000, const std::string& name = "run.sqlite") {
  zwang::model::Model model = zwang::model::load(text, "folder/model.toml", overrides);
  zwang::runs::Store store =
      zwang::runs::Store::create(folder.file(name), {"0.1.0", "folder/model.toml", text, overrides}, model);
  zwang::runs::Recording recording;
  recording.go_on = [&](const zwang::runs::Progress&) { return store.pieces() < most_pieces; };
  if (zwang::stepping::is_stepped(model)) {
    zwang::stepping::Stepping steps = zwang::runs::start_or_resume_steps(model, {}, store);
    zwang::runs::record(model, steps, store, recording);
  } else {
    zwang::motion::Motion motion = zwang::runs::start_or_resume(model, {}, store);
    zwang::runs::record(model, motion, store, recording);
  }
  return {std::move(model), std::move(store)};
}

inline constexpr std::string_view small_shell = "<!doctype html><title>shell</title><!--zwang:data--><p>after</p>";

struct Written {
  std::string html;
  zwang::report::PageAccount account;
};

inline Written write(std::span<const zwang::report::PageRun> runs, const zwang::report::PageOptions& options = {},
                     std::string_view shell = small_shell) {
  Written out;
  out.account = zwang::report::write_page_into(shell, runs, options, [&](std::string_view text) { out.html += text; });
  return out;
}

inline Written write(const Recorded& run, const zwang::report::PageOptions& options = {},
                     std::string_view shell = small_shell) {
  const zwang::report::PageRun one{&run.model, run.store.view(run.model), ""};
  return write({&one, 1}, options, shell);
}

}  // namespace page_reader
