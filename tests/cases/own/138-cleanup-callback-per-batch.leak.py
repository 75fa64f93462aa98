import gc
import lightning as L
import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset
import warnings

warnings.filterwarnings("ignore")
torch.manual_seed(0)
torch.set_num_threads(1)


class FreeMemory(L.Callback):
    def on_train_batch_end(self, trainer, module, outputs, batch, batch_idx):
        gc.collect()  # expect: empty-cache


class LitSine(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(1, 48), nn.Tanh(), nn.Linear(48, 1))

    def training_step(self, batch, batch_idx):
        x, y = batch
        return F.mse_loss(self.net(x), y)

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=1e-2)


x = torch.rand(640, 1) * 6
trainer = L.Trainer(max_epochs=2, accelerator="cpu", logger=False, enable_checkpointing=False,
                    enable_progress_bar=False, enable_model_summary=False, callbacks=[FreeMemory()])
trainer.fit(LitSine(), DataLoader(TensorDataset(x, torch.sin(x)), batch_size=32, shuffle=True))
print(trainer.global_step)
