/* Runs the package given and prints the most memory in KiB that the process had, ports excluded. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tessera_runtime.h>

enum { most_ports = 256 };

static void* zeros(size_t size_bytes) {
  void* memory = aligned_alloc(64, (size_bytes + 64) / 64 * 64);
  memset(memory, 0, size_bytes);
  return memory;
}

static long peak_kib(void) {
  FILE* status = fopen("/proc/self/status", "r");
  char line[256];
  long kib = 0;
  while (fgets(line, sizeof line, status) != NULL)
    if (sscanf(line, "VmHWM: %ld", &kib) == 1) break;
  fclose(status);
  return kib;
}

int main(int count, char** arguments) {
  tessera_package* package = count == 2 ? tessera_package_open(arguments[1]) : NULL;
  tessera_session* session = package == NULL ? NULL : tessera_session_create(package, 2);
  if (session == NULL) return 1;
  const size_t inputs = tessera_input_count(package), outputs = tessera_output_count(package);
  if (inputs > most_ports || outputs > most_ports) return 1;
  const void* in[most_ports];
  void* out[most_ports];
  size_t port_bytes = 0;
  for (size_t n = 0; n < inputs; ++n) {
    in[n] = zeros(tessera_input(package, n).size_bytes);
    port_bytes += tessera_input(package, n).size_bytes;
  }
  for (size_t n = 0; n < outputs; ++n) {
    out[n] = zeros(tessera_output(package, n).size_bytes);
    port_bytes += tessera_output(package, n).size_bytes;
  }
  for (int run = 0; run < 3; ++run)
    if (tessera_session_run(session, in, inputs, out, outputs) != 0) return 1;
  printf("%ld\n", peak_kib() - (long)(port_bytes / 1024));
  return 0;
}
