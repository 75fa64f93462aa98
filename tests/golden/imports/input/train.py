import lab.records as records
import torch
from helper import own_fault, run_step
from lab import Mean, Small
from lab.meters import Careful
from lab.records import quietly

model = Small()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
mean, careful, outputs = Mean(), Careful(), []


@quietly
def predict(x):
    return model(x)


for step in range(1000):
    x = torch.randn(4, 3)
    loss = run_step(model, optimizer, x)
    mean.update(loss)
    careful.update(loss)
    mean.keep(loss)
    records.note(loss)
    records.note(loss.item())

for step in range(1000):
    outputs.append(predict(torch.randn(4, 3)))
own_fault(model, optimizer, [torch.randn(4, 3) for _ in range(100)])
