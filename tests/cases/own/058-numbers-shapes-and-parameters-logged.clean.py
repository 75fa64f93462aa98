import lightning as L
import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset
import warnings

warnings.filterwarnings("ignore")
torch.manual_seed(0)
torch.set_num_threads(1)


class LitSorter(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 4))
        self.rows = []

    def training_step(self, batch, batch_idx):
        (x,) = batch
        out = self.net(x)
        loss = F.mse_loss(out, x.sort(1).values)
        self.log("loss", loss, prog_bar=True)
        self.log_dict({"mean": out.mean(), "std": out.std()})
        if batch_idx % 10 == 0:
            self.rows.append({"step": self.global_step, "loss": loss.item(), "shape": tuple(out.shape)})
            print(f"{batch_idx} {out.shape} {loss.item():.3f} {x.device} {out.requires_grad}")
        return loss

    def on_train_epoch_end(self):
        norms = {n: p.detach().norm().item() for n, p in self.net.named_parameters()}
        print("epoch", self.current_epoch, norms, len(self.rows))

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=1e-3)


trainer = L.Trainer(max_epochs=2, accelerator="cpu", logger=False, enable_checkpointing=False,
                    enable_progress_bar=False, enable_model_summary=False)
trainer.fit(LitSorter(), DataLoader(TensorDataset(torch.rand(640, 4)), batch_size=32))
