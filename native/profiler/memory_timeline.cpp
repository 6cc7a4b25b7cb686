// Memory of elements over time, by what took it.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <sstream>
#include <unordered_map>

#include "autograd/graph_export.h"
#include "profiler/profile.h"

namespace onetape::profiler {
namespace {

enum Taker : uint8_t { Before, Forward, Backward, Optimizer, Other, kTakers };
constexpr std::array<const char*, kTakers> kNames = {"before the profile", "operators", "backward",
                                                     "optimizer", "outside of operators"};
constexpr std::array<const char*, kTakers> kColours = {"#9ca3af", "#2563eb", "#f59e0b", "#16a34a", "#a855f7"};
using Sizes = std::array<int64_t, kTakers>;

struct Point {
  int64_t time;
  Sizes sizes;
  int64_t total() const {
    int64_t sum = 0;
    for (const int64_t size : sizes) sum += size;
    return sum;
  }
};

Taker taker_of(const Profile& profile, int64_t number) {
  Taker taker = Other;
  for (; number != Event::kNone; number = profile.events[static_cast<size_t>(number)].parent) {
    const Event& event = profile.events[static_cast<size_t>(number)];
    if (event.kind == SpanKind::Backward) return Backward;
    if (std::string_view(event.name) == "aten::optimizer_step") return Optimizer;
    if (event.kind == SpanKind::Operator) taker = Forward;
  }
  return taker;
}

std::vector<Point> points_of(const Profile& profile) {
  std::vector<Point> points = {{profile.start, {profile.memory_before}}};
  std::unordered_map<int64_t, Taker> takers;  // of the blocks at these addresses
  Sizes sizes = points.front().sizes;
  for (const MemoryChange& change : profile.memory) {
    Taker taker = Before;
    if (change.bytes > 0) {
      taker = taker_of(profile, change.event);
      takers[change.address] = taker;
    } else if (const auto found = takers.find(change.address); found != takers.end()) {
      taker = found->second;
      takers.erase(found);
    }
    sizes[taker] += change.bytes;
    points.push_back({change.time, sizes});
  }
  points.push_back({profile.end, sizes});
  return points;
}

std::string bytes_text(double bytes) {
  static constexpr const char* kUnits[] = {"B", "KB", "MB", "GB", "TB"};
  size_t unit = 0;
  for (; bytes >= 1024 && unit + 1 < std::size(kUnits); ++unit) bytes /= 1024;
  char text[32];
  std::snprintf(text, sizeof text, "%.4g %s", bytes, kUnits[unit]);
  return text;
}

std::string time_text(double nanoseconds) {
  static constexpr const char* kUnits[] = {"ns", "µs", "ms", "s"};
  size_t unit = 0;
  for (; nanoseconds >= 1000 && unit + 1 < std::size(kUnits); ++unit) nanoseconds /= 1000;
  char text[32];
  std::snprintf(text, sizeof text, "%.4g %s", nanoseconds, kUnits[unit]);
  return text;
}

/// 1, 2 or 5 times a power of `base`'s steps, so that up to five lines fit below `most`.
double line_distance(double most, double base) {
  if (most <= 0) return 1;
  double unit = 1;
  while (unit * base <= most) unit *= base;
  double ten = unit;
  while (ten * 10 <= most) ten *= 10;
  for (const double step : {0.1, 0.2, 0.5, 1.0, 2.0, 5.0}) {
    if (most / (ten * step) <= 5) return ten * step;
  }
  return ten * 10;
}

class Drawing {
 public:
  Drawing(const Profile& profile, std::string_view title) : points_(points_of(profile)), title_(title) {
    for (const Point& point : points_) most_ = std::max(most_, static_cast<double>(point.total()));
    span_ = std::max<double>(1, static_cast<double>(profile.end - profile.start));
  }

  std::string svg() {
    out_ << "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" << kWidth << "\" height=\"" << kHeight
         << "\" viewBox=\"0 0 " << kWidth << ' ' << kHeight
         << "\" font-family=\"sans-serif\" font-size=\"12\">\n"
         << "<title>" << escaped_xml(title_)
         << "</title>\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n"
         << "<text x=\"" << kLeft << "\" y=\"22\" font-size=\"15\" fill=\"#111827\">" << escaped_xml(title_)
         << "</text>\n";
    draw_lines();
    draw_areas();
    draw_peak();
    draw_legend();
    out_ << "</svg>\n";
    return out_.str();
  }

 private:
  static constexpr double kWidth = 960, kHeight = 420, kLeft = 80, kRight = 940, kTop = 40, kBottom = 340;

  double x(int64_t time) const {
    return kLeft + (kRight - kLeft) * static_cast<double>(time - points_.front().time) / span_;
  }
  double y(double bytes) const {
    return kBottom - (kBottom - kTop) * (most_ > 0 ? bytes / (most_ * 1.05) : 0);
  }

