"""Forward and backward of a layer of a transformer, 256 features wide with 4 heads, over 8 sequences of 128 steps."""


def prepare(torch):
    torch.manual_seed(0)
    layer = torch.nn.TransformerEncoderLayer(256, 4, 1024, dropout=0.0, batch_first=True)
    steps = torch.randn(8, 128, 256)
    grad = torch.randn(8, 128, 256)

    def step():
        layer.zero_grad()
        layer(steps).backward(grad)

    return step
