/* Runs the package given and prints the most memory in KiB that the process had, ports excluded. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tessera_runtime.h>

static void* zeros(size_t size_bytes) {
  void* memory = aligned_alloc(64, (size_bytes + 63) / 64 * 64);
  memset(memory, 0, size_bytes);
  return memory;
}

int main(int count, char** arguments) {
  tessera_package* package = count == 2 ? tessera_package_open(arguments[1]) : NULL;
  tessera_session* session = package == NULL ? NULL : tessera_session_create(package, 2);
  if (session == NULL) return 1;
  const tessera_port in = tessera_input(package, 0), out = tessera_output(package, 0);
  const void* input = zeros(in.size_bytes);
  void* output = zeros(out.size_bytes);
  for (int run = 0; run < 3; ++run)
    if (tessera_session_run(session, &input, 1, &output, 1) != 0) return 1;
  FILE* status = fopen("/proc/self/status", "r");
  char line[256];
  long kib = 0;
  while (fgets(line, sizeof line, status) != NULL)
    if (sscanf(line, "VmHWM: %ld", &kib) == 1) break;
  printf("%ld\n", kib - (long)((in.size_bytes + out.size_bytes) / 1024));
  return 0;
}
