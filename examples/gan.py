"""Two networks play: one draws digits, one tells them from real ones; java/examples/…/Gan.java is the same program.

python -m examples.gan [--java]
"""

from __future__ import annotations

import onetape as torch
from examples import data, pictures
from examples.run import Run, start
from onetape import nn
from onetape.nn import functional as F
from onetape.utils.data import DataLoader

EPOCHS = 120
NOISE = 16


def make_generator() -> nn.Module:
    """From noise (N, 16, 1, 1) to images (N, 1, 8, 8)."""
    return nn.Sequential(
        nn.ConvTranspose2d(NOISE, 64, 2),
        nn.BatchNorm2d(64),
        nn.ReLU(),
        nn.ConvTranspose2d(64, 32, 4, stride=2, padding=1),
        nn.BatchNorm2d(32),
        nn.ReLU(),
        nn.ConvTranspose2d(32, 1, 4, stride=2, padding=1),
        nn.Sigmoid(),
    )


def make_critic() -> nn.Module:
    """From images (N, 1, 8, 8) to logits (N, 1) of being real."""
    return nn.Sequential(
        nn.Conv2d(1, 32, 4, stride=2, padding=1),
        nn.LeakyReLU(0.2),
        nn.Dropout(0.3),
        nn.Conv2d(32, 64, 4, stride=2, padding=1),
        nn.LeakyReLU(0.2),
        nn.Dropout(0.3),
        nn.Flatten(),
        nn.Linear(64 * 2 * 2, 1),
    )


def noise(count: int) -> torch.Tensor:
    return torch.randn(count, NOISE, 1, 1)


def says(critic: nn.Module, images: torch.Tensor, real: bool) -> torch.Tensor:
    """How far the critic is from calling images real, or from calling them drawn."""
    logits = critic(images)
    return F.binary_cross_entropy_with_logits(logits, torch.full_like(logits, float(real)))


def train(run: Run) -> None:
    torch.manual_seed(0)
    training, _ = data.digits()
    generator, critic = make_generator(), make_critic()
    drawing = torch.optim.Adam(generator.parameters(), lr=1e-3, betas=(0.5, 0.999))
    judging = torch.optim.Adam(critic.parameters(), lr=1e-3, betas=(0.5, 0.999))
    for images, _ in run.batches(DataLoader(training, batch_size=64, shuffle=True, drop_last=True), EPOCHS):
        drawn = generator(noise(len(images)))

        judging.zero_grad()
        critic_loss = says(critic, images, True) + says(critic, drawn.detach(), False)
        critic_loss.backward()
        judging.step()

        drawing.zero_grad()
        generator_loss = says(critic, drawn, True)
        generator_loss.backward()
        drawing.step()
        run.log(critic=critic_loss.item(), generator=generator_loss.item())

    generator.eval()
    critic.eval()
    with torch.no_grad():
        drawn = generator(noise(100))
        run.report("share of drawn digits taken for real", (critic(drawn) > 0).float().mean().item())
    pictures.save(run, "Digits that nobody wrote", lambda axes: pictures.tiles(axes, drawn, 10))


if __name__ == "__main__":
    start("gan", train, ["digits.csv"])
