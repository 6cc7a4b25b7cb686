#pragma once

#include "distributed/process_group.h"
#include "java/shared_table.h"

namespace onetape::java {

SharedTable<distributed::ProcessGroup>& group_table();
SharedTable<distributed::Work>& work_table();
SharedTable<distributed::Store>& store_table();

}  // namespace onetape::java
