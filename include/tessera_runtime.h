/* Runs networks that `tessera compile` has made into packages. Plain C; link with
 * -ltessera_runtime. Nothing of the compiler is needed.
 *
 * A package is code: open only those of people you trust.
 *
 * Functions that can fail say so by NULL or by a number other than 0, and then
 * tessera_last_error() tells the reason. All functions may be called from several threads. */

#ifndef TESSERA_RUNTIME_H
#define TESSERA_RUNTIME_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tessera_package tessera_package;
typedef struct tessera_session tessera_session;

/* What an element of an input or output is. The numbers are those of ONNX. */
typedef enum tessera_element_type {
  TESSERA_FLOAT = 1,
  TESSERA_UINT8 = 2,
  TESSERA_INT8 = 3,
  TESSERA_UINT16 = 4,
  TESSERA_INT16 = 5,
  TESSERA_INT32 = 6,
  TESSERA_INT64 = 7,
  TESSERA_BOOL = 9, /* one byte, 0 or not */
  TESSERA_FLOAT16 = 10,
  TESSERA_DOUBLE = 11,
  TESSERA_UINT32 = 12,
  TESSERA_UINT64 = 13,
  TESSERA_BFLOAT16 = 16
} tessera_element_type;

/* An input or output of a network. Pointers are valid until the package is closed. */
typedef struct tessera_port {
  const char* name;
  tessera_element_type element_type;
  size_t rank;
  const int64_t* shape; /* `rank` extents */
  size_t size_bytes;    /* of all elements */
} tessera_port;

/* "0.1.0" */
const char* tessera_version(void);

/* Why the last call of this thread that failed did so: one line. Valid until the next such call. */
const char* tessera_last_error(void);

/* NULL when the file is no package, damaged, or made for another machine. It may be replaced by
 * another file while it is open, but not be written to. */
tessera_package* tessera_package_open(const char* path);

/* Sessions of the package go on. NULL is allowed. */
void tessera_package_close(tessera_package* package);

/* The name of the network. Valid until the package is closed. */
const char* tessera_package_name(const tessera_package* package);

size_t tessera_input_count(const tessera_package* package);
size_t tessera_output_count(const tessera_package* package);

/* A port with the name NULL when there is none of this number. */
tessera_port tessera_input(const tessera_package* package, size_t number);
tessera_port tessera_output(const tessera_package* package, size_t number);

/* Memory and threads to run a package. All sessions of a package share its weights and run beside
 * each other. `threads` counts the thread that calls tessera_session_run; 0 means all cores. NULL
 * when there is not enough memory. */
tessera_session* tessera_session_create(const tessera_package* package, int threads);

/* NULL is allowed. */
void tessera_session_destroy(tessera_session* session);

/* Computes the outputs of the inputs. Each pointer leads to the elements of a port in row-major
 * order; those aligned to 64 bytes are used without a copy. Outputs must overlap neither inputs nor
 * each other. 0 on success. Calls of one session wait for each other. */
int tessera_session_run(tessera_session* session, const void* const* inputs, size_t input_count,
                        void* const* outputs, size_t output_count);

#ifdef __cplusplus
}
#endif

#endif
