"""1,000 multiplications of a scalar one after the other, forward and backward."""


def prepare(torch):
    x = torch.tensor(1.0, requires_grad=True)
    factor = torch.tensor(1.0001)

    def step():
        y = x
        for _ in range(1000):
            y = y * factor
        y.backward()
        x.grad = None

    return step
