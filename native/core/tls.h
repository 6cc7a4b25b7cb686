#pragma once

/// For the few small thread-local variables on hot paths: one instruction to reach instead of a call. Keep
/// them few, since a library that is loaded late shares a fixed reserve of such space with all others.
#define ONETAPE_HOT_TLS constinit thread_local __attribute__((tls_model("initial-exec")))
