// Runs the fuzzer's target once for each file that is named, without libFuzzer: for valgrind and for any compiler.

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int main(int count, char **names) {
  for (int i = 1; i < count; i++) {
    FILE *file = fopen(names[i], "rb");
    if (!file) {
      perror(names[i]);
      return 2;
    }
    uint8_t *data = malloc(1 << 16);
    size_t size = fread(data, 1, 1 << 16, file);
    fclose(file);
    LLVMFuzzerTestOneInput(data, size);
    free(data);
  }
  printf("%d inputs\n", count - 1);
  return 0;
}
