"""(w·x + b)² of scalars, forward and backward."""


def prepare(torch):
    x = torch.tensor(2.0, requires_grad=True)
    w = torch.tensor(3.0, requires_grad=True)
    b = torch.tensor(1.0, requires_grad=True)

    def step():
        y = w * x + b
        (y * y).backward()
        x.grad = w.grad = b.grad = None

    return step
