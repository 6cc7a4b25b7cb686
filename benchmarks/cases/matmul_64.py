"""Product of two 64 × 64 float32 matrices."""


def prepare(torch):
    a = torch.rand(64, 64)
    b = torch.rand(64, 64)
    return lambda: a @ b
