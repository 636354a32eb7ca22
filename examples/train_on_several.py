"""Train one synthesizer by several processes: ``torchrun --nproc-per-node 2 train_on_several.py``.

Without torchrun it is an ordinary script, and trains by itself.
"""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pandas as pd
import torch
from sdv.metadata import Metadata
from torch import distributed

from sdv_tabdar import TabDARSynthesizer


def make_trips(num_rows: int = 20_000, seed: int = 0) -> pd.DataFrame:
    """Trips by bicycle: the way home is longer, and rain makes people faster."""
    random = np.random.default_rng(seed)
    purpose = random.choice(['work', 'home', 'shop'], num_rows, p=[0.4, 0.4, 0.2])
    rain = random.random(num_rows) < 0.3
    kilometres = random.gamma(4.0, np.where(purpose == 'home', 1.6, 1.2))
    minutes = kilometres * np.where(rain, 3.2, 3.8) + random.gamma(2.0, 1.0, num_rows)
    return pd.DataFrame(
        {
            'purpose': purpose,
            'rain': rain,
            'kilometres': kilometres.round(1),
            'minutes': minutes.round(0),
        }
    )


def make_metadata() -> Metadata:
    """What the columns of the trips are."""
    kinds = {'purpose': 'categorical', 'rain': 'boolean'}
    numbers = dict.fromkeys(['kilometres', 'minutes'], 'numerical')
    columns = {name: {'sdtype': kind} for name, kind in {**kinds, **numbers}.items()}
    return Metadata.load_from_dict({'tables': {'trips': {'columns': columns}}})


def main(folder: Path = Path('.'), max_training_time: float = 60.0) -> TabDARSynthesizer:
    """Join the other processes if there are any, fit, and let the first one save the model.

    Args:
        folder: Where the model and the checkpoint go.
        max_training_time: Seconds of training.

    Returns:
        The fitted synthesizer, which is the same in all processes.
    """
    together = 'RANK' in os.environ  # torchrun says so
    if together:
        distributed.init_process_group('nccl' if torch.cuda.is_available() else 'gloo')
        if torch.cuda.is_available():
            torch.cuda.set_device(int(os.environ['LOCAL_RANK']))
    synthesizer = TabDARSynthesizer(
        make_metadata(), max_training_time=max_training_time, random_state=0
    )
    synthesizer.fit(make_trips(), checkpoint_path=folder / 'trips.ckpt')
    if not together or distributed.get_rank() == 0:
        synthesizer.save(folder / 'trips.pkl')
        print(synthesizer.sample(3).to_string())
    if together:
        distributed.destroy_process_group()
    return synthesizer


if __name__ == '__main__':
    main()
