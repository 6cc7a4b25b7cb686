"""What loaders do with samples: fetching, collating, and doing both in workers."""

from onetape.utils.data._utils import collate as collate
from onetape.utils.data._utils import fetch as fetch
from onetape.utils.data._utils import worker as worker
