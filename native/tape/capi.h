/* Runs tapes from any language that can call C.
 *
 * A function that can fail returns 0 where it did not; else onetape_tape_error() says why, in the calling
 * thread. Elements lie in memory row by row. One tape may be run by several threads at once. */
#ifndef ONETAPE_TAPE_CAPI_H
#define ONETAPE_TAPE_CAPI_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct onetape_tape onetape_tape; /* NOLINT(readability-identifier-naming): a name of C */

/* The most dimensions that a tensor has here. */
#define ONETAPE_TAPE_MAX_DIMS 64

/* The form of an input or output. */
typedef struct {
  char dtype[16]; /* "float32", … */
  int32_t dims;
  int64_t sizes[ONETAPE_TAPE_MAX_DIMS];
  size_t bytes; /* of all elements */
} onetape_tape_form;

/* The version of the library: "0.1.0". */
const char* onetape_tape_version(void);
/* Why the last call of this thread that failed did so. */
const char* onetape_tape_error(void);
/* Loads a tape from a file, or from memory. */
int onetape_tape_load(const char* path, onetape_tape** tape);
int onetape_tape_load_bytes(const void* bytes, size_t count, onetape_tape** tape);
/* Frees a tape; NULL is allowed. */
void onetape_tape_free(onetape_tape* tape);
/* How many tensors it takes, and gives. */
void onetape_tape_counts(const onetape_tape* tape, int32_t* inputs, int32_t* outputs);
/* The form of an input, or of an output. */
int onetape_tape_input(const onetape_tape* tape, int32_t index, onetape_tape_form* form);
int onetape_tape_output(const onetape_tape* tape, int32_t index, onetape_tape_form* form);
/* Runs it: reads the inputs' elements, writes those of the outputs, each of the size that its form says.
 * Outputs may not overlap inputs. */
int onetape_tape_run(onetape_tape* tape, const void* const* inputs, void* const* outputs);
/* Writes the program as text, with a zero at the end, as far as there is room; returns how long it is without
 * it. */
size_t onetape_tape_text(const onetape_tape* tape, char* text, size_t room);

#ifdef __cplusplus
}
#endif

#endif
