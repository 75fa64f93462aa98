import lightning as L
import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset
from torchmetrics import MetricCollection
from torchmetrics.classification import BinaryAUROC, BinaryAveragePrecision, BinaryAccuracy
import warnings

warnings.filterwarnings("ignore")
torch.manual_seed(0)
torch.set_num_threads(1)


class ResetMetrics(L.Callback):
    def __init__(self, *names):
        self.names = names

    def on_validation_epoch_start(self, trainer, module):
        for name in self.names:
            getattr(module, name).reset()


class LitChurn(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 1))
        self.train_acc = BinaryAccuracy()
        self.ranking = MetricCollection({"auroc": BinaryAUROC(), "ap": BinaryAveragePrecision()})

    def training_step(self, batch, batch_idx):
        x, y = batch
        logit = self.net(x).squeeze(1)
        self.train_acc(logit, y)
        self.log("train_acc", self.train_acc, on_step=False, on_epoch=True)
        return F.binary_cross_entropy_with_logits(logit, y.float())

    def validation_step(self, batch, batch_idx):
        x, y = batch
        self.ranking.update(self.net(x).squeeze(1), y)

    def on_validation_epoch_end(self):
        self.log_dict(self.ranking.compute())

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=1e-2)


x = torch.randn(160, 6)
loader = DataLoader(TensorDataset(x, (x.sum(1) > 0).long()), batch_size=32)
trainer = L.Trainer(max_epochs=10, accelerator="cpu", logger=False, enable_checkpointing=False, enable_progress_bar=False,
                    enable_model_summary=False, num_sanity_val_steps=0, callbacks=[ResetMetrics("ranking")])
trainer.fit(LitChurn(), loader, loader)
print({k: round(v.item(), 3) for k, v in trainer.callback_metrics.items()})
