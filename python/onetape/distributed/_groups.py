"""The groups of this process: how they begin, what is known of them, how they end."""

from __future__ import annotations

import atexit
import os
import warnings
from datetime import timedelta
from typing import Any

from onetape._C import _distributed as _d
from onetape._C._distributed import ProcessGroup, Store

default_pg_timeout = timedelta(minutes=30)
NOT_INITIALIZED = "Default process group has not been initialized, please make sure to call init_process_group."
# What groups are called whose program gives no name: Java's are, too, so that both meet.
DEFAULT_NAME = "world"


class _Groups(type):
    @property
    def WORLD(cls) -> ProcessGroup | None:
        """The group of all processes; None before init_process_group."""
        return _d.world()


class group(metaclass=_Groups):
    """``group.WORLD`` is the group of all processes."""


class GroupMember(metaclass=_Groups):
    """What new_group returns where this process is no member is ``GroupMember.NON_GROUP_MEMBER``."""

    NON_GROUP_MEMBER = -100


def is_available() -> bool:
    """Are there process groups? There are; see is_gloo_available for what they run over."""
    return True


def is_gloo_available() -> bool:
    """Was this onetape built with Gloo?"""
    return _d.has_gloo()


def is_nccl_available() -> bool:
    """No: there are no GPUs."""
    return False


def is_mpi_available() -> bool:
    """No."""
    return False


def is_ucc_available() -> bool:
    """No."""
    return False


def is_xccl_available() -> bool:
    """No."""
    return False


def is_backend_available(backend: str) -> bool:
    """Can init_process_group take this backend?"""
    return backend.lower() == "gloo" and is_gloo_available()


def is_initialized() -> bool:
    """Is there a group of all processes?"""
    return _d.world() is not None


def is_torchelastic_launched() -> bool:
    """Was this process started by torchrun or by ``python -m onetape.distributed.run``?"""
    return "TORCHELASTIC_RUN_ID" in os.environ


def get_node_local_rank(fallback_rank: int | None = None) -> int:
    """The number of this process on its machine, as the launcher says in LOCAL_RANK.

    Raises RuntimeError if it does not, and no fallback is given.
    """
    if "LOCAL_RANK" in os.environ:
        return int(os.environ["LOCAL_RANK"])
    if fallback_rank is not None:
        return int(fallback_rank)
    raise RuntimeError(
        "LOCAL_RANK is not in the environment. Consider passing fallback_rank to allow `get_node_local_rank` to "
        "work, assuming you are not running in a multi-device context and want the code to run locally instead."
    )


def _check_backend(backend: str | None) -> None:
    if backend is None:
        backend = "gloo"
    if not isinstance(backend, str):
        raise ValueError(f"Backend constructor parameter must be string-ish: {backend!r}")
    names = {part.partition(":")[2] or part for part in backend.lower().split(",")}
    for name in sorted(names - {"gloo"}):
        if name in ("nccl", "mpi", "ucc", "xccl"):
            raise RuntimeError(f"Distributed package doesn't have {name.upper()} built in")
        raise RuntimeError(f"Unknown c10d backend type {name.upper()}")
    if not is_gloo_available():
        raise RuntimeError(
            "Distributed package doesn't have Gloo built in: build onetape where Gloo is installed "
            "(Debian: apt-get install libgloo-dev)"
        )


def check_timeout(timeout: object) -> timedelta:
    """The timeout, or that of all groups for None. Raises TypeError for what is none."""
    if timeout is None:
        return default_pg_timeout
    if not isinstance(timeout, timedelta):
        raise TypeError(f"Expected timeout argument to be of type datetime.timedelta, got {timeout}")
    return timeout


def init_process_group(
    backend: str | None = None,
    init_method: str | None = None,
    timeout: timedelta | None = None,
    world_size: int = -1,
    rank: int = -1,
    store: Store | None = None,
    group_name: str = "",
    pg_options: object = None,
    device_id: object = None,
) -> None:
    """Makes this process a member of the group of all processes; waits until all have come.

    Args:
        backend: ``"gloo"``, the one there is
        init_method: where they meet: ``env://`` (the default: RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT of the
            environment), ``tcp://host:port`` of rank 0, or ``file:///path`` of a file that all see; behind ``?`` may
            stand ``rank=``, ``world_size=`` and ``token=``
        timeout: of this call, and of each operation later; half an hour if None
        world_size, rank: how many processes there are, and which of them this is
        store: where they meet, instead of init_method; then world_size and rank are needed
        group_name: groups of different names do not meet, even at the same place

    Raises:
        ValueError: there is a group already, or something is missing in the arguments or the environment.
        RuntimeError: onetape was built without Gloo. DistNetworkError: the port is taken, nobody answers there, or
            the token (ONETAPE_STORE_TOKEN) is wrong. DistStoreError: not all came in time.
    """
    if is_initialized():
        raise ValueError("trying to initialize the default process group twice!")
    time = check_timeout(timeout)
    assert store is None or init_method is None, "Cannot specify both init_method and store."
    _check_backend(backend)
    name = group_name or DEFAULT_NAME
    if store is not None:
        assert world_size > 0, "world_size must be positive if using store"
        assert rank >= 0, "rank must be non-negative if using store"
        store.set_timeout(time)
        _d.make_world(store, rank, world_size, "", name, time)
        return
    for what, number in (("rank", rank), ("world_size", world_size)):
        if not isinstance(number, int):
            raise TypeError(f"init_process_group: {what} must be an int, but is {number!r}")
    url = "env://" if init_method is None else init_method
    _d.make_world(*_d.rendezvous(url, rank, world_size, time), name, time)


