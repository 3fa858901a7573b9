#pragma once

#include <stdint.h>

/* What generated code and its caller agree on. Plain C, so that a package can be loaded by
 * anything. */

#ifdef __cplusplus
extern "C" {
#endif

/* Iterations [begin, end) of a parallel loop. `frame` is the loop's captured state, `scratch`
   memory of this thread alone, aligned to 64 bytes, of the size asked for by the loop. */
typedef void (*TesseraBody)(const void* frame, int64_t begin, int64_t end, void* scratch);

/* Runs `body` over [0, count), in any cut and order, possibly on several threads; returns when all
 * is done. */
typedef void (*TesseraParallel)(void* pool, TesseraBody body, const void* frame, int64_t count,
                                int64_t scratch_bytes);

typedef struct TesseraCall {
  void* const*
      buffers;     /* one per parameter, in the parameter's physical layout, aligned to 64 bytes; an
                      output may be an input that the kernel reads only where it writes */
  void* workspace; /* memory for the call, aligned to 64 bytes, of the kernel's workspace size */
  TesseraParallel parallel;
  void* pool; /* first argument of `parallel` */
} TesseraCall;

typedef void (*TesseraKernel)(const TesseraCall* call);

#ifdef __cplusplus
}
#endif
