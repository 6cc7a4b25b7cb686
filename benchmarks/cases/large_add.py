"""x + y on 10 M float32 elements."""


def prepare(torch):
    x = torch.rand(10_000_000)
    y = torch.rand(10_000_000)
    return lambda: x + y
