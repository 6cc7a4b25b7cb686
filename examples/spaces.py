"""A recurrent network puts the spaces back into a text without any; java/examples/…/Spaces.java is the same program.

python -m examples.spaces [--java]
"""

from __future__ import annotations

import re
from itertools import pairwise

import onetape as torch
from examples import data, pictures
from examples.run import Run, start
from onetape import nn
from onetape.nn import functional as F
from onetape.utils.data import DataLoader, TensorDataset
from onetape.utils.metrics import confusion_matrix

EPOCHS = 4
LENGTH = 64
HELD_OUT = 400
SHOWN = 12


def sequences() -> tuple[TensorDataset, TensorDataset]:
    """Letters (N, 64) of a text without spaces, and 1 where one followed (N, 64); the last 400 rows are held out."""
    text = re.sub("[^a-z]+", " ", data.text().lower()).strip() + " "
    letters = torch.tensor([ord(letter) - ord("a") for letter in text if letter != " "])
    ends = torch.tensor([after == " " for before, after in pairwise(text) if before != " "]).float()
    x, y = letters.unfold(0, LENGTH, LENGTH), ends.unfold(0, LENGTH, LENGTH)
    return TensorDataset(x[:-HELD_OUT], y[:-HELD_OUT]), TensorDataset(x[-HELD_OUT:], y[-HELD_OUT:])


class Reader(nn.Module):
    """Reads letters (N, L) in both directions; logits (N, L) of a space behind each."""

    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(26, 32)
        self.memory = nn.GRU(32, 96, num_layers=2, batch_first=True, bidirectional=True)
        self.answer = nn.Linear(2 * 96, 1)

    def forward(self, letters: torch.Tensor) -> torch.Tensor:
        states, _ = self.memory(self.embedding(letters))
        logits: torch.Tensor = self.answer(states)
        return logits.squeeze(2)


def written(letters: torch.Tensor, ends: torch.Tensor) -> str:
    """A row of letters with spaces where they are said to be."""
    pairs = zip(letters.tolist(), ends.tolist(), strict=True)
    return "".join(chr(ord("a") + letter) + (" " if end else "") for letter, end in pairs)


def train(run: Run) -> None:
    torch.manual_seed(0)
    training, held_out = sequences()
    model = Reader()
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    for letters, ends in run.batches(DataLoader(training, batch_size=32, shuffle=True), EPOCHS):
        optimizer.zero_grad()
        loss = F.binary_cross_entropy_with_logits(model(letters), ends)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        run.log(loss=loss.item())

    letters, ends = held_out.tensors
    with torch.no_grad():
        said = model(letters) > 0
    (_, wrong), (missing, right) = confusion_matrix(said.flatten().long(), ends.flatten().long(), 2).tolist()
    run.report("share of the spaces that were found", right / (right + missing))
    run.report("share of the said spaces that are right", right / max(right + wrong, 1))

    rows = [written(letters[i], said[i]) for i in range(SHOWN)]
    print("\n".join(rows))
    pictures.save(run, "Spaces put back", lambda axes: pictures.page(axes, "\n\n".join(rows)))


if __name__ == "__main__":
    start("spaces", train, ["text.txt"])
