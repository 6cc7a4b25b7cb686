"""x.view(1000, -1).t().contiguous() on 10 M float32 elements."""


def prepare(torch):
    x = torch.rand(10_000_000)
    y = torch.rand(10_000_000)  # noqa: F841 - of the operators with two operands
    return lambda: x.view(1000, -1).t().contiguous()
