#include "ops.h"
#include "ops/composed.h"

namespace onetape::ops {
namespace {

void check_image(const char* op, const char* factor_name, const Tensor& self, int64_t factor) {
  check(self.dim() >= 3, op, " expects input to have at least 3 dimensions, but got input with ", self.dim(),
        " dimension(s)");
  check(factor > 0, op, " expects a positive ", factor_name, ", but got ", factor);
}

/// The sizes before channels, height and width.
Ints lead_of(const Tensor& self) { return Ints(self.sizes().first(static_cast<size_t>(self.dim()) - 3)); }

Ints with(Ints lead, std::initializer_list<int64_t> more) {
  for (const int64_t size : more) lead.push_back(size);
  return lead;
}

/// The leading dimensions as they are, then the given ones of those that follow.
Ints order_of(int64_t lead, std::initializer_list<int64_t> rest) {
  Ints order;
  for (int64_t d = 0; d < lead; ++d) order.push_back(d);
  for (const int64_t d : rest) order.push_back(lead + d);
  return order;
}

}  // namespace

// ---- pixel_shuffle ----
Tensor pixel_shuffle(Body, const Tensor& self, int64_t upscale_factor) {
  check_image("pixel_shuffle", "upscale_factor", self, upscale_factor);
  const int64_t r = upscale_factor;
  const auto lead = static_cast<size_t>(self.dim()) - 3;
  const int64_t channels = self.sizes()[lead];
  check(r <= INT32_MAX && channels % (r * r) == 0,
        "pixel_shuffle expects its input's 'channel' dimension to be divisible by the square of "
        "upscale_factor, but input.size(-3)=",
        channels, " is not divisible by ", r * r);
  const auto parts = [r, lead, channels](std::span<const Tensor> in) {
    const int64_t height = in[0].sizes()[lead + 1];
    const int64_t width = in[0].sizes()[lead + 2];
    const Ints before = lead_of(in[0]);
    const Tensor split = reshape(in[0], with(before, {channels / (r * r), r, r, height, width}));
    const Tensor turned = permute(split, order_of(static_cast<int64_t>(lead), {0, 3, 1, 4, 2}));
    return contiguous(reshape(turned, with(before, {channels / (r * r), height * r, width * r})));
  };
  return composed("PixelShuffleBackward0", std::array{self}, parts);
}

// ---- pixel_unshuffle ----
Tensor pixel_unshuffle(Body, const Tensor& self, int64_t downscale_factor) {
  check_image("pixel_unshuffle", "downscale_factor", self, downscale_factor);
  const int64_t r = downscale_factor;
  const auto lead = static_cast<size_t>(self.dim()) - 3;
  const int64_t height = self.sizes()[lead + 1];
  const int64_t width = self.sizes()[lead + 2];
  check(height % r == 0, "pixel_unshuffle expects height to be divisible by downscale_factor, but ",
        "input.size(-2)=", height, " is not divisible by ", r);
  check(width % r == 0, "pixel_unshuffle expects width to be divisible by downscale_factor, but ",
        "input.size(-1)=", width, " is not divisible by ", r);
  const auto parts = [r, lead, height, width](std::span<const Tensor> in) {
    const int64_t channels = in[0].sizes()[lead];
    const Ints before = lead_of(in[0]);
    const Tensor split = reshape(in[0], with(before, {channels, height / r, r, width / r, r}));
    const Tensor turned = permute(split, order_of(static_cast<int64_t>(lead), {0, 2, 4, 1, 3}));
    return contiguous(reshape(turned, with(before, {channels * r * r, height / r, width / r})));
  };
  return composed("PixelUnshuffleBackward0", std::array{self}, parts);
}

// ---- channel_shuffle ----
Tensor channel_shuffle(Body, const Tensor& self, int64_t groups) {
  check(self.dim() > 2, "channel_shuffle expects input with > 2 dims, but got input with sizes ",
        self.shape());
  check(groups > 0, "Number of groups to divide channels in must be positive. Value of groups:", groups);
  const int64_t channels = self.sizes()[1];
  check(channels % groups == 0, "Number of channels must be divisible by groups. Got ", channels,
        " channels and ", groups, " groups.");
  const auto parts = [groups, channels](std::span<const Tensor> in) {
    Ints sizes(in[0].sizes().first(1));
    sizes.push_back(groups);
    sizes.push_back(channels / groups);
    sizes.append(in[0].sizes().subspan(2));
    return contiguous(reshape(transpose(reshape(in[0], sizes), 1, 2), in[0].sizes()));
  };
  return composed("ChannelShuffleBackward0", std::array{self}, parts);
}

}  // namespace onetape::ops
