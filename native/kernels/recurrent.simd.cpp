#include "kernels/recurrent.h"

#include "kernels/pointwise_loops.h"
#include "kernels/vector_math.h"

namespace onetape {
namespace ONETAPE_LEVEL {
namespace {

/// Steps of all cells; loops go over one row at a time, whose parts then stay in the nearest cache.
template <typename T>
struct Cells {
  static T* row(char* data, int64_t i, int64_t n) { return reinterpret_cast<T*>(data) + i * n; }
  static const T* row(const char* data, int64_t i, int64_t n) {
    return reinterpret_cast<const T*>(data) + i * n;
  }

  template <typename F>
  static void activate(T* gates, const T* bias, int64_t n, F f) {
    if (bias) {
#pragma GCC ivdep
      for (int64_t j = 0; j < n; ++j) gates[j] = f(gates[j] + bias[j]);
    } else {
#pragma GCC ivdep
      for (int64_t j = 0; j < n; ++j) gates[j] = f(gates[j]);
    }
  }
  static const T* part(const T* data, int64_t at) { return data ? data + at : nullptr; }

  // ---- plain ----

  template <typename F>
  static void plain(const CellStep& s, F f) {
    const T* bias = reinterpret_cast<const T*>(s.bias);
    for (int64_t i = 0; i < s.rows; ++i) {
      T* gates = row(s.gates, i, s.hidden);
      activate(gates, bias, s.hidden, f);
      std::copy_n(gates, s.hidden, row(s.out, i, s.hidden));
    }
  }
  static void tanh(const CellStep& s) {
    plain(s, [](T a) { return vm::tanh(a); });
  }
  static void relu(const CellStep& s) {
    plain(s, [](T a) { return a < T(0) ? T(0) : a; });
  }
  static void tanh_backward(const CellStepBackward& s) {
    const int64_t n = s.rows * s.hidden;
    const T* out = row(s.out, 0, 0);
    const T* grad = row(s.grad_hidden, 0, 0);
    T* sums = row(s.grad_gates, 0, 0);
#pragma GCC ivdep
    for (int64_t j = 0; j < n; ++j) sums[j] = grad[j] * (T(1) - out[j] * out[j]);
  }
  static void relu_backward(const CellStepBackward& s) {
    const int64_t n = s.rows * s.hidden;
    const T* out = row(s.out, 0, 0);
    const T* grad = row(s.grad_hidden, 0, 0);
    T* sums = row(s.grad_gates, 0, 0);
#pragma GCC ivdep
    for (int64_t j = 0; j < n; ++j) sums[j] = out[j] > T(0) ? grad[j] : T(0);
  }

  // ---- LSTM ----

  static void lstm(const CellStep& s) {
    const int64_t n = s.hidden;
    const T* bias = reinterpret_cast<const T*>(s.bias);
    const auto sigmoid = [](T a) { return vm::sigmoid(a); };
    for (int64_t r = 0; r < s.rows; ++r) {
      T* gates = row(s.gates, r, 4 * n);
      activate(gates, bias, 2 * n, sigmoid);
      activate(gates + 2 * n, part(bias, 2 * n), n, [](T a) { return vm::tanh(a); });
      activate(gates + 3 * n, part(bias, 3 * n), n, sigmoid);
      const T* before = row(s.before, r, n);
      T* cell = row(s.cells, r, n);
      T* out = row(s.out, r, n);
#pragma GCC ivdep
      for (int64_t j = 0; j < n; ++j) {
        cell[j] = gates[n + j] * before[j] + gates[j] * gates[2 * n + j];
        out[j] = gates[3 * n + j] * vm::tanh(cell[j]);
      }
    }
  }
  static void lstm_backward(const CellStepBackward& s) {
    const int64_t n = s.hidden;
    for (int64_t r = 0; r < s.rows; ++r) {
      const T* gates = row(s.gates, r, 4 * n);
      const T* cell = row(s.cells, r, n);
      const T* before = row(s.before, r, n);
      const T* grad = row(s.grad_out, r, n);
      T* grad_cell = row(s.grad_cell, r, n);
      T* sums = row(s.grad_gates, r, 4 * n);
#pragma GCC ivdep
      for (int64_t j = 0; j < n; ++j) {
        const T in = gates[j];
        const T forget = gates[n + j];
        const T fresh = gates[2 * n + j];
        const T open = gates[3 * n + j];
        const T shown = vm::tanh(cell[j]);
        const T along = grad_cell[j] + grad[j] * open * (T(1) - shown * shown);
        sums[j] = along * fresh * in * (T(1) - in);
        sums[n + j] = along * before[j] * forget * (T(1) - forget);
        sums[2 * n + j] = along * in * (T(1) - fresh * fresh);
        sums[3 * n + j] = grad[j] * shown * open * (T(1) - open);
        grad_cell[j] = along * forget;
      }
    }
  }

