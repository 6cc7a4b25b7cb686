// The table of a profile, column by column as PyTorch prints it.

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "profiler/profile.h"

namespace onetape::profiler {
namespace {

constexpr size_t kColumn = 12;
constexpr size_t kSpace = 2;

/// Characters, not bytes.
size_t length(std::string_view text) {
  return static_cast<size_t>(
      std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}
/// The first `count` characters.
std::string_view head(std::string_view text, size_t count) {
  size_t i = 0;
  for (size_t seen = 0; i < text.size(); ++i) {
    if ((static_cast<unsigned char>(text[i]) & 0xC0) != 0x80 && seen++ == count) break;
  }
  return text.substr(0, i);
}
std::string_view tail(std::string_view text, size_t count) {
  return text.substr(head(text, length(text) - count).size());
}

template <typename... A>
std::string printed(const char* format, A... values) {
  char text[64];
  std::snprintf(text, sizeof text, format, values...);
  return text;
}

std::string time_text(double microseconds, std::string_view unit) {
  constexpr double kSecond = 1e6, kMilli = 1e3;
  if (unit == "s" || (unit.empty() && microseconds >= kSecond))
    return printed("%.3fs", microseconds / kSecond);
  if (unit == "ms" || (unit.empty() && microseconds >= kMilli))
    return printed("%.3fms", microseconds / kMilli);
  return printed("%.3fus", microseconds);
}

std::string share_text(double part, double all) {
  return all == 0 ? "NaN" : printed("%.2f%%", part * 100.0 / all);
}

std::string memory_text(int64_t bytes) {
  constexpr double kKilo = 1024;
  const auto size = static_cast<double>(bytes);
  if (std::abs(size) >= kKilo * kKilo * kKilo) return printed("%.2f GB", size / (kKilo * kKilo * kKilo));
  if (std::abs(size) >= kKilo * kKilo) return printed("%.2f MB", size / (kKilo * kKilo));
  if (std::abs(size) >= kKilo) return printed("%.2f KB", size / kKilo);
  return std::to_string(bytes) + " B";
}

/// The end of a place in a source that is too long for its column.
std::string source_text(const std::string& place, size_t width) {
  if (length(place) <= width) return place;
  const std::string kept(tail(place, width));
  return width > 3 ? "..." + std::string(tail(kept, width - 3)) : kept;
}

size_t limited(size_t width, int64_t most) {
  return most < 0 ? width : std::min(width, static_cast<size_t>(most));
}

class Table {
 public:
  Table(std::span<const Row> rows, const TableOptions& options) : rows_(rows), options_(options) {
    for (const Row& row : rows) {
      total_ += row.self;
      names_ = std::max(names_, length(row.name) + 4);
      shapes_ = std::max(shapes_, length(row.shapes) + 4);
      has_shapes_ = has_shapes_ || !row.shapes.empty();
      for (const std::string& place : row.calls) sources_ = std::max(sources_, length(place) + 4);
    }
    names_ = limited(names_, options.name_width);
    shapes_ = limited(shapes_, options.shapes_width);
    if (sources_ > 0) sources_ = std::max<size_t>(limited(sources_, options.source_width), 1);
  }

  std::string text() {
    std::vector<std::string> titles = {"Name",        "Self CPU %", "Self CPU",
                                       "CPU total %", "CPU total",  "CPU time avg"};
    if (options_.with_memory) titles.insert(titles.end(), {"CPU Mem", "Self CPU Mem"});
    titles.emplace_back("# of Calls");
    set_widths(titles.size());
    if (has_shapes_) titles.emplace_back("Input Shapes");
    if (sources_ > 0) titles.emplace_back("Source Location");
    add_headings();
    add_rule();
    add_line(titles);
    add_rule();
    add_rows();
    add_rule();
    text_ += "Self CPU time total: " + time_text(total_, unit()) + '\n';
    return std::move(text_);
  }

 private:
  std::string_view unit() const {
    const std::string_view unit = options_.time_unit;
    return unit == "s" || unit == "ms" || unit == "us" ? unit : std::string_view();
  }

  void set_widths(size_t plain) {
    widths_.assign(plain, kColumn);
    widths_[0] = names_;
    if (has_shapes_) widths_.push_back(shapes_);
    if (sources_ > 0) widths_.push_back(sources_);
  }

  void add_headings() {
    size_t line = 0;
    for (const size_t width : widths_) line += width + kSpace;
    const std::string rule(line - kSpace, '=');
    if (options_.with_header) text_ += rule + '\n' + options_.header + '\n';
    if (options_.top_level_only) text_ += rule + "\nThis report only display top-level ops statistics\n";
  }

  void add_rule() {
    for (const size_t width : widths_) text_ += std::string(width, '-') + std::string(kSpace, ' ');
    text_ += '\n';
  }

  /// The sources stand left in their column, all else right.
  void add_line(const std::vector<std::string>& cells) {
    for (size_t i = 0; i < cells.size(); ++i) {
      const size_t used = length(cells[i]);
      const std::string space(widths_[i] > used ? widths_[i] - used : 0, ' ');
      const bool left = sources_ > 0 && i + 1 == widths_.size();
      text_ += left ? cells[i] + space : space + cells[i];
      text_ += std::string(kSpace, ' ');
    }
    text_ += '\n';
  }

  std::string name_text(const Row& row) const {
    if (options_.name_width < 0) return row.name;
    const auto most = static_cast<size_t>(std::max<int64_t>(options_.name_width - 3, 0));
    return length(row.name) >= most ? std::string(head(row.name, most)) + "..." : row.name;
  }

  void add_row(const Row& row) {
    std::vector<std::string> cells = {
        name_text(row),
        share_text(row.self, total_),
        time_text(row.self, unit()),
        share_text(row.total, total_),
        time_text(row.total, unit()),
        time_text(row.count == 0 ? 0 : row.total / static_cast<double>(row.count), unit()),
    };
    if (options_.with_memory) {
      cells.push_back(memory_text(row.memory));
      cells.push_back(memory_text(row.self_memory));
    }
    cells.push_back(std::to_string(row.count));
    if (has_shapes_) cells.emplace_back(head(row.shapes, shapes_));
    if (sources_ > 0) cells.push_back(row.calls.empty() ? "" : source_text(row.calls.front(), sources_));
    add_line(cells);
    if (sources_ == 0) return;
    std::vector<std::string> further(cells.size());
    for (size_t i = 1; i < row.calls.size(); ++i) {
      further.back() = source_text(row.calls[i], sources_);
      add_line(further);
    }
    further.back().clear();
    add_line(further);
  }

  void add_rows() {
    int64_t shown = 0;
    for (const Row& row : rows_) {
      if (shown == options_.row_limit) break;
      if (options_.top_level_only && !row.top_level) continue;
      ++shown;
      add_row(row);
    }
  }

  std::span<const Row> rows_;
  const TableOptions& options_;
  std::string text_;
  std::vector<size_t> widths_;
  double total_ = 0;
  size_t names_ = 0;
  size_t shapes_ = 0;
  size_t sources_ = 0;
  bool has_shapes_ = false;
};

}  // namespace

std::string table_text(std::span<const Row> rows, const TableOptions& options) {
  return rows.empty() ? std::string() : Table(rows, options).text();
}

}  // namespace onetape::profiler
