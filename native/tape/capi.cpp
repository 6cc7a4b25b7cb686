#include "tape/capi.h"

#include <algorithm>
#include <cstring>

#include "autograd/meta.h"
#include "autograd/mode.h"
#include "core/export.h"
#include "ops/copy.h"
#include "tape/alias.h"
#include "tape/file.h"
#include "tape/text.h"

struct onetape_tape {
  onetape::Ref<onetape::tape::Tape> tape;
};

namespace {

using onetape::Tensor;
using onetape::tape::Slot;

std::string& error_text() {
  thread_local std::string text;
  return text;
}

/// Runs f; what it throws becomes a number and a text.
template <typename F>
int guarded(F f) noexcept {
  try {
    f();
    return 0;
  } catch (const std::exception& error) {
    error_text() = error.what();
  } catch (...) {
    error_text() = "an unknown error";
  }
  return -1;
}

int form_of(const onetape_tape* tape, const std::vector<onetape::tape::SlotNumber>& slots, int32_t index,
            onetape_tape_form* form) {
  return guarded([&] {
    onetape::check_index(index >= 0 && static_cast<size_t>(index) < slots.size(), "there is no tensor ",
                         index);
    const Slot& slot = tape->tape->program().slots[static_cast<size_t>(slots[static_cast<size_t>(index)])];
    *form = {};
    name_of(slot.dtype).copy(form->dtype, sizeof(form->dtype) - 1);
    onetape::check(slot.sizes.size() <= ONETAPE_TAPE_MAX_DIMS, "the tensor has too many dimensions");
    form->dims = static_cast<int32_t>(slot.sizes.size());
    std::ranges::copy(slot.sizes, form->sizes);
    form->bytes = static_cast<size_t>(onetape::checked_numel(slot.sizes, slot.dtype)) * item_size(slot.dtype);
  });
}

/// A tensor that shows elements of the caller, in the form of the slot.
Tensor shown(const Slot& slot, void* elements) {
  const auto bytes =
      static_cast<size_t>(onetape::checked_numel(slot.sizes, slot.dtype)) * item_size(slot.dtype);
  onetape::check(elements || bytes == 0, "the elements of a tensor are NULL");
  onetape::Ref<onetape::Storage> storage = onetape::Storage::wrap(elements, bytes, [] {});
  return Tensor(onetape::TensorImpl::view(std::move(storage), slot.sizes,
                                          onetape::contiguous_strides(slot.sizes), 0, slot.dtype));
}

}  // namespace

extern "C" {

ONETAPE_API const char* onetape_tape_version(void) { return ONETAPE_VERSION; }

ONETAPE_API const char* onetape_tape_error(void) { return error_text().c_str(); }

ONETAPE_API int onetape_tape_load(const char* path, onetape_tape** tape) {
  return guarded([&] {
    onetape::check(path && tape, "onetape_tape_load: an argument is NULL");
    *tape = new onetape_tape{onetape::tape::load(path)};
  });
}

ONETAPE_API int onetape_tape_load_bytes(const void* bytes, size_t count, onetape_tape** tape) {
  return guarded([&] {
    onetape::check(bytes && tape, "onetape_tape_load_bytes: an argument is NULL");
    *tape = new onetape_tape{onetape::tape::from_bytes({static_cast<const char*>(bytes), count})};
  });
}

ONETAPE_API void onetape_tape_free(onetape_tape* tape) { delete tape; }

ONETAPE_API void onetape_tape_counts(const onetape_tape* tape, int32_t* inputs, int32_t* outputs) {
  *inputs = static_cast<int32_t>(tape->tape->program().inputs.size());
  *outputs = static_cast<int32_t>(tape->tape->program().outputs.size());
}

ONETAPE_API int onetape_tape_input(const onetape_tape* tape, int32_t index, onetape_tape_form* form) {
  return form_of(tape, tape->tape->program().inputs, index, form);
}

ONETAPE_API int onetape_tape_output(const onetape_tape* tape, int32_t index, onetape_tape_form* form) {
  return form_of(tape, tape->tape->program().outputs, index, form);
}

ONETAPE_API int onetape_tape_run(onetape_tape* tape, const void* const* inputs, void* const* outputs) {
  return guarded([&] {
    const onetape::tape::Program& program = tape->tape->program();
    std::vector<Tensor> given;
    for (size_t i = 0; i < program.inputs.size(); ++i) {
      const Slot& slot = program.slots[static_cast<size_t>(program.inputs[i])];
      // Read only: a program that changes an input gets a copy.
      Tensor input = shown(slot, const_cast<void*>(inputs[i]));
      if (!same(slot.strides, input.strides()) || is_written(program, program.inputs[i])) {
        const Tensor copy = onetape::tape::empty_of_form(slot);
        copy_elements(copy, input);
        input = copy;
      }
      if (slot.requires_grad && program.ran_backward) set_requires_grad(input, true);
      given.push_back(std::move(input));
    }
    const onetape::GradModeGuard mode(program.ran_backward && program.grad_mode);
    const std::vector<Tensor> results = tape->tape->run(given);
    for (size_t i = 0; i < results.size(); ++i) {
      const Slot& slot = program.slots[static_cast<size_t>(program.outputs[i])];
      copy_elements(shown(slot, outputs[i]), results[i]);
    }
  });
}

ONETAPE_API size_t onetape_tape_text(const onetape_tape* tape, char* text, size_t room) {
  const std::string all = onetape::tape::text_of(tape->tape->program());
  if (room > 0) {
    const size_t count = std::min(room - 1, all.size());
    std::copy_n(all.data(), count, text);
    text[count] = 0;
  }
  return all.size();
}

}  // extern "C"
