"""One step of Adam over 100 tensors of up to 10,000 elements; PyTorch's, too, in its fused form."""


def prepare(torch):
    torch.manual_seed(0)
    sizes = ((100, 100), (100,), (10, 10, 3, 3), (64,))
    params = [torch.randn(sizes[i % 4]).requires_grad_() for i in range(100)]
    for param in params:
        param.grad = torch.randn(param.shape)
    optimizer = torch.optim.Adam(params, lr=1e-3, fused=True)
    return optimizer.step
