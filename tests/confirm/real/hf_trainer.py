"""The Trainer of transformers, on a tiny model made from its configuration; a callback keeps something of each step."""
# needs: transformers
# holder: Norms\.rows
# verdict: confirmed
import os
import sys
import tempfile

os.environ["HF_HUB_OFFLINE"] = "1"
import torch
from torch.utils.data import Dataset
from transformers import BertConfig, BertForSequenceClassification, Trainer, TrainerCallback, TrainingArguments, set_seed

leak = "--leak" in sys.argv


class Rows(Dataset):
    def __init__(self, count):
        self.ids = torch.randint(0, 50, (count, 12), generator=torch.Generator().manual_seed(1))

    def __len__(self):
        return len(self.ids)

    def __getitem__(self, i):
        return {"input_ids": self.ids[i], "labels": self.ids[i].sum() % 2}


class Norms(TrainerCallback):
    def __init__(self):
        self.rows = []

    def on_step_end(self, args, state, control, model=None, **kwargs):
        norm = sum(p.norm() for p in model.parameters())
        if leak:
            self.rows.append(norm)  # stored
        else:
            self.rows.append(norm.item())
        print(state.global_step, norm.item(), flush=True)


class Quiet(Trainer):
    def log(self, logs, *args, **kwargs):
        print({k: v for k, v in logs.items() if k in ("loss", "eval_loss", "epoch")}, flush=True)


if __name__ == "__main__":
    set_seed(0)
    config = BertConfig(vocab_size=50, hidden_size=32, num_hidden_layers=2, num_attention_heads=2, intermediate_size=64,
                        max_position_embeddings=16, num_labels=2)  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        arguments = TrainingArguments(output_dir=folder, max_steps=60, per_device_train_batch_size=4, logging_steps=10, use_cpu=True,
                                      eval_strategy="steps", eval_steps=20, save_strategy="no", report_to=[],
                                      disable_tqdm=True)  # fmt: skip
        trainer = Quiet(BertForSequenceClassification(config), arguments, train_dataset=Rows(320), eval_dataset=Rows(24),
                        callbacks=[Norms()])  # fmt: skip
        trainer.train()
