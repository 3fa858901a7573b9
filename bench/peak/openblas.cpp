#include "peak/peers.h"

#ifdef TESSERA_HAS_OPENBLAS

#include <cblas.h>
#include <memory>

namespace tessera::bench {
namespace {

struct Gemm {
  Matmul size;
  HostBuffer a, b, c;

  void run() {
    const auto m = static_cast<int>(size.m), n = static_cast<int>(size.n),
               k = static_cast<int>(size.k);
    const int b_stride = size.is_b_transposed ? k : n;
    const CBLAS_TRANSPOSE b_order = size.is_b_transposed ? CblasTrans : CblasNoTrans;
    for (std::int64_t batch = 0; batch < size.batch; ++batch) {
      const float* left = a.as<float>().data() + batch * m * k;
      const float* right = b.as<float>().data() + batch * k * n;
      float* out = c.as<float>().data() + batch * m * n;
      if (m == 1 && !size.is_b_transposed)
        cblas_sgemv(CblasRowMajor, CblasTrans, k, n, 1, right, n, left, 1, 0, out, 1);
      else
        cblas_sgemm(CblasRowMajor, CblasNoTrans, b_order, m, n, k, 1, left, k, right, b_stride, 0,
                    out, n);
    }
  }
};

}  // namespace

std::optional<Peer> openblas_peer(const Case& c, std::span<const HostBuffer> operands,
                                  std::int64_t threads) {
  const auto* size = std::get_if<Matmul>(&c.work);
  if (size == nullptr) return std::nullopt;
  openblas_set_num_threads(static_cast<int>(threads));
  const auto gemm = std::make_shared<Gemm>(*size, operands[0].copy(), operands[1].copy(),
                                           HostBuffer(DType::F32, size->batch * size->m * size->n));
  return Peer{[gemm] { gemm->run(); }, [gemm] { return gemm->c.copy(); }, openblas_get_corename()};
}

std::string openblas_version() {
  const std::string text = openblas_get_config();  // `OpenBLAS 0.3.21 DYNAMIC_ARCH ..`
  const std::size_t start = text.find(' ') + 1;
  return text.substr(start, text.find(' ', start) - start);
}

}  // namespace tessera::bench

#else

namespace tessera::bench {

std::optional<Peer> openblas_peer(const Case&, std::span<const HostBuffer>, std::int64_t) {
  return std::nullopt;
}

std::string openblas_version() { return "absent"; }

}  // namespace tessera::bench

#endif
