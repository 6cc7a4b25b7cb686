"""Forward and backward of a convolution 3 × 3 from 64 to 64 channels on 32 images of 28 × 28."""


def prepare(torch):
    torch.manual_seed(0)
    layer = torch.nn.Conv2d(64, 64, 3, padding=1)
    images = torch.randn(32, 64, 28, 28, requires_grad=True)
    grad = torch.randn(32, 64, 28, 28)

    def step():
        layer.zero_grad()
        images.grad = None
        layer(images).backward(grad)

    return step
