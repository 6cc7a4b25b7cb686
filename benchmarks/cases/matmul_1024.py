"""Product of two 1024 × 1024 float32 matrices."""


def prepare(torch):
    a = torch.rand(1024, 1024)
    b = torch.rand(1024, 1024)
    return lambda: a @ b
