"""Training with more than one process, as ``torch.distributed``: groups that exchange tensors over Gloo."""

from onetape._C._distributed import BuiltinCommHookType as BuiltinCommHookType
from onetape._C._distributed import DistBackendError as DistBackendError
from onetape._C._distributed import DistError as DistError
from onetape._C._distributed import DistNetworkError as DistNetworkError
from onetape._C._distributed import DistStoreError as DistStoreError
from onetape._C._distributed import FileStore as FileStore
from onetape._C._distributed import GradBucket as GradBucket
from onetape._C._distributed import HashStore as HashStore
from onetape._C._distributed import PrefixStore as PrefixStore
from onetape._C._distributed import ProcessGroup as ProcessGroup
from onetape._C._distributed import Reducer as Reducer
from onetape._C._distributed import Store as Store
from onetape._C._distributed import TCPStore as TCPStore
from onetape.distributed._collectives import ReduceOp as ReduceOp
from onetape.distributed._collectives import all_gather as all_gather
from onetape.distributed._collectives import all_gather_into_tensor as all_gather_into_tensor
from onetape.distributed._collectives import all_reduce as all_reduce
from onetape.distributed._collectives import all_reduce_coalesced as all_reduce_coalesced
from onetape.distributed._collectives import all_to_all as all_to_all
from onetape.distributed._collectives import all_to_all_single as all_to_all_single
from onetape.distributed._collectives import barrier as barrier
from onetape.distributed._collectives import broadcast as broadcast
from onetape.distributed._collectives import gather as gather
from onetape.distributed._collectives import monitored_barrier as monitored_barrier
from onetape.distributed._collectives import reduce as reduce
from onetape.distributed._collectives import reduce_scatter as reduce_scatter
from onetape.distributed._collectives import reduce_scatter_tensor as reduce_scatter_tensor
from onetape.distributed._collectives import scatter as scatter
from onetape.distributed._groups import GroupMember as GroupMember
from onetape.distributed._groups import default_pg_timeout as default_pg_timeout
from onetape.distributed._groups import destroy_process_group as destroy_process_group
from onetape.distributed._groups import get_backend as get_backend
from onetape.distributed._groups import get_global_rank as get_global_rank
from onetape.distributed._groups import get_group_rank as get_group_rank
from onetape.distributed._groups import get_node_local_rank as get_node_local_rank
from onetape.distributed._groups import get_process_group_ranks as get_process_group_ranks
from onetape.distributed._groups import get_rank as get_rank
from onetape.distributed._groups import get_world_size as get_world_size
from onetape.distributed._groups import group as group
from onetape.distributed._groups import init_process_group as init_process_group
from onetape.distributed._groups import is_available as is_available
from onetape.distributed._groups import is_backend_available as is_backend_available
from onetape.distributed._groups import is_gloo_available as is_gloo_available
from onetape.distributed._groups import is_initialized as is_initialized
from onetape.distributed._groups import is_mpi_available as is_mpi_available
from onetape.distributed._groups import is_nccl_available as is_nccl_available
from onetape.distributed._groups import is_torchelastic_launched as is_torchelastic_launched
from onetape.distributed._groups import is_ucc_available as is_ucc_available
from onetape.distributed._groups import is_xccl_available as is_xccl_available
from onetape.distributed._groups import new_group as new_group
from onetape.distributed._groups import new_subgroups as new_subgroups
from onetape.distributed._groups import new_subgroups_by_enumeration as new_subgroups_by_enumeration
from onetape.distributed._groups import set_timeout as set_timeout
from onetape.distributed._messages import P2POp as P2POp
from onetape.distributed._messages import batch_isend_irecv as batch_isend_irecv
from onetape.distributed._messages import irecv as irecv
from onetape.distributed._messages import isend as isend
from onetape.distributed._messages import recv as recv
from onetape.distributed._messages import send as send
from onetape.distributed._objects import all_gather_object as all_gather_object
from onetape.distributed._objects import broadcast_object_list as broadcast_object_list
from onetape.distributed._objects import gather_object as gather_object
from onetape.distributed._objects import recv_object_list as recv_object_list
from onetape.distributed._objects import scatter_object_list as scatter_object_list
from onetape.distributed._objects import send_object_list as send_object_list
from onetape.distributed._work import Work as Work

__all__ = [
    "BuiltinCommHookType",
    "DistBackendError",
    "DistError",
    "DistNetworkError",
    "DistStoreError",
    "FileStore",
    "GradBucket",
    "GroupMember",
    "HashStore",
    "P2POp",
    "PrefixStore",
    "ProcessGroup",
    "ReduceOp",
    "Reducer",
    "Store",
    "TCPStore",
    "Work",
    "all_gather",
    "all_gather_into_tensor",
    "all_gather_object",
    "all_reduce",
    "all_reduce_coalesced",
    "all_to_all",
    "all_to_all_single",
    "barrier",
    "batch_isend_irecv",
    "broadcast",
    "broadcast_object_list",
    "default_pg_timeout",
    "destroy_process_group",
    "gather",
    "gather_object",
    "get_backend",
    "get_global_rank",
    "get_group_rank",
    "get_node_local_rank",
    "get_process_group_ranks",
    "get_rank",
    "get_world_size",
    "group",
    "init_process_group",
    "irecv",
    "is_available",
    "is_backend_available",
    "is_gloo_available",
    "is_initialized",
    "is_mpi_available",
    "is_nccl_available",
    "is_torchelastic_launched",
    "is_ucc_available",
    "is_xccl_available",
    "isend",
    "monitored_barrier",
    "new_group",
    "new_subgroups",
    "new_subgroups_by_enumeration",
    "recv",
    "recv_object_list",
    "reduce",
    "reduce_scatter",
    "reduce_scatter_tensor",
    "scatter",
    "scatter_object_list",
    "send",
    "send_object_list",
    "set_timeout",
]
