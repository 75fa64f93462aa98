def run_step(model, optimizer, x):
    loss = model(x).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss


def own_fault(model, optimizer, batches):
    losses = []
    for x in batches:
        losses.append(run_step(model, optimizer, x))
    return sum(l.item() for l in losses)
