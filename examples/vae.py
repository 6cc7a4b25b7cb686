"""A variational autoencoder finds two numbers that tell a digit; java/examples/…/Vae.java is the same program.

python -m examples.vae [--java]
"""

from __future__ import annotations

import onetape as torch
from examples import data, pictures
from examples.run import Run, start
from onetape import nn
from onetape.nn import functional as F
from onetape.utils.data import DataLoader

EPOCHS = 150
PIXELS = data.SIDE**2
GRID = 14
"""How many digits a side of the map has."""


def layers(first: int, second: int, third: int, last: int) -> nn.Module:
    """Three linear layers with rectifiers between them."""
    return nn.Sequential(
        nn.Linear(first, second), nn.ReLU(), nn.Linear(second, third), nn.ReLU(), nn.Linear(third, last)
    )


class Autoencoder(nn.Module):
    """An encoder to the mean and the logarithmic variance of two codes, and a decoder to the pixels' logits."""

    def __init__(self) -> None:
        super().__init__()
        self.encoder = nn.Sequential(
            nn.Linear(PIXELS, 256), nn.ReLU(), nn.Linear(256, 128), nn.ReLU(), nn.Linear(128, 4)
        )
        self.decoder = nn.Sequential(
            nn.Linear(2, 128), nn.ReLU(), nn.Linear(128, 256), nn.ReLU(), nn.Linear(256, PIXELS)
        )

    def loss(self, images: torch.Tensor) -> torch.Tensor:
        """What is lost of images (N, 64) and how far codes are from normal, in nats an image."""
        mean, log_variance = self.encoder(images).chunk(2, dim=1)
        code = mean + torch.exp(log_variance / 2) * torch.randn_like(mean)
        lost = F.binary_cross_entropy_with_logits(self.decoder(code), images, reduction="sum")
        divergence = -0.5 * torch.sum(1 + log_variance - mean.square() - log_variance.exp())
        return (lost + divergence) / len(images)


def code_map() -> torch.Tensor:
    """Codes (GRID², 2) at equal shares of the normal distribution in both directions."""
    shares = (torch.arange(GRID) + 0.5) / GRID
    places = torch.erfinv(2 * shares - 1) * 2**0.5
    return torch.stack([places.repeat(GRID), places.flip(0).repeat_interleave(GRID)], 1)


def train(run: Run) -> None:
    torch.manual_seed(0)
    training, held_out = data.digits()
    model = Autoencoder()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    for images, _ in run.batches(DataLoader(training, batch_size=64, shuffle=True), EPOCHS):
        optimizer.zero_grad()
        loss = model.loss(images.flatten(1))
        loss.backward()
        optimizer.step()
        run.log(loss=loss.item())

    with torch.no_grad():
        run.report("nats a held-out digit", model.loss(held_out.tensors[0].flatten(1)).item())
        drawn = model.decoder(code_map()).sigmoid()
    pictures.save(run, "What two numbers tell: a map of digits", lambda axes: pictures.tiles(axes, drawn, GRID))


if __name__ == "__main__":
    start("vae", train, ["digits.csv"])
