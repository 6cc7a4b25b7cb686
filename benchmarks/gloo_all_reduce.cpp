// All-reduce of float32 by Gloo alone, for benchmarks/distributed.py: the same algorithm and connections,
// nothing around.
//
//   gloo_all_reduce FOLDER RANK SIZE ELEMENTS REPEATS    prints the best time in seconds

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <vector>

#include <gloo/allreduce.h>
#include <gloo/barrier.h>
#include <gloo/math.h>
#include <gloo/rendezvous/context.h>
#include <gloo/rendezvous/file_store.h>
#include <gloo/transport/tcp/device.h>

int main(int argc, char** argv) {
  if (argc != 6) return 2;
  gloo::rendezvous::FileStore store(argv[1]);
  std::shared_ptr<gloo::transport::Device> device = gloo::transport::tcp::CreateDevice("127.0.0.1");
  auto context = std::make_shared<gloo::rendezvous::Context>(std::atoi(argv[2]), std::atoi(argv[3]));
  context->connectFullMesh(store, device);
  std::vector<float> data(std::strtoul(argv[4], nullptr, 10), 1.0F);
  double best = 1e9;
  for (int i = 0; i < std::atoi(argv[5]); ++i) {
    gloo::BarrierOptions barrier(context);
    gloo::barrier(barrier);
    const auto begin = std::chrono::steady_clock::now();
    gloo::AllreduceOptions options(context);
    options.setOutput(data.data(), data.size());
    options.setReduceFunction(
        static_cast<void (*)(void*, const void*, const void*, size_t)>(&gloo::sum<float>));
    gloo::allreduce(options);
    best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
  std::printf("%.6f\n", best);
}
