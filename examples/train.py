"""Train a small convolutional classifier.

    python train.py --epochs 5
    python train.py --data ~/datasets/flowers.pt --batch-size 128 --device cuda

Without --data a synthetic set of coloured shapes is generated, which is enough to see the loss go down.
"""

import argparse
import json
import random
import time
from collections import defaultdict
from pathlib import Path

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset, random_split


class ConvBlock(nn.Module):
    def __init__(self, channels_in, channels_out):
        super().__init__()
        self.conv = nn.Conv2d(channels_in, channels_out, kernel_size=3, padding=1, bias=False)
        self.norm = nn.BatchNorm2d(channels_out)

    def forward(self, x):
        return F.max_pool2d(F.relu(self.norm(self.conv(x))), 2)


class ShapeNet(nn.Module):
    def __init__(self, num_classes, width=16, dropout=0.1):
        super().__init__()
        self.features = nn.Sequential(
            ConvBlock(3, width),
            ConvBlock(width, width * 2),
            ConvBlock(width * 2, width * 4),
        )
        self.dropout = nn.Dropout(dropout)
        self.head = nn.Linear(width * 4, num_classes)

    def forward(self, x):
        x = self.features(x).mean(dim=(2, 3))
        return self.head(self.dropout(x))


def make_shapes(count, size=32, num_classes=4, seed=0):
    """Noise with a bright quadrant; which one it is makes the class."""
    generator = torch.Generator().manual_seed(seed)
    labels = torch.randint(num_classes, (count,), generator=generator)
    images = torch.rand(count, 3, size, size, generator=generator) * 0.5
    half = size // 2
    for image, label in zip(images, labels.tolist()):
        row, column = divmod(label, 2)
        image[:, row * half : (row + 1) * half, column * half : (column + 1) * half] += 0.5
    return TensorDataset(images, labels)


def load_data(args):
    if args.data:
        images, labels = torch.load(args.data)
        dataset = TensorDataset(images, labels)
    else:
        dataset = make_shapes(args.samples, num_classes=args.num_classes, seed=args.seed)
    num_val = len(dataset) // 5
    train_set, val_set = random_split(dataset, [len(dataset) - num_val, num_val])
    train_loader = DataLoader(train_set, batch_size=args.batch_size, shuffle=True)
    val_loader = DataLoader(val_set, batch_size=args.batch_size * 2)
    return train_loader, val_loader


def train_one_epoch(model, loader, criterion, optimizer, scheduler, epoch, history, args):
    model.train()
    running_loss = 0.0
    correct = seen = 0
    start = time.time()
    for step, (images, targets) in enumerate(loader):
        images, targets = images.to(args.device), targets.to(args.device)
        logits = model(images)
        loss = criterion(logits, targets)

        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), args.clip)
        optimizer.step()
        scheduler.step()

        running_loss += loss
        correct += (logits.argmax(dim=1) == targets).sum().item()
        seen += targets.size(0)
        history["step_loss"].append(loss)
        history["lr"].append(scheduler.get_last_lr()[0])

        if step % args.log_every == 0:
            print(f"epoch {epoch} step {step:4d}/{len(loader)} loss {loss:.4f} acc {correct / seen:.3f}")

    print(f"epoch {epoch} took {time.time() - start:.1f}s")
    return running_loss / len(loader), correct / seen


def validate(model, loader, criterion, args):
    model.eval()
    total_loss = 0.0
    correct = seen = 0
    for images, targets in loader:
        images, targets = images.to(args.device), targets.to(args.device)
        logits = model(images)
        total_loss += criterion(logits, targets).item() * targets.size(0)
        correct += (logits.argmax(dim=1) == targets).sum().item()
        seen += targets.size(0)
    return total_loss / seen, correct / seen


def save_checkpoint(model, optimizer, epoch, path):
    state = {"model": model.state_dict(), "optimizer": optimizer.state_dict(), "epoch": epoch}
    torch.save(state, path)


def parse_args():
    parser = argparse.ArgumentParser(description="Train a small image classifier")
    parser.add_argument("--data", help="file with a pair of tensors: images, labels")
    parser.add_argument("--samples", type=int, default=4000, help="how many synthetic images")
    parser.add_argument("--num-classes", type=int, default=4)
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--batch-size", type=int, default=64)
    parser.add_argument("--lr", type=float, default=3e-3)
    parser.add_argument("--weight-decay", type=float, default=1e-2)
    parser.add_argument("--clip", type=float, default=1.0)
    parser.add_argument("--log-every", type=int, default=20)
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=Path("runs/shapes"))
    return parser.parse_args()


def main():
    args = parse_args()
    random.seed(args.seed)
    torch.manual_seed(args.seed)
    args.out.mkdir(parents=True, exist_ok=True)

    train_loader, val_loader = load_data(args)
    model = ShapeNet(args.num_classes).to(args.device)
    criterion = nn.CrossEntropyLoss(label_smoothing=0.05)
    optimizer = torch.optim.AdamW(model.parameters(), lr=args.lr, weight_decay=args.weight_decay)
    scheduler = torch.optim.lr_scheduler.OneCycleLR(
        optimizer, max_lr=args.lr, total_steps=args.epochs * len(train_loader)
    )

    history = defaultdict(list)
    best_acc = 0.0
    for epoch in range(args.epochs):
        train_loss, train_acc = train_one_epoch(
            model, train_loader, criterion, optimizer, scheduler, epoch, history, args
        )
        val_loss, val_acc = validate(model, val_loader, criterion, args)
        history["val_loss"].append(val_loss)
        history["val_acc"].append(val_acc)
        print(f"epoch {epoch}: train {train_loss:.4f}/{train_acc:.3f} val {val_loss:.4f}/{val_acc:.3f}")

        if val_acc > best_acc:
            best_acc = val_acc
            save_checkpoint(model, optimizer, epoch, args.out / "best.pt")

    summary = {"best_val_acc": best_acc, "final_step_loss": float(history["step_loss"][-1])}
    (args.out / "summary.json").write_text(json.dumps(summary, indent=2))


if __name__ == "__main__":
    main()
