import lightning as L
import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset
from torchmetrics.classification import BinaryAveragePrecision
import warnings

warnings.filterwarnings("ignore")
torch.set_num_threads(1)


class LitDetector(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(6, 24), nn.ReLU(), nn.Linear(24, 1))
        self.val_ap = BinaryAveragePrecision()

    def forward(self, x):
        return self.net(x).squeeze(-1)

    def training_step(self, batch, batch_idx):
        x, y = batch
        loss = F.binary_cross_entropy_with_logits(self(x), y.float())
        self.log("train_loss", loss)
        return loss

    def validation_step(self, batch, batch_idx):
        x, y = batch
        self.val_ap.update(self(x).sigmoid(), y)
        self.log("val_ap", self.val_ap, on_epoch=True, prog_bar=True)

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)


def loader(n, shuffle):
    x = torch.randn(n, 6)
    return DataLoader(TensorDataset(x, (x.sum(1) > 0).long()), batch_size=32, shuffle=shuffle)


torch.manual_seed(0)
trainer = L.Trainer(max_epochs=12, accelerator="cpu", logger=False, enable_checkpointing=False,
                    enable_progress_bar=False, enable_model_summary=False, num_sanity_val_steps=0)
trainer.fit(LitDetector(), loader(128, True), loader(128, False))
print(trainer.callback_metrics["val_ap"].item())
