// The profiler for Java: internal/Profiling.java.

#include <numeric>
#include <unordered_map>

#include "core/error.h"
#include "java/arguments.h"
#include "java/shared_table.h"
#include "profiler/session.h"

namespace onetape::java {
namespace {

using profiler::Event;
using profiler::Profile;
using profiler::SpanKind;
using profiler::Stack;

// ---- what native code asks of Profiling ----

struct Methods {
  jclass type = nullptr;
  jmethodID calls = nullptr;
  jmethodID begin = nullptr;
  jmethodID end = nullptr;
};

/// Found when they are first needed; empty if they are not there.
const Methods& methods(JNIEnv* env) {
  static const Methods found = [env] {
    Methods all;
    all.type = find_class(env, "internal/Profiling");
    if (all.type) {
      all.calls = env->GetStaticMethodID(all.type, "calls", "()Ljava/lang/String;");
      all.begin = env->GetStaticMethodID(all.type, "begin", "(ILjava/lang/String;)V");
      all.end = env->GetStaticMethodID(all.type, "end", "()V");
    }
    if (env->ExceptionCheck()) {
      env->ExceptionClear();
      return Methods();
    }
    return all;
  }();
  return found;
}

/// Calls Profiling from the middle of an operator, in a thread that Java knows, whatever exception is under
/// way.
template <typename F>
void ask(F&& call) noexcept {
  const AttachedThread thread;
  JNIEnv* env = thread.env();
  if (!env || thread.attached_here()) return;
  const jthrowable pending = env->ExceptionOccurred();
  if (pending) env->ExceptionClear();
  {
    const LocalFrame frame(env, 4);
    if (const Methods& all = methods(env); all.type) upcall([&] { call(env, all); });
    if (env->ExceptionCheck()) env->ExceptionClear();
  }
  if (pending) {
    env->Throw(pending);
    env->DeleteLocalRef(pending);
  }
}

/// Profiling.calls() tells them in lines; the first says whether the innermost has called another language.
int java_frames(Stack& calls) {
  constexpr int kInside = 0, kOutside = 2;  // of Python's
  bool called_another = false;
  ask([&](JNIEnv* env, const Methods& all) {
    const auto told = static_cast<jstring>(env->CallStaticObjectMethod(all.type, all.calls));
    if (env->ExceptionCheck() || !told) return;
    const std::string lines = text(env, told, "calls");
    for (size_t at = 0; at < lines.size();) {
      const size_t end = std::min(lines.find('\n', at), lines.size());
      const std::string line = lines.substr(at, end - at);
      if (at == 0) {
        called_another = line == "1";
      } else {
        calls.push_back(line);
      }
      at = end + 1;
    }
  });
  return called_another ? kOutside : kInside;
}

[[maybe_unused]] const bool kTold = [] {
  profiler::add_stack_teller(java_frames);
  return true;
}();

void begin_event(SpanKind kind, const char* name) {
  ask([&](JNIEnv* env, const Methods& all) {
    const jstring told = string(env, profiler::shown_name(kind, name));
    if (told) env->CallStaticVoidMethod(all.type, all.begin, static_cast<jint>(kind), told);
  });
}
void end_event() {
  ask([](JNIEnv* env, const Methods& all) { env->CallStaticVoidMethod(all.type, all.end); });
}
constexpr profiler::Listener kFlightRecorder = {begin_event, end_event};

// ---- profiles, which Java knows by numbers ----

SharedTable<const Profile>& profiles() {
  static auto* table = new SharedTable<const Profile>;  // never destroyed: threads may ask at the end
  return *table;
}

void start(JNIEnv* env, jclass, jboolean shapes, jboolean memory, jboolean stacks, jboolean flight_recorder) {
  guarded(env, [&] {
    profiler::start(
        {.shapes = shapes != JNI_FALSE, .memory = memory != JNI_FALSE, .stacks = stacks != JNI_FALSE});
    profiler::listener.store(flight_recorder ? &kFlightRecorder : nullptr);
  });
}

jlong stop(JNIEnv* env, jclass) {
  return guarded(env, [&] {
    profiler::listener.store(nullptr);
    return profiles().add(profiler::stop());
  });
}

void forget(JNIEnv* env, jclass, jlong number) {
  guarded(env, [&] { profiles().remove(number); });
}

jlong open(JNIEnv* env, jclass, jstring name) {
  return guarded(env, [&]() -> jlong {
    if (!profiler::t_spans) return 0;
    const profiler::OpenSpan span = profiler::open_span(SpanKind::User, text(env, name, "name"));
    return static_cast<jlong>(span.list << 32 | span.place);
  });
}

void close(JNIEnv* env, jclass, jlong span) {
  guarded(env, [&] {
    const auto bits = static_cast<uint64_t>(span);
    profiler::close_span({bits >> 32, static_cast<uint32_t>(bits)});
  });
}

// ---- what they tell ----

jobjectArray strings(JNIEnv* env, const std::vector<std::string>& texts) {
  const jclass type = env->FindClass("java/lang/String");
  const jobjectArray all = env->NewObjectArray(static_cast<jsize>(texts.size()), type, nullptr);
  if (!all) check_java(env);
  for (size_t i = 0; i < texts.size(); ++i) {
    const LocalRef one(env, string(env, texts[i]));
    env->SetObjectArrayElement(all, static_cast<jsize>(i), one.get());
  }
  return all;
}

/// Texts, each once, with the numbers that they were given.
class Numbered {
 public:
  int64_t number(std::string text) {
    const auto [place, fresh] = numbers_.try_emplace(std::move(text), static_cast<int64_t>(texts.size()));
    if (fresh) texts.push_back(place->first);
    return place->second;
  }
  std::vector<std::string> texts;

