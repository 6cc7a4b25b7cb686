"""One SGD step of an MLP 784-128-10 with batch 64."""


def prepare(torch):
    torch.manual_seed(0)
    nn = torch.nn
    model = nn.Sequential(nn.Linear(784, 128), nn.ReLU(), nn.Linear(128, 10))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    images = torch.randn(64, 784)
    labels = torch.randint(0, 10, (64,))
    loss_of = nn.CrossEntropyLoss()

    def step():
        optimizer.zero_grad()
        loss_of(model(images), labels).backward()
        optimizer.step()

    return step
