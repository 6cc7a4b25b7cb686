"""Product of two 256 × 256 float32 matrices."""


def prepare(torch):
    a = torch.rand(256, 256)
    b = torch.rand(256, 256)
    return lambda: a @ b
