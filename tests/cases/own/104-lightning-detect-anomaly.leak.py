import lightning as L
import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset
import warnings

warnings.filterwarnings("ignore")
torch.manual_seed(0)
torch.set_num_threads(1)


class LitNCF(L.LightningModule):
    def __init__(self, users=50, items=60, dim=12):
        super().__init__()
        self.u, self.i = nn.Embedding(users, dim), nn.Embedding(items, dim)
        self.mlp = nn.Sequential(nn.Linear(2 * dim, 32), nn.ReLU(), nn.Linear(32, 1))

    def training_step(self, batch, batch_idx):
        u, i, y = batch
        logit = self.mlp(torch.cat([self.u(u), self.i(i)], 1)).squeeze(1)
        return F.binary_cross_entropy_with_logits(logit, y)

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=1e-2)


u, i = torch.randint(0, 50, (1280,)), torch.randint(0, 60, (1280,))
clicks = TensorDataset(u, i, ((u + i) % 2).float())
settings = dict(max_epochs=2, accelerator="cpu", logger=False, enable_checkpointing=False,
                enable_progress_bar=False, enable_model_summary=False)
trainer = L.Trainer(detect_anomaly=True, **settings)  # expect: debug-left-on
trainer.fit(LitNCF(), DataLoader(clicks, batch_size=64, shuffle=True))
print(trainer.global_step)