  void draw_lines() {
    const double step = line_distance(most_, 1024);
    for (double at = 0; at <= most_ && most_ > 0; at += step) {
      out_ << "<path d=\"M" << kLeft << ' ' << y(at) << " H" << kRight << "\" stroke=\"#e5e7eb\"/><text x=\""
           << kLeft - 6 << "\" y=\"" << y(at) + 4 << "\" text-anchor=\"end\" fill=\"#4b5563\">"
           << bytes_text(at) << "</text>\n";
    }
    const double tick = line_distance(span_, 1000);
    for (double at = 0; at <= span_; at += tick) {
      const double place = kLeft + (kRight - kLeft) * at / span_;
      out_ << "<path d=\"M" << place << ' ' << kBottom << " v5\" stroke=\"#6b7280\"/><text x=\"" << place
           << "\" y=\"" << kBottom + 18 << "\" text-anchor=\"middle\" fill=\"#4b5563\">" << time_text(at)
           << "</text>\n";
    }
  }

  /// Of the points that share a pixel's half, the highest stays.
  std::vector<Point> seen_points() const {
    std::vector<Point> seen;
    double last = -1;
    for (const Point& point : points_) {
      const double place = std::floor(x(point.time) * 2);
      if (seen.empty() || place != last) {
        seen.push_back(point);
      } else if (point.total() >= seen.back().total()) {
        seen.back().sizes = point.sizes;
      }
      last = place;
    }
    seen.back().sizes = points_.back().sizes;
    return seen;
  }

  void draw_areas() {
    const std::vector<Point> seen = seen_points();
    std::vector<double> floor(seen.size(), 0);
    for (size_t taker = 0; taker < kTakers; ++taker) {
      std::ostringstream top, back;
      for (size_t i = 0; i < seen.size(); ++i) {
        const double height = floor[i] + static_cast<double>(seen[i].sizes[taker]);
        if (i > 0) top << 'H' << x(seen[i].time);  // it stays what it was until it changes
        top << (i > 0 ? 'V' : ' ') << y(height);
      }
      for (size_t i = seen.size(); i-- > 0;) {
        back << 'V' << y(floor[i]);
        if (i > 0) back << 'H' << x(seen[i].time);
      }
      out_ << "<path d=\"M" << x(seen.front().time) << top.str() << back.str() << "Z\" fill=\""
           << kColours[taker] << "\" fill-opacity=\".75\"/>\n";
      for (size_t i = 0; i < seen.size(); ++i) floor[i] += static_cast<double>(seen[i].sizes[taker]);
    }
  }

  void draw_peak() {
    const auto peak = std::ranges::max_element(points_, {}, &Point::total);
    const double place = x(peak->time);
    const bool right = place > (kLeft + kRight) / 2;
    out_ << "<path d=\"M" << place << ' ' << kTop << " V" << kBottom
         << "\" stroke=\"#b91c1c\" stroke-dasharray=\"3 3\"/>"
         << "<text x=\"" << place + (right ? -6 : 6) << "\" y=\"" << kTop + 10 << "\" text-anchor=\""
         << (right ? "end" : "start") << "\" fill=\"#b91c1c\">peak "
         << bytes_text(static_cast<double>(peak->total())) << "</text>\n";
  }

  void draw_legend() {
    double place = kLeft;
    for (size_t taker = 0; taker < kTakers; ++taker) {
      out_ << "<rect x=\"" << place << "\" y=\"376\" width=\"12\" height=\"12\" fill=\"" << kColours[taker]
           << "\" fill-opacity=\".75\"/><text x=\"" << place + 18 << "\" y=\"387\" fill=\"#111827\">"
           << kNames[taker] << "</text>\n";
      place += 170;
    }
  }

  std::vector<Point> points_;
  std::string title_;
  std::ostringstream out_;
  double most_ = 0;
  double span_ = 1;
};

}  // namespace

std::string memory_svg(const Profile& profile, std::string_view title) {
  return Drawing(profile, title).svg();
}

std::string memory_json(const Profile& profile) {
  std::string times, sizes, names;
  for (const Point& point : points_of(profile)) {
    times += (times.empty() ? "" : ",") + std::to_string(point.time - profile.start);
    std::string all;
    for (const int64_t size : point.sizes) all += (all.empty() ? "" : ",") + std::to_string(size);
    sizes += (sizes.empty() ? "[" : ",[") + all + "]";
  }
  for (const char* name : kNames) names += (names.empty() ? "" : ",") + json_text(name);
  return "[[" + times + "],[" + sizes + "],[" + names + "]]\n";
}

}  // namespace onetape::profiler