def destroy_process_group(group: ProcessGroup | None = None) -> None:
    """Ends a group; without an argument all of them. What is on its way fails.

    Raises AssertionError if there is none, ValueError if it has ended before.
    """
    if not_in(group):
        return
    one = _d.world() if group is None else group
    assert one is not None, "Process group cannot be None"
    _d.destroy_group(one)


atexit.register(_d.abandon_groups)


def not_in(group: Any) -> bool:
    """Is this process no member of the group?"""
    return group is GroupMember.NON_GROUP_MEMBER or group == GroupMember.NON_GROUP_MEMBER


def outside(group: Any, operation: str) -> bool:
    """Is this process no member of the group? Then warns as PyTorch does, at the caller of the operation."""
    if not not_in(group):
        return False
    rank = -1 if not is_initialized() else get_rank()
    warnings.warn(f"Running {operation} on global rank {rank} which does not belong to the given group.", stacklevel=3)
    return True


def group_or_world(group: ProcessGroup | None) -> ProcessGroup:
    """The group, or that of all processes for None. Raises ValueError if there is none."""
    world = _d.world()
    if world is None:
        raise ValueError(NOT_INITIALIZED)
    if group is None:
        return world
    if not isinstance(group, ProcessGroup):
        raise ValueError(
            f"Process group {group} is not initialized in the world group map. Please initialize the group first."
        )
    return group


def get_rank(group: ProcessGroup | None = None) -> int:
    """The rank of this process in a group, -1 if it is no member. Raises ValueError without any group."""
    return -1 if not_in(group) else group_or_world(group).rank()


def get_world_size(group: ProcessGroup | None = None) -> int:
    """How many processes a group has, -1 if this is no member. Raises ValueError without any group."""
    return -1 if not_in(group) else group_or_world(group).size()


def get_backend(group: ProcessGroup | None = None) -> str:
    """``"gloo"``. Raises ValueError without any group."""
    return group_or_world(group).name()


def get_process_group_ranks(group: ProcessGroup | None) -> list[int]:
    """The global ranks of a group's members, by their ranks in it."""
    return group_or_world(group)._ranks


def get_group_rank(group: ProcessGroup, global_rank: int) -> int:
    """The rank in a group of a global rank. Raises ValueError if it is no member."""
    ranks = group_or_world(group)._ranks
    if global_rank not in ranks:
        raise ValueError(f"Global rank {global_rank} is not part of group {group}")
    return ranks.index(global_rank)


def get_global_rank(group: ProcessGroup, group_rank: int) -> int:
    """The global rank of a rank in a group. Raises ValueError if there is none such."""
    ranks = group_or_world(group)._ranks
    if not 0 <= group_rank < len(ranks):
        raise ValueError(f"Group rank {group_rank} is not part of group {group}")
    return ranks[group_rank]


def set_timeout(timeout: timedelta, group: ProcessGroup | None = None) -> None:
    """Sets the timeout of a group's operations from now on."""
    group_or_world(group)._set_timeout(check_timeout(timeout))


def new_group(
    ranks: list[int] | None = None,
    timeout: timedelta | None = None,
    backend: str | None = None,
    pg_options: object = None,
    use_local_synchronization: bool = False,
    group_desc: str | None = None,
    device_id: object = None,
) -> ProcessGroup | int:
    """A group of some of the processes, or of all for None. All processes make this call, members or not, in the
    same order; with use_local_synchronization only the members.

    Returns GroupMember.NON_GROUP_MEMBER where this process is none.
    Raises ValueError if there is no group of all, or the ranks do not fit it.
    """
    world = group_or_world(None)
    _check_backend(backend)
    members = list(range(world.size())) if ranks is None else list(ranks)
    made = _d.new_group(members, check_timeout(timeout), use_local_synchronization)
    return GroupMember.NON_GROUP_MEMBER if made is None else made


def new_subgroups_by_enumeration(
    ranks_per_subgroup_list: list[list[int]], timeout: timedelta | None = None, backend: str | None = None
) -> tuple[ProcessGroup | int, list[ProcessGroup | int]]:
    """A group for each list of ranks; returns this process's own, and all. Raises ValueError if a rank is in two."""
    if not ranks_per_subgroup_list:
        raise ValueError("The arg 'ranks_per_subgroup_list' cannot be empty")
    seen: dict[int, list[int]] = {}
    for ranks in ranks_per_subgroup_list:
        for rank in ranks:
            if rank in seen:
                raise ValueError(f"Rank {rank} has appeared in both subgroup {seen[rank]} and {ranks}")
            seen[rank] = ranks
    own: ProcessGroup | int = GroupMember.NON_GROUP_MEMBER
    groups = []
    for ranks in ranks_per_subgroup_list:
        groups.append(new_group(ranks, timeout, backend))
        if get_rank() in ranks:
            own = groups[-1]
    return own, groups


def new_subgroups(
    group_size: int | None = None, group: ProcessGroup | None = None, timeout: timedelta | None = None
) -> tuple[ProcessGroup | int, list[ProcessGroup | int]]:
    """Groups of as many neighbouring ranks each. Raises ValueError if they do not come out even."""
    world_size = get_world_size(group)
    if group_size is None:
        raise ValueError("Default group size only takes effect when CUDA is available. Give group_size.")
    if group_size <= 0:
        raise ValueError(f"The arg 'group_size' ({group_size}) must be positive")
    if world_size < group_size:
        raise ValueError(f"The arg 'group_size' ({group_size}) must not exceed the world size ({world_size})")
    if world_size % group_size != 0:
        raise ValueError(f"The world size ({world_size}) must be divisible by '{group_size=}'")
    members = get_process_group_ranks(group)
    parts = [members[start : start + group_size] for start in range(0, world_size, group_size)]
    return new_subgroups_by_enumeration(parts, timeout)
