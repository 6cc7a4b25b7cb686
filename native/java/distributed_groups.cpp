// Process groups: a part of internal/Groups.java.

#include "distributed/world.h"
#include "java/arguments.h"
#include "java/distributed_tables.h"

namespace onetape::java {

using namespace distributed;  // NOLINT(google-build-using-namespace)

SharedTable<ProcessGroup>& group_table() {
  static auto* table = new SharedTable<ProcessGroup>;
  return *table;
}
SharedTable<Work>& work_table() {
  static auto* table = new SharedTable<Work>;
  return *table;
}
SharedTable<Store>& store_table() {
  static auto* table = new SharedTable<Store>;
  return *table;
}

namespace {

GroupRef group_of(jlong handle) { return group_table().get(handle, "process group"); }
WorkRef work_of(jlong handle) { return work_table().get(handle, "operation"); }

// ---- beginning and ending ----

jboolean has_gloo(JNIEnv*, jclass) { return distributed::has_gloo() ? JNI_TRUE : JNI_FALSE; }

jlong begin(JNIEnv* env, jclass, jstring url, jlong store, jlong rank, jlong world_size, jstring name,
            jlong timeout) {
  return guarded(env, [&]() -> jlong {
    const std::optional<std::string> place = optional_text(env, url);
    const std::string group_name = text(env, name, "groupName");
    const Milliseconds time(timeout);
    MeetingPoint met;
    if (store != 0) {
      check_value(world_size > 0, "world_size must be positive if using store");
      check_value(rank >= 0 && rank < world_size, "rank must be non-negative if using store");
      met = {store_table().get(store, "store"), static_cast<int>(rank), static_cast<int>(world_size), ""};
    }
    const ReadingPaused pause;
    check_no_world();
    if (store == 0) met = rendezvous(place.value_or("env://"), rank, world_size, time);
    return group_table().add(make_world(met, group_name, time));
  });
}

jlong the_world(JNIEnv* env, jclass) {
  return guarded(env, [&]() -> jlong { return group_table().add(world_or_null()); });
}

jlong make_group(JNIEnv* env, jclass, jlongArray ranks, jlong timeout, jboolean local) {
  return guarded(env, [&]() -> jlong {
    std::vector<int> members;
    for (const int64_t rank : ints(env, ranks, "ranks"))
      members.push_back(static_cast<int>(std::clamp<int64_t>(rank, -1, INT32_MAX)));
    const ReadingPaused pause;
    return group_table().add(new_group(members, Milliseconds(timeout), local != JNI_FALSE));
  });
}

void destroy(JNIEnv* env, jclass, jlong group) {
  guarded(env, [&] {
    const GroupRef one = group_of(group);
    const ReadingPaused pause;
    destroy_group(one);
  });
}

void abandon(JNIEnv*, jclass) { abandon_groups(); }

// ---- what is known of a group ----

jint rank(JNIEnv* env, jclass, jlong group) {
  return guarded(env, [&]() -> jint { return group_of(group)->rank(); });
}
jstring name(JNIEnv* env, jclass, jlong group) {
  return guarded(env, [&] { return string(env, group_of(group)->name()); });
}
jlongArray ranks(JNIEnv* env, jclass, jlong group) {
  return guarded(env, [&] {
    const GroupRef one = group_of(group);
    const std::vector<int64_t> all(one->ranks().begin(), one->ranks().end());
    return long_array(env, IntSpan(all.data(), all.size()));
  });
}
jlong identity(JNIEnv* env, jclass, jlong group) {
  return guarded(env, [&]() -> jlong { return reinterpret_cast<jlong>(group_of(group).get()); });
}
jlong timeout_of(JNIEnv* env, jclass, jlong group) {
  return guarded(env, [&]() -> jlong { return group_of(group)->timeout().count(); });
}
void set_timeout(JNIEnv* env, jclass, jlong group, jlong timeout) {
  guarded(env, [&] { group_of(group)->set_timeout(Milliseconds(timeout)); });
}
void monitored_barrier(JNIEnv* env, jclass, jlong group, jlong timeout, jboolean all) {
  guarded(env, [&] {
    const GroupRef one = group_of(group);
    const ReadingPaused pause;
    one->monitored_barrier(Milliseconds(timeout), all != JNI_FALSE);
  });
}

// ---- operations ----

/// The same numbers as in Groups.java.
enum class Call : jint {
  AllReduce,
  AllReduceCoalesced,
  Broadcast,
  Reduce,
  AllGather,
  AllGatherInto,
  Gather,
  Scatter,
  ReduceScatter,
  ReduceScatterInto,
  AllToAll,
  AllToAllSingle,
  Barrier,
  Send,
  Receive,
  BroadcastCoalesced
};

/// What a call takes: those of its tensors that are written to, those that are read, and numbers.
struct Arguments {
  std::vector<Tensor> out;
  std::vector<Tensor> in;
  int number = 0;  // a root or the other side
  ReduceOp op = ReduceOp::Sum;
  std::vector<int64_t> out_splits;
  std::vector<int64_t> in_splits;
  uint32_t tag = 0;
};

WorkRef started(ProcessGroup& group, Call call, const Arguments& a) {
  switch (call) {
    case Call::AllReduce:
      return group.all_reduce(a.out.at(0), a.op);
    case Call::AllReduceCoalesced:
      return group.all_reduce(a.out, a.op);
    case Call::Broadcast:
      return group.broadcast(a.out.at(0), a.number);
    case Call::BroadcastCoalesced:
      return group.broadcast(a.out, a.number);
    case Call::Reduce:
      return group.reduce(a.out.at(0), a.number, a.op);
    case Call::AllGather:
      return group.all_gather(a.out, a.in.at(0));
    case Call::AllGatherInto:
      return group.all_gather_into(a.out.at(0), a.in.at(0));
    case Call::Gather:
      return group.gather(a.out, a.in.at(0), a.number);
    case Call::Scatter:
      return group.scatter(a.out.at(0), a.in, a.number);
    case Call::ReduceScatter:
      return group.reduce_scatter(a.out.at(0), a.in, a.op);
    case Call::ReduceScatterInto:
      return group.reduce_scatter_from(a.out.at(0), a.in.at(0), a.op);
    case Call::AllToAll:
      return group.all_to_all(a.out, a.in);
    case Call::AllToAllSingle:
      return group.all_to_all_single(a.out.at(0), a.in.at(0), a.out_splits, a.in_splits);
    case Call::Barrier:
      return group.barrier();
    case Call::Send:
      return group.send(a.in.at(0), a.number, a.tag);
    case Call::Receive:
      return group.receive(a.out.at(0), a.number < 0 ? std::nullopt : std::optional(a.number), a.tag);
  }
  fail(ErrorKind::Value, "there is no operation ", static_cast<int>(call));
}

std::vector<int64_t> splits(JNIEnv* env, jlongArray sizes) {
  const std::optional<Ints> given = optional_ints(env, sizes);
  return given ? std::vector<int64_t>(given->begin(), given->end()) : std::vector<int64_t>();
}

jlong start(JNIEnv* env, jclass, jlong group, jint call, jobjectArray out, jobjectArray in, jint number,
            jint op, jlongArray out_splits, jlongArray in_splits, jint tag) {
  return guarded(env, [&]() -> jlong {
    const GroupRef one = group_of(group);
    Arguments arguments{.number = number,
                        .op = static_cast<ReduceOp>(op),
                        .out_splits = splits(env, out_splits),
                        .in_splits = splits(env, in_splits),
                        .tag = static_cast<uint32_t>(tag)};
    if (out) arguments.out = tensor_list(env, out, "output");
    if (in) arguments.in = tensor_list(env, in, "input");
    return work_table().add(started(*one, static_cast<Call>(call), arguments));
  });
}

// ---- works ----

jboolean await(JNIEnv* env, jclass, jlong work, jlong milliseconds) {
  return guarded(env, [&]() -> jboolean {
    const WorkRef one = work_of(work);
    const ReadingPaused pause;
    return one->wait_until(deadline_after(Milliseconds(milliseconds))) ? JNI_TRUE : JNI_FALSE;
  });
}
void rethrow(JNIEnv* env, jclass, jlong work) {
  guarded(env, [&] { work_of(work)->rethrow(); });
}
jint source(JNIEnv* env, jclass, jlong work) {
  return guarded(env, [&]() -> jint { return work_of(work)->source_rank(); });
}
jstring operation(JNIEnv* env, jclass, jlong work) {
  return guarded(env, [&] { return string(env, work_of(work)->operation()); });
}

void then(JNIEnv* env, jclass, jlong work, jobject runnable) {
  guarded(env, [&] {
    const jclass type = env->GetObjectClass(runnable);
    const jmethodID run = env->GetMethodID(type, "run", "()V");
    const ReadingPaused pause;
    work_of(work)->then([held = GlobalRef(env, runnable), run] {
      const AttachedThread thread;
      if (!thread.env()) return;
      thread.env()->CallVoidMethod(held.get(), run);
      thread.env()->ExceptionClear();  // what it throws is its own affair
    });
  });
}

void release(JNIEnv*, jclass, jlong handle, jint kind) {
  if (kind == 0) group_table().remove(handle);
  if (kind == 1) work_table().remove(handle);
  if (kind == 2) store_table().remove(handle);
}

const JNINativeMethod kNatives[] = {
    native("hasGloo", "()Z", has_gloo),
    native("begin", "(Ljava/lang/String;JJJLjava/lang/String;J)J", begin),
    native("world", "()J", the_world),
    native("newGroup", "([JJZ)J", make_group),
    native("destroy", "(J)V", destroy),
    native("abandon", "()V", abandon),
    native("rank", "(J)I", rank),
    native("name", "(J)Ljava/lang/String;", name),
    native("ranks", "(J)[J", ranks),
    native("identity", "(J)J", identity),
    native("timeout", "(J)J", timeout_of),
    native("setTimeout", "(JJ)V", set_timeout),
    native("monitoredBarrier", "(JJZ)V", monitored_barrier),
    native("start", "(JI[Ljava/lang/Object;[Ljava/lang/Object;II[J[JI)J", start),
    native("await", "(JJ)Z", await),
    native("rethrow", "(J)V", rethrow),
    native("source", "(J)I", source),
    native("operation", "(J)Ljava/lang/String;", operation),
    native("then", "(JLjava/lang/Runnable;)V", then),
    native("release", "(JI)V", release),
};
const NativeGroup kGroup = natives("internal/Groups", kNatives);

}  // namespace
}  // namespace onetape::java
