"""One SGD step of a small CNN on 64 digits of 8 × 8: two convolutions 3 × 3, pooling, one linear layer."""


def prepare(torch):
    torch.manual_seed(0)
    nn = torch.nn
    model = nn.Sequential(
        nn.Conv2d(1, 16, 3, padding=1), nn.ReLU(), nn.Conv2d(16, 32, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
        nn.Flatten(), nn.Linear(32 * 16, 10),
    )  # fmt: skip
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    images = torch.randn(64, 1, 8, 8)
    labels = torch.randint(0, 10, (64,))
    loss_of = nn.CrossEntropyLoss()

    def step():
        optimizer.zero_grad()
        loss_of(model(images), labels).backward()
        optimizer.step()

    return step
