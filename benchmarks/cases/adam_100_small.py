"""One step of Adam over 100 tensors of 16 elements, PyTorch's as it is by default."""


def prepare(torch):
    torch.manual_seed(0)
    params = [torch.randn(4, 4).requires_grad_() for _ in range(100)]
    for param in params:
        param.grad = torch.randn(param.shape)
    return torch.optim.Adam(params, lr=1e-3).step
