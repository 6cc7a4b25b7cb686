"""Forward and backward of an LSTM of two layers, 128 features and states, over 32 sequences of 64 steps."""


def prepare(torch):
    torch.manual_seed(0)
    layer = torch.nn.LSTM(128, 128, 2)
    steps = torch.randn(64, 32, 128)
    grad = torch.randn(64, 32, 128)

    def step():
        layer.zero_grad()
        layer(steps)[0].backward(grad)

    return step
