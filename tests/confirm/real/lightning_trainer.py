"""Lightning's Trainer, with a validation every ten steps."""
# needs: lightning
# holder: Model\.losses
# verdict: confirmed
import logging
import sys
import warnings

import lightning
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

leak = "--leak" in sys.argv
warnings.simplefilter("ignore")
logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)


class Model(lightning.LightningModule):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 1))
        self.losses, self.validated = [], []

    def training_step(self, batch, index):
        x, y = batch
        loss = nn.functional.mse_loss(self.net(x), y)
        self.log("loss", loss)
        if leak:
            self.losses.append(loss)  # stored
        print("train", loss.item())
        return loss

    def validation_step(self, batch, index):
        x, y = batch
        self.validated.append(nn.functional.mse_loss(self.net(x), y))

    def on_validation_epoch_end(self):
        print("validated", torch.stack(self.validated).mean().item())
        self.validated.clear()

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=1e-3)


if __name__ == "__main__":
    lightning.seed_everything(0, verbose=False)
    data = TensorDataset(torch.randn(240, 8), torch.randn(240, 1))
    trainer = lightning.Trainer(max_epochs=1, accelerator="cpu", logger=False, enable_checkpointing=False, val_check_interval=10,
                                enable_progress_bar=False, enable_model_summary=False)  # fmt: skip
    trainer.fit(Model(), DataLoader(data, batch_size=4, shuffle=True), DataLoader(data, batch_size=16))
