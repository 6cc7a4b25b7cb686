/* Runs a tape of one float32 input and one float32 output: prints its text, then the output for the numbers given. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tape/capi.h"

static int fail(const char* what) {
  fprintf(stderr, "%s: %s\n", what, onetape_tape_error());
  return 1;
}

int main(int argc, char** argv) {
  onetape_tape* tape = NULL;
  if (argc < 2 || onetape_tape_load(argv[1], &tape) != 0) return fail("load");
  int32_t inputs = 0;
  int32_t outputs = 0;
  onetape_tape_counts(tape, &inputs, &outputs);
  onetape_tape_form in;
  onetape_tape_form out;
  if (inputs != 1 || outputs != 1) return 2;
  if (onetape_tape_input(tape, 0, &in) != 0 || onetape_tape_output(tape, 0, &out) != 0) return fail("form");
  if (onetape_tape_input(tape, 1, &in) == 0 || onetape_tape_output(tape, -1, &out) == 0) return 3;
  if (strcmp(in.dtype, "float32") != 0 || in.bytes != sizeof(float) * (size_t)(argc - 2)) return 4;
  float* x = malloc(in.bytes);
  float* y = malloc(out.bytes);
  for (int i = 2; i < argc; ++i) x[i - 2] = strtof(argv[i], NULL);
  for (int run = 0; run < 3; ++run) {
    const void* given[] = {x};
    void* taken[] = {y};
    if (onetape_tape_run(tape, given, taken) != 0) return fail("run");
  }
  char text[4096];
  if (onetape_tape_text(tape, text, sizeof text) >= sizeof text) return 5;
  printf("%s\n%s", onetape_tape_version(), text);
  for (size_t i = 0; i < out.bytes / sizeof(float); ++i) printf("%.9g\n", y[i]);
  const void* missing[] = {NULL};
  void* taken[] = {y};
  if (onetape_tape_run(tape, missing, taken) == 0 || strlen(onetape_tape_error()) == 0) return 6;
  onetape_tape* none = NULL;
  if (onetape_tape_load_bytes("not a tape", 10, &none) == 0 || none != NULL) return 7;
  onetape_tape_free(tape);
  onetape_tape_free(NULL);
  free(x);
  free(y);
  return 0;
}