 private:
  std::unordered_map<std::string, int64_t> numbers_;
};

std::string lines(const Stack* calls) {
  std::string text;
  if (!calls) return text;
  for (const std::string& call : *calls) text += (text.empty() ? "" : "\n") + call;
  return text;
}

/// Thirteen numbers an event into `numbers[0]`; gives the texts that some of them are numbers of.
jobjectArray events(JNIEnv* env, jclass, jlong number, jobjectArray numbers) {
  return guarded(env, [&] {
    const auto profile = profiles().get(number, "profile");
    Numbered texts;
    std::vector<int64_t> all;
    for (const Event& event : profile->events) {
      all.insert(all.end(), {texts.number(event.name), static_cast<int64_t>(event.kind),
                             profile->threads[event.thread].id, event.parent, event.start - profile->start,
                             event.end - profile->start, event.self, event.memory, event.self_memory,
                             event.sequence, event.forward, texts.number(lines(event.calls)),
                             texts.number(event.inputs.empty() ? "" : profiler::shapes_text(event.inputs))});
    }
    env->SetObjectArrayElement(numbers, 0, long_array(env, all));
    return strings(env, texts.texts);
  });
}

jlongArray averages(JNIEnv* env, jclass, jlong number, jlongArray chosen, jboolean by_inputs, jint by_calls) {
  return guarded(env, [&] {
    const auto profile = profiles().get(number, "profile");
    const Ints events = ints(env, chosen, "events");
    for (const int64_t one : events) {
      check(one >= 0 && one < static_cast<int64_t>(profile->events.size()),
            "an event is not of this profile");
    }
    std::vector<int64_t> all;
    for (const profiler::Average& one :
         profiler::averages(*profile, IntSpan(events), by_inputs != JNI_FALSE,
                            static_cast<size_t>(std::max<jint>(by_calls, 0)))) {
      all.insert(all.end(), {one.example, one.count, one.total, one.self, one.memory, one.self_memory});
    }
    return long_array(env, all);
  });
}

/// The profile in one of its forms.
jstring told(JNIEnv* env, jclass, jlong number, jstring form, jstring argument) {
  return guarded(env, [&] {
    const auto profile = profiles().get(number, "profile");
    const std::string wanted = text(env, form, "form");
    const std::string given = text(env, argument, "argument");
    if (wanted == "trace") return string(env, profiler::chrome_trace(*profile, given));
    if (wanted == "stacks") return string(env, profiler::stacks_text(*profile));
    if (wanted == "flame") return string(env, profiler::flame_page(*profile, given));
    if (wanted == "memory") return string(env, profiler::memory_svg(*profile, given));
    check(wanted == "numbers", "a profile has no form '", wanted, "'");
    return string(env, profiler::memory_json(*profile));
  });
}

/// Three texts a row (name, shapes, calls in lines) and six numbers (nanoseconds itself and in all, count,
/// memory in all and itself, whether it is inside another).
jstring table(JNIEnv* env, jclass, jobjectArray texts, jlongArray numbers, jintArray limits, jstring header,
              jboolean memory, jboolean top_level_only, jstring unit) {
  return guarded(env, [&] {
    const Ints all = ints(env, numbers, "numbers");
    const auto cell = [&](size_t i) {
      const LocalRef one(env, static_cast<jstring>(env->GetObjectArrayElement(texts, static_cast<jsize>(i))));
      return text(env, one.get(), "texts");
    };
    std::vector<profiler::Row> rows;
    for (size_t i = 0; i < all.size() / 6; ++i) {
      const int64_t* const row = all.data() + i * 6;
      Stack calls;
      const std::string told = cell(i * 3 + 2);
      for (size_t at = 0; at < told.size();) {
        const size_t end = std::min(told.find('\n', at), told.size());
        calls.push_back(told.substr(at, end - at));
        at = end + 1;
      }
      rows.push_back({cell(i * 3), static_cast<double>(row[0]) / 1e3, static_cast<double>(row[1]) / 1e3,
                      row[2], row[3], row[4], cell(i * 3 + 1), std::move(calls), row[5] == 0});
    }
    jint widths[4];
    env->GetIntArrayRegion(limits, 0, 4, widths);
    const std::optional<std::string> title = optional_text(env, header);
    return string(env, profiler::table_text(rows, {.row_limit = widths[0],
                                                   .name_width = widths[1],
                                                   .shapes_width = widths[2],
                                                   .source_width = widths[3],
                                                   .header = title.value_or(""),
                                                   .with_header = title.has_value(),
                                                   .with_memory = memory != JNI_FALSE,
                                                   .top_level_only = top_level_only != JNI_FALSE,
                                                   .time_unit = optional_text(env, unit).value_or("")}));
  });
}

const JNINativeMethod kNatives[] = {
    native("start", "(ZZZZ)V", start),
    native("stop", "()J", stop),
    native("forget", "(J)V", forget),
    native("open", "(Ljava/lang/String;)J", open),
    native("close", "(J)V", close),
    native("events", "(J[[J)[Ljava/lang/String;", events),
    native("averages", "(J[JZI)[J", averages),
    native("told", "(JLjava/lang/String;Ljava/lang/String;)Ljava/lang/String;", told),
    native("table", "([Ljava/lang/String;[J[ILjava/lang/String;ZZLjava/lang/String;)Ljava/lang/String;",
           table),
};
const NativeGroup kGroup = natives("internal/Profiling", kNatives);

}  // namespace
}  // namespace onetape::java
