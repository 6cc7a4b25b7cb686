// Do the ranks train the same model?

#include "distributed/group_error.h"
#include "distributed/places.h"
#include "distributed/reducer.h"

namespace onetape::distributed {
namespace {

Tensor gathered(ProcessGroup& group, const std::vector<int64_t>& own) {
  const auto count = static_cast<int64_t>(own.size());
  const Tensor in = Tensor::empty(IntSpan(&count, 1), DType::I64);
  std::copy(own.begin(), own.end(), in.data<int64_t>());
  const int64_t total = count * group.size();
  const Tensor out = Tensor::empty(IntSpan(&total, 1), DType::I64);
  const WorkRef work = group.all_gather_into(out, in);
  const ReadingPaused pause;
  work->wait();
  return out;
}

std::string shape_of(const int64_t* description) {
  std::string text = "[";
  for (int64_t d = 0; d < description[1]; ++d) text += (d ? ", " : "") + std::to_string(description[2 + d]);
  return text + "] of " + std::string(name_of(static_cast<DType>(description[0])));
}

}  // namespace

void verify_parameters(ProcessGroup& group, const std::vector<Tensor>& parameters) {
  // Each is described by its dtype, its number of dimensions, and its sizes.
  std::vector<int64_t> own;
  {
    const ReadingGeometry reading;
    for (const Tensor& parameter : parameters) {
      own.push_back(static_cast<int64_t>(parameter.dtype()));
      own.push_back(parameter.dim());
      for (const int64_t size : parameter.sizes()) own.push_back(size);
    }
  }
  const Tensor counts =
      gathered(group, {static_cast<int64_t>(parameters.size()), static_cast<int64_t>(own.size())});
  int64_t longest = 0;
  for (int rank = 0; rank < group.size(); ++rank) {
    const int64_t* count = counts.data<int64_t>() + static_cast<ptrdiff_t>(rank) * 2;
    check(count[0] == counts.data<int64_t>()[0], "DDP expects same model across all ranks, but Rank 0 has ",
          counts.data<int64_t>()[0], " params, while rank ", rank, " has inconsistent ", count[0],
          " params.");
    longest = std::max(longest, count[1]);
  }
  if (longest == 0) return;
  own.resize(static_cast<size_t>(longest));
  const Tensor all = gathered(group, own);
  for (int rank = 1; rank < group.size(); ++rank) {
    const int64_t* first = all.data<int64_t>();
    const int64_t* other = first + rank * longest;
    for (size_t i = 0; i < parameters.size(); ++i) {
      check(std::equal(first, first + 2 + first[1], other), "[", group.rank(), "]: params[", i,
            "] of rank 0 with sizes ", shape_of(first), " appears not to match that of rank ", rank,
            " with sizes ", shape_of(other), ".");
      first += 2 + first[1];
      other += 2 + other[1];
    }
  }
}

}  // namespace onetape::distributed
