/* Runs a package on elements from files: run MODEL INPUT.. OUTPUT.. */

#include <stdio.h>
#include <stdlib.h>
#include <tessera_runtime.h>

static void fail(const char* subject, const char* reason) {
  fprintf(stderr, "%s: %s\n", subject, reason);
  exit(1);
}

/* Memory aligned to 64 bytes is used without a copy. */
static void* allocate(size_t size_bytes) {
  void* memory = aligned_alloc(64, (size_bytes + 63) / 64 * 64);
  if (memory == NULL) fail("run", "out of memory");
  return memory;
}

static void describe(const char* kind, tessera_port port) {
  printf("%s %s: type %d, shape [", kind, port.name, port.element_type);
  for (size_t i = 0; i < port.rank; ++i)
    printf(i == 0 ? "%lld" : ", %lld", (long long)port.shape[i]);
  printf("], %zu bytes\n", port.size_bytes);
}

static void* read_elements(const char* path, size_t size_bytes) {
  void* memory = allocate(size_bytes);
  FILE* file = fopen(path, "rb");
  if (file == NULL) fail(path, "cannot be read");
  if (fread(memory, 1, size_bytes, file) != size_bytes) fail(path, "too short");
  fclose(file);
  return memory;
}

static void write_elements(const char* path, const void* memory, size_t size_bytes) {
  FILE* file = fopen(path, "wb");
  if (file == NULL || fwrite(memory, 1, size_bytes, file) != size_bytes || fclose(file) != 0)
    fail(path, "cannot be written");
}

int main(int count, char** arguments) {
  if (count < 2) fail("run", "expected MODEL INPUT.. OUTPUT..");
  tessera_package* package = tessera_package_open(arguments[1]);
  if (package == NULL) fail("run", tessera_last_error());

  const size_t input_count = tessera_input_count(package);
  const size_t output_count = tessera_output_count(package);
  for (size_t i = 0; i < input_count; ++i) describe("input", tessera_input(package, i));
  for (size_t i = 0; i < output_count; ++i) describe("output", tessera_output(package, i));
  if ((size_t)count != 2 + input_count + output_count)
    fail(arguments[1], "expected one file for each input and output");

  tessera_session* session = tessera_session_create(package, 0);
  if (session == NULL) fail(arguments[1], tessera_last_error());
  void** inputs = allocate(input_count * sizeof(void*));
  void** outputs = allocate(output_count * sizeof(void*));
  for (size_t i = 0; i < input_count; ++i)
    inputs[i] = read_elements(arguments[2 + i], tessera_input(package, i).size_bytes);
  for (size_t i = 0; i < output_count; ++i)
    outputs[i] = allocate(tessera_output(package, i).size_bytes);

  if (tessera_session_run(session, (const void* const*)inputs, input_count, outputs, output_count))
    fail(arguments[1], tessera_last_error());
  for (size_t i = 0; i < output_count; ++i)
    write_elements(arguments[2 + input_count + i], outputs[i],
                   tessera_output(package, i).size_bytes);

  for (size_t i = 0; i < input_count; ++i) free(inputs[i]);
  for (size_t i = 0; i < output_count; ++i) free(outputs[i]);
  free(inputs);
  free(outputs);
  tessera_session_destroy(session);
  tessera_package_close(package);
  return 0;
}