  // ---- GRU ----

  static void gru(const CellStep& s) {
    const int64_t n = s.hidden;
    const T* bias = reinterpret_cast<const T*>(s.bias);
    const T* state_bias = reinterpret_cast<const T*>(s.state_bias);
    for (int64_t r = 0; r < s.rows; ++r) {
      T* gates = row(s.gates, r, 3 * n);
      const T* products = row(s.products, r, 3 * n);
      const T* before = row(s.before, r, n);
      T* kept = row(s.cells, r, n);
      T* out = row(s.out, r, n);
      for (int64_t j = 0; state_bias && j < 2 * n; ++j) gates[j] += state_bias[j];
#pragma GCC ivdep
      for (int64_t j = 0; j < 2 * n; ++j) gates[j] += products[j];
      activate(gates, bias, 2 * n, [](T a) { return vm::sigmoid(a); });
      std::copy_n(products + 2 * n, n, kept);
      for (int64_t j = 0; state_bias && j < n; ++j) kept[j] += state_bias[2 * n + j];
#pragma GCC ivdep
      for (int64_t j = 0; j < n; ++j) gates[2 * n + j] += gates[j] * kept[j];
      activate(gates + 2 * n, part(bias, 2 * n), n, [](T a) { return vm::tanh(a); });
#pragma GCC ivdep
      for (int64_t j = 0; j < n; ++j) {
        const T fresh = gates[2 * n + j];
        out[j] = fresh + gates[n + j] * (before[j] - fresh);
      }
    }
  }
  static void gru_backward(const CellStepBackward& s) {
    const int64_t n = s.hidden;
    for (int64_t r = 0; r < s.rows; ++r) {
      const T* gates = row(s.gates, r, 3 * n);
      const T* kept = row(s.cells, r, n);
      const T* before = row(s.before, r, n);
      T* grad = row(s.grad_hidden, r, n);
      T* sums = row(s.grad_gates, r, 3 * n);
      T* products = row(s.grad_products, r, 3 * n);
#pragma GCC ivdep
      for (int64_t j = 0; j < n; ++j) {
        const T reset = gates[j];
        const T update = gates[n + j];
        const T fresh = gates[2 * n + j];
        const T candidate = grad[j] * (T(1) - update) * (T(1) - fresh * fresh);
        const T of_reset = candidate * kept[j] * reset * (T(1) - reset);
        const T of_update = grad[j] * (before[j] - fresh) * update * (T(1) - update);
        sums[j] = of_reset;
        products[j] = of_reset;
        sums[n + j] = of_update;
        products[n + j] = of_update;
        sums[2 * n + j] = candidate;
        products[2 * n + j] = candidate * reset;
        grad[j] *= update;
      }
    }
  }
};

template <typename F>
bool add(const char* name, F single, F twice) {
  return register_loop(kLevel, name, DType::F32, as_loop(single)) &&
         register_loop(kLevel, name, DType::F64, as_loop(twice));
}

[[maybe_unused]] const bool registered =
    add("rnn_tanh_cell", &Cells<float>::tanh, &Cells<double>::tanh) &&
    add("rnn_relu_cell", &Cells<float>::relu, &Cells<double>::relu) &&
    add("lstm_cell", &Cells<float>::lstm, &Cells<double>::lstm) &&
    add("gru_cell", &Cells<float>::gru, &Cells<double>::gru) &&
    add("rnn_tanh_cell_backward", &Cells<float>::tanh_backward, &Cells<double>::tanh_backward) &&
    add("rnn_relu_cell_backward", &Cells<float>::relu_backward, &Cells<double>::relu_backward) &&
    add("lstm_cell_backward", &Cells<float>::lstm_backward, &Cells<double>::lstm_backward) &&
    add("gru_cell_backward", &Cells<float>::gru_backward, &Cells<double>::gru_backward);

}  // namespace
}  // namespace ONETAPE_LEVEL
}  // namespace onetape
