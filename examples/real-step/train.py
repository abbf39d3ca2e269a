#!/usr/bin/env python3
"""Trains a small GPT in pipeline and data parallel over Gloo, and writes how long each step took.

Started once a rank with RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT set, as `longhaul launch` does:

    longhaul launch plan.json --to env --hosts hosts.toml -o launch -- python3 train.py --pp 2 --out results

rank = replica * pp + stage. Activations and gradients cross stage boundaries as messages of one micro-batch; after
the last backward pass, the replicas of a stage average their gradients by a sharded exchange: everyone collects one
shard, adds it up in the order of replicas, and hands out the sum. So losses do not depend on which device has which
rank. All receives are posted a step ahead: a receive that comes late waits behind what its own side sends.
"""
import argparse
import json
import os
import pathlib
import time

os.environ.setdefault("OMP_NUM_THREADS", "1")

import torch
import torch.distributed as dist
from torch import nn

VOCABULARY = 256  # bytes


class Block(nn.Module):
    """One transformer layer: attention and a feed-forward part, each behind a norm."""

    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x):
        batch, length, width = x.shape
        q, k, v = (part.view(batch, length, self.heads, -1).transpose(1, 2)
                   for part in self.qkv(self.norm1(x)).split(width, dim=2))
        scores = q @ k.transpose(2, 3) / (width // self.heads) ** 0.5
        mask = torch.ones(length, length, dtype=torch.bool).triu(1)
        mixed = scores.masked_fill(mask, float("-inf")).softmax(3) @ v
        x = x + self.out(mixed.transpose(1, 2).reshape(batch, length, width))
        return x + self.down(nn.functional.gelu(self.up(self.norm2(x))))


class Stage(nn.Module):
    """The layers of one stage; the first embeds, the last predicts."""

    def __init__(self, options, stage):
        super().__init__()
        torch.manual_seed(1 + stage)  # the same for every replica
        self.first, self.last = stage == 0, stage == options.pp - 1
        if self.first:
            self.tokens = nn.Embedding(VOCABULARY, options.width)
            self.places = nn.Embedding(options.length, options.width)
        self.blocks = nn.Sequential(*(Block(options.width, options.heads)
                                      for _ in range(options.layers // options.pp)))
        if self.last:
            self.norm, self.head = nn.LayerNorm(options.width), nn.Linear(options.width, VOCABULARY)

    def forward(self, x):
        if self.first:
            x = self.tokens(x) + self.places(torch.arange(x.shape[1]))
        x = self.blocks(x)
        return self.head(self.norm(x)) if self.last else x


def order_of(schedule, stage, stages, batches):
    """Passes of a stage: ("F" or "B", micro-batch)."""
    ahead = batches if schedule == "gpipe" else min(batches, stages - stage - 1)
    passes = [("F", i) for i in range(ahead)]
    for i in range(ahead, batches):
        passes += [("F", i), ("B", i - ahead)]
    return passes + [("B", i) for i in range(batches - ahead, batches)]


class Mailbox:
    """Receives of two steps, posted ahead; sends that are still under way."""

    def __init__(self):
        self.coming, self.leaving = {}, []

    def expect(self, key, peer, buffer, tag):
        self.coming[key] = (dist.irecv(buffer, src=peer, tag=tag), buffer)

    def take(self, key):
        request, buffer = self.coming.pop(key)
        request.wait()
        return buffer

    def send(self, tensor, peer, tag):
        self.leaving.append((dist.isend(tensor, dst=peer, tag=tag), tensor))

    def flush(self):
        for request, _ in self.leaving:
            request.wait()
        self.leaving.clear()


class Worker:
    def __init__(self, options, rank, world):
        self.options = options
        self.stage, self.replica = rank % options.pp, rank // options.pp
        self.replicas = world // options.pp
        self.before = rank - 1 if self.stage > 0 else None
        self.behind = rank + 1 if self.stage < options.pp - 1 else None
        self.peers = [r * options.pp + self.stage for r in range(self.replicas)]
        self.model = Stage(options, self.stage)
        self.optimiser = torch.optim.SGD(self.model.parameters(), lr=options.rate)
        self.count = sum(p.numel() for p in self.model.parameters())
        self.shard = -(-self.count // self.replicas)
        self.gradient = torch.zeros(self.shard * self.replicas)
        self.mail = Mailbox()
        self.turns = []  # of each step: when its pipeline ended here, and its exchange began
        self.restart_clocks()

    def restart_clocks(self):
        """Core seconds of this process, by what they went into."""
        self.clock = {"forward": 0.0, "backward": 0.0, "pipeline": 0.0, "update": 0.0}

    def timed(self, name, work):
        begin = time.process_time()
        result = work()
        self.clock[name] += time.process_time() - begin
        return result

    def samples(self, step):
        """Token batches of this replica: windows of the text, the same for every placement."""
        text, options = self.options.bytes, self.options
        generator = torch.Generator().manual_seed(1000 * step + self.replica)
        span = options.length + 1
        starts = torch.randint(len(text) - span, (options.microbatches, options.batch), generator=generator)
        return torch.stack([torch.stack([text[s:s + span] for s in row]) for row in starts])

    def post(self, step):
        """All receives of a step; tags differ between neighbouring steps."""
        o, base = self.options, (step % 2) * 1000
        shape = (o.batch, o.length, o.width)
        for i in range(o.microbatches):
            if self.before is not None:
                self.mail.expect(("F", step, i), self.before, torch.empty(shape), base + i)
            if self.behind is not None:
                self.mail.expect(("B", step, i), self.behind, torch.empty(shape), base + 400 + i)
        for replica, peer in enumerate(self.peers):
            if replica != self.replica:
                for name, tag in (("reduce", 800), ("gather", 801)):
                    self.mail.expect((name, step, replica), peer, torch.empty(self.shard), base + tag)

    def run_step(self, step):
        losses = self.timed("pipeline", lambda: self.run_pipeline(step))
        self.turns.append(time.monotonic())
        self.timed("update", lambda: self.update(step))
        return sum(losses) / len(losses) if losses else None

    def run_pipeline(self, step):
        o, base = self.options, (step % 2) * 1000
        batches, kept, losses = self.samples(step), {}, []
        self.optimiser.zero_grad()
        for kind, i in order_of(o.schedule, self.stage, o.pp, o.microbatches):
            if kind == "F":
                x = batches[i][:, :-1] if self.before is None else self.mail.take(("F", step, i)).requires_grad_()
                y = self.timed("forward", lambda x=x, labels=batches[i][:, 1:]: self.forward(x, labels))
                if self.behind is None:
                    losses.append(y.item())
                else:
                    self.mail.send(y.detach(), self.behind, base + i)
                kept[i] = (x, y)
            else:
                x, y = kept.pop(i)
                gradient = None if self.behind is None else self.mail.take(("B", step, i))
                self.timed("backward", lambda y=y, gradient=gradient: self.backward(y, gradient))
                if self.before is not None:
                    self.mail.send(x.grad, self.before, base + 400 + i)
        return losses

    def forward(self, x, labels):
        """What the stage hands on: activations, or the loss of the last one."""
        y = self.model(x)
        return y if self.behind is not None else nn.functional.cross_entropy(y.reshape(-1, VOCABULARY),
                                                                             labels.reshape(-1))

    def backward(self, y, gradient):
        if gradient is None:
            (y / self.options.microbatches).backward()
        else:
            y.backward(gradient)

    def update(self, step):
        self.average(step, (step % 2) * 1000)
        self.optimiser.step()
        self.mail.flush()

    def average(self, step, base):
        """Sharded exchange of the gradients of this stage."""
        if self.replicas == 1:
            return
        torch.cat([p.grad.reshape(-1) for p in self.model.parameters()], out=self.gradient[:self.count])
        shards = self.gradient.view(self.replicas, self.shard)
        others = [(self.replica + k) % self.replicas for k in range(1, self.replicas)]
        for replica in others:
            self.mail.send(shards[replica].clone(), self.peers[replica], base + 800)
        parts = [shards[r] if r == self.replica else self.mail.take(("reduce", step, r)) for r in range(self.replicas)]
        own = parts[0].clone()
        for part in parts[1:]:  # in the order of replicas, so that sums are the same on every placement
            own += part
        own /= self.replicas
        for replica in others:
            self.mail.send(own, self.peers[replica], base + 801)
        for replica in range(self.replicas):
            shards[replica] = own if replica == self.replica else self.mail.take(("gather", step, replica))
        at = 0
        for p in self.model.parameters():
            p.grad = self.gradient[at:at + p.numel()].view_as(p).clone()
            at += p.numel()


def train(options, rank, world):
    worker = Worker(options, rank, world)
    ends, losses = [], []
    worker.post(0)
    dist.barrier()
    for step in range(options.steps):
        worker.post(step + 1)
        if step == 1:
            worker.restart_clocks()  # the first step warms up
        losses.append(worker.run_step(step))
        ends.append(time.monotonic())
    later = max(1, options.steps - 1)
    record = {"rank": rank, "stage": worker.stage, "replica": worker.replica, "turns": worker.turns, "ends": ends,
              "losses": losses, "core_s": {name: seconds / later for name, seconds in worker.clock.items()},
              "messages": options.microbatches, "gradient_bytes": 4 * worker.count,
              "message_bytes": 4 * options.batch * options.length * options.width}
    path = pathlib.Path(options.out) / f"rank-{rank}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(record) + "\n")
    dist.barrier()
    os._exit(0)  # receives of a step that never comes are still posted


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pp", type=int, default=2, help="stages")
    parser.add_argument("--layers", type=int, default=4)
    parser.add_argument("--width", type=int, default=96)
    parser.add_argument("--heads", type=int, default=4)
    parser.add_argument("--length", type=int, default=64, help="tokens of a sequence")
    parser.add_argument("--batch", type=int, default=4, help="sequences of a micro-batch")
    parser.add_argument("--microbatches", type=int, default=8)
    parser.add_argument("--schedule", choices=["gpipe", "1f1b"], default="1f1b")
    parser.add_argument("--steps", type=int, default=6)
    parser.add_argument("--rate", type=float, default=0.1, help="learning rate")
    parser.add_argument("--text", default=__file__, help="file to train on, byte by byte")
    parser.add_argument("--out", default="results", help="folder for rank-N.json")
    options = parser.parse_args()
    torch.set_num_threads(1)
    options.bytes = torch.tensor(list(pathlib.Path(options.text).read_bytes()))
    dist.init_process_group("gloo")
    train(options, dist.get_rank(), dist.get_world_size())


if __name__ == "__main__":
    main()
