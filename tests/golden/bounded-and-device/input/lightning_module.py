import lightning as L
import torch


class Lit(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(3, 1)
        self.training_step_outputs = []

    def training_step(self, batch, batch_idx):
        loss = self.layer(batch).mean()
        self.training_step_outputs.append(loss)
        return loss

    def on_train_epoch_end(self):
        self.log("mean", torch.stack(self.training_step_outputs).mean())
        self.training_step_outputs.clear()
