"""A transformer of three million parameters learns to write, letter by letter; …/Transformer.java is the same program.

python -m examples.transformer [--java]
"""

from __future__ import annotations

import textwrap

import onetape as torch
from examples import data, pictures
from examples.run import Run, start
from onetape import nn
from onetape.nn import functional as F
from onetape.optim.lr_scheduler import OneCycleLR

STEPS = 2000
BATCH = 8
CONTEXT = 64
WIDTH = 256
HEADS = 4
BLOCKS = 4
WRITTEN = 1000
TEMPERATURE = 0.7


class Block(nn.Module):
    """Attention of each letter to those before it, then two layers for each letter alone."""

    def __init__(self) -> None:
        super().__init__()
        self.before_attention = nn.LayerNorm(WIDTH)
        self.query_key_value = nn.Linear(WIDTH, 3 * WIDTH)
        self.joined = nn.Linear(WIDTH, WIDTH)
        self.before_layers = nn.LayerNorm(WIDTH)
        self.layers = nn.Sequential(nn.Linear(WIDTH, 4 * WIDTH), nn.GELU(), nn.Linear(4 * WIDTH, WIDTH))

    def attention(self, x: torch.Tensor) -> torch.Tensor:
        batch, length, _ = x.shape
        heads = self.query_key_value(x).view(batch, length, 3, HEADS, WIDTH // HEADS)
        query, key, value = heads.permute(2, 0, 3, 1, 4).unbind()
        seen = F.scaled_dot_product_attention(query, key, value, is_causal=True)
        joined: torch.Tensor = self.joined(seen.transpose(1, 2).reshape(batch, length, WIDTH))
        return joined

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x + self.attention(self.before_attention(x))
        x = x + self.layers(self.before_layers(x))
        return x


class Writer(nn.Module):
    """From letters (N, L) to logits (N, L, letters) of the next one."""

    def __init__(self, letters: int) -> None:
        super().__init__()
        self.letters = nn.Embedding(letters, WIDTH)
        self.places = nn.Embedding(CONTEXT, WIDTH)
        self.blocks = nn.Sequential(*(Block() for _ in range(BLOCKS)))
        self.norm = nn.LayerNorm(WIDTH)
        self.answer = nn.Linear(WIDTH, letters)

    def forward(self, letters: torch.Tensor) -> torch.Tensor:
        x = self.letters(letters) + self.places(torch.arange(letters.size(1)))
        logits: torch.Tensor = self.answer(self.norm(self.blocks(x)))
        return logits

    @torch.no_grad()
    def write(self, start: torch.Tensor, count: int) -> torch.Tensor:
        """Goes on behind the letters (L)."""
        text = start
        for _ in range(count):
            logits = self(text[-CONTEXT:].unsqueeze(0))[0, -1]
            text = torch.cat([text, torch.multinomial((logits / TEMPERATURE).softmax(0), 1)])
        return text


def train(run: Run) -> None:
    torch.manual_seed(0)
    text = data.text()
    alphabet = sorted(set(text))
    numbers = {letter: number for number, letter in enumerate(alphabet)}
    letters = torch.tensor([numbers[letter] for letter in text])
    windows = letters.unfold(0, CONTEXT + 1, 1)
    held_out = len(windows) // 20
    model = Writer(len(alphabet))
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, weight_decay=0.1)
    schedule = OneCycleLR(optimizer, max_lr=1e-3, total_steps=STEPS, pct_start=0.1)

    def loss_of(starts: torch.Tensor) -> torch.Tensor:
        """The mean loss of the letters from each start on."""
        chosen = windows[starts]
        return F.cross_entropy(model(chosen[:, :-1]).flatten(0, 1), chosen[:, 1:].flatten())

    print(f"{sum(parameter.numel() for parameter in model.parameters()):,} parameters, {len(text):,} letters")
    for _ in run.steps(STEPS):
        optimizer.zero_grad()
        loss = loss_of(torch.randint(len(windows) - held_out - CONTEXT, (BATCH,)))
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        run.log(loss=loss.item())

    with torch.no_grad():
        starts = torch.arange(len(windows) - held_out, len(windows), held_out // 32)
        run.report("nats a held-out letter", loss_of(starts).item())
    beginning = torch.tensor([numbers[letter] for letter in "The "])
    written = model.write(beginning, run.limited(WRITTEN))
    story = "".join(alphabet[letter] for letter in written.tolist())
    print(story)
    lines = textwrap.fill(story, 62)
    pictures.save(run, "What the transformer writes", lambda axes: pictures.page(axes, lines))


if __name__ == "__main__":
    start("transformer", train, ["text.txt"])
