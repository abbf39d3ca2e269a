#!/usr/bin/env python3
"""Times messages between the processes of a training job, on the transport that training uses.

    longhaul measure template -o measure_links.py
    torchrun --nnodes 2 --nproc-per-node 8 --rdzv-backend c10d --rdzv-endpoint HOST:29500 \\
        measure_links.py -o raw.jsonl
    longhaul measure fit raw.jsonl -o links.json

Every process runs this script; the lowest rank that takes part (0 without --group) writes the raw
measurements (docs/formats/raw.md of longhaul) on its host: one JSON object a line, task by task, so that a
crash keeps what was done. With torch 1.13 on Python 3.11, torchrun needs --redirects 1 --tee 1.

What is timed: bytes handed to the transport until the receiver's answer of one byte is read ("echo":
peer, fans), or a process's own time until it has sent and received ("one_way": both_ways, relay, local).
Barriers stay outside: before a message the receiver says that it is ready, since the exit of a barrier
differs between processes by more than a link's latency. NCCL: devices are synchronised around each
message. Control messages always go over Gloo.
"""
import argparse
import datetime
import json
import os
import socket
import sys
import threading
import time

import torch
import torch.distributed as dist

PATTERNS = ("local", "ping", "peer", "both_ways", "fan_out", "fan_in", "relay")
DEFAULT_PATTERNS = "local,ping,peer,both_ways,fan_out,fan_in,relay"
DEFAULT_SIZES = "4K,16K,64K,256K,1M,4M,16M,64M,256M"
DEFAULT_REPEATS = 10
DEFAULT_BLOCKS = 1
DEFAULT_FAN_WIDTHS = ""
DEFAULT_GROUP = ""
SCRIPT = "measure_links.py"
LONGEST_WAIT = 30 * 24 * 3600  # seconds
UNITS = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}


def size_of(text):
    text = text.strip().upper().removesuffix("IB").removesuffix("B")
    return int(text[:-1]) * UNITS[text[-1]] if text[-1] in UNITS else int(text)


def integers(text):
    return [int(item) for item in text.split(",") if item.strip()]


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("-o", "--output", default="raw.jsonl", help="new file that the lowest rank of the group writes")
    parser.add_argument("--patterns", default=DEFAULT_PATTERNS, help="which")
    parser.add_argument("--sizes", default=DEFAULT_SIZES, help="bytes of a message, with K, M, G")
    parser.add_argument("--repeats", type=int, default=DEFAULT_REPEATS, help="messages of a size and block")
    parser.add_argument("--warmup", type=int, default=2, help="messages before those, not kept")
    parser.add_argument("--blocks", type=int, default=DEFAULT_BLOCKS, help="passes over everything, apart in time")
    parser.add_argument("--fan-widths", default=DEFAULT_FAN_WIDTHS, help="peers of a fan; default 1, 2, 4, ... all")
    parser.add_argument("--group", default=DEFAULT_GROUP, help="ranks that take part; default all")
    parser.add_argument("--backend", default="", help="nccl or gloo; default nccl with CUDA")
    parser.add_argument("--max-bytes", default="", help="most bytes of buffers a process")
    parser.add_argument("--timeout", type=float, default=1800,
                        help="seconds a message may take; those who wait for others' task have as much for each "
                             "of its messages")
    parser.add_argument("--max-seconds", type=float, default=0,
                        help="no task starts later; pairs not measured are then missing; default no limit")
    parser.add_argument("--one-per-node", action="store_true",
                        help="between nodes only pairs of the lowest rank of each")
    arguments = parser.parse_args()
    if arguments.timeout <= 0 or arguments.max_seconds < 0:
        parser.error("--timeout is above 0, --max-seconds 0 or more")
    arguments.patterns = [name for name in arguments.patterns.split(",") if name]
    for name in arguments.patterns:
        if name not in PATTERNS:
            parser.error(f"unknown pattern {name}; known: {', '.join(PATTERNS)}")
    try:
        arguments.sizes = sorted({size_of(item) for item in arguments.sizes.split(",")})
        arguments.fan_widths = integers(arguments.fan_widths)
        arguments.group = sorted(integers(arguments.group))
        arguments.max_bytes = size_of(arguments.max_bytes) if arguments.max_bytes else None
    except (ValueError, IndexError):
        parser.error("--sizes, --fan-widths, --group and --max-bytes hold numbers between commas")
    if min(arguments.sizes) < 1 or min(arguments.repeats, arguments.blocks) < 1:
        parser.error("sizes, repeats and blocks are 1 or more")
    return arguments


def free_bytes(device):
    """Memory that buffers may use: half of what is free, shared by the processes of the host."""
    if device.type == "cuda":
        return torch.cuda.mem_get_info(device)[0] // 2
    with open("/proc/meminfo", encoding="ascii") as file:
        available = next(line for line in file if line.startswith("MemAvailable:"))
    return int(available.split()[1]) * 1024 // 2 // int(os.environ.get("LOCAL_WORLD_SIZE", "1"))


def own_device(backend):
    """The GPU of this process; launchers may show each process one GPU only, as number 0."""
    if backend != "nccl":
        return torch.device("cpu")
    count = torch.cuda.device_count()
    if count == 0:
        raise SystemExit(f"{SCRIPT}: this process sees no GPU; give --backend gloo")
    device = torch.device("cuda", int(os.environ.get("LOCAL_RANK", "0")) % count)
    torch.cuda.set_device(device)
    return device


class BudgetSpent(Exception):
    """Raised in every process of the group at once, between two tasks."""


class Transport:
    """Messages between the processes of a group; ranks are global."""

    def __init__(self, arguments):
        self.backend = arguments.backend or ("nccl" if torch.cuda.is_available() else "gloo")
        timeout = datetime.timedelta(seconds=min(arguments.timeout, LONGEST_WAIT))
        # Who has no part in a task waits until all its messages are through.
        messages = len(arguments.sizes) * (arguments.warmup + max(arguments.repeats, 20)) + 1
        patience = datetime.timedelta(seconds=min(arguments.timeout * messages, LONGEST_WAIT))
        self.device = own_device(self.backend)
        dist.init_process_group(self.backend, timeout=timeout)
        self.rank = dist.get_rank()
        self.ranks = arguments.group or list(range(dist.get_world_size()))
        if len(set(self.ranks)) != len(self.ranks) or not set(self.ranks) <= set(range(dist.get_world_size())):
            raise SystemExit(f"{SCRIPT}: --group holds different ranks of the job")
        self.control = dist.new_group(self.ranks, timeout=patience, backend="gloo")
        self.data = dist.new_group(self.ranks, timeout=timeout)
        # Rank 0 keeps the job's store, so it stays to the end; others outside the group leave.
        self.staying = sorted({0, *self.ranks})
        self.end = dist.new_group(self.staying, timeout=datetime.timedelta(seconds=LONGEST_WAIT), backend="gloo")
        self.member = self.rank in self.ranks
        self.writer = self.ranks[0]
        if self.backend == "nccl" and self.member:  # the first operation of a group needs all of it
            dist.all_reduce(torch.zeros(1, device=self.device), group=self.data)
        self.one = torch.zeros(1, dtype=torch.uint8)
        self.answer = torch.zeros(1, dtype=torch.uint8, device=self.device)

    def all_go(self, go):
        """Everyone meets; whether all say to go on."""
        answer = torch.tensor([int(go)], dtype=torch.int32)
        dist.all_reduce(answer, op=dist.ReduceOp.MIN, group=self.control)
        return bool(answer.item())

    def hand_over(self, records):
        """To the writer, which calls take_over."""
        text = bytearray(json.dumps(records, allow_nan=False).encode())
        dist.send(torch.tensor([len(text)], dtype=torch.int64), self.writer, group=self.control)
        dist.send(torch.frombuffer(text, dtype=torch.uint8), self.writer, group=self.control)

    def take_over(self, rank):
        size = torch.zeros(1, dtype=torch.int64)
        dist.recv(size, rank, group=self.control)
        text = torch.zeros(int(size.item()), dtype=torch.uint8)
        dist.recv(text, rank, group=self.control)
        return json.loads(bytes(text.tolist()))

    def leave(self):
        if self.rank in self.staying:
            dist.barrier(group=self.end)
        dist.destroy_process_group()

    def buffer(self, size):
        return torch.zeros(size, dtype=torch.uint8, device=self.device)

    def synchronise(self):
        if self.device.type == "cuda":
            torch.cuda.synchronize(self.device)

    def tell_ready(self, rank):
        dist.send(self.one, rank, group=self.control)

    def await_ready(self, rank):
        dist.recv(torch.zeros(1, dtype=torch.uint8), rank, group=self.control)

    def post(self, sends, receives):
        """Starts messages, receives first; a group of NCCL operations starts as one."""
        if self.backend == "nccl":
            operations = [dist.P2POp(dist.irecv, tensor, rank, self.data) for tensor, rank in receives]
            operations += [dist.P2POp(dist.isend, tensor, rank, self.data) for tensor, rank in sends]
            return dist.batch_isend_irecv(operations) if operations else []
        works = [dist.irecv(tensor, rank, group=self.data) for tensor, rank in receives]
        return works + [dist.isend(tensor, rank, group=self.data) for tensor, rank in sends]

    def finish(self, works):
        for work in works:
            work.wait()
        self.synchronise()

    def send_echo(self, tensor, rank):
        """Seconds from the first byte to the answer."""
        start = time.perf_counter()
        if self.backend == "nccl":
            self.finish(self.post([(tensor, rank)], []))
            self.finish(self.post([], [(self.answer, rank)]))
        else:
            answer = self.post([], [(self.answer, rank)])
            self.finish(self.post([(tensor, rank)], []) + answer)
        return time.perf_counter() - start

    def receive_echo(self, tensor, rank):
        works = self.post([], [(tensor, rank)])
        self.tell_ready(rank)
        self.finish(works)
        self.finish(self.post([(self.answer, rank)], []))


class Campaign:
    """Runs tasks. Samples stay with the process that timed them until their task ends; then the
    writer has them."""

    def __init__(self, arguments, transport):
        self.arguments = arguments
        self.transport = transport
        self.file = None  # of the writer
        self.samples = []  # of this process and task
        self.root_times = []  # of the root of a fan_in: (rep, bytes, seconds)
        self.members = []  # who has samples of the task
        self.order = self.kept = 0
        self.start = self.task_start = time.monotonic()
        names = [None] * len(transport.ranks)
        local = os.environ.get("LOCAL_RANK", "0")
        dist.all_gather_object(names, (socket.gethostname(), local, free_bytes(transport.device)),
                               group=transport.control)
        self.nodes = dict(zip(transport.ranks, (name[0] for name in names)))
        self.names = dict(zip(transport.ranks, (f"{name[0]}/{name[1]}" for name in names)))
        if len(set(self.names.values())) < len(names):  # several jobs a host: ranks tell apart
            self.names = {rank: f"{name}#{rank}" for rank, name in self.names.items()}
        widths = [width for width in arguments.fan_widths if 0 < width < len(names)]
        self.widths = widths or sorted({min(1 << i, len(names) - 1) for i in range(len(names).bit_length())
                                        if len(names) > 1})
        self.limit_sizes(min(name[2] for name in names))
        self.leaders = {min(rank for rank in transport.ranks if self.nodes[rank] == node)
                        for node in self.nodes.values()}

    def limit_sizes(self, free):
        """A fan needs a buffer a peer; sizes beyond the free memory of any process are left out."""
        fans = {"fan_in", "fan_out"} & set(self.arguments.patterns)
        buffers = 2 + (max(self.widths, default=0) if fans else 0)
        limit = min(free, self.arguments.max_bytes or free) // buffers
        self.sizes = [size for size in self.arguments.sizes if size <= limit]
        left_out = [size for size in self.arguments.sizes if size > limit]
        if left_out and self.transport.rank == self.transport.ranks[0]:
            print(f"{SCRIPT}: {buffers} buffers of {left_out} bytes do not fit; left out", file=sys.stderr)

    def path(self, a, b):
        return "local" if a == b else "intra_node" if self.nodes[a] == self.nodes[b] else "inter_node"

    def peers_of(self, root, width):
        """Processes of the same host first, then the others, each in order of rank from the root."""
        ranks = self.transport.ranks
        place = ranks.index(root)
        ring = [ranks[(place + i) % len(ranks)] for i in range(1, len(ranks))]
        ring = [rank for rank in ring if self.wanted(root, rank)]
        return sorted(ring, key=lambda rank: self.nodes[rank] != self.nodes[root])[:width]

    def task(self, name, pattern, block, peers, root=None):
        """Ends the task before; everyone meets; only here are barriers."""
        self.end_task()
        link = self.transport
        spent = self.arguments.max_seconds and time.monotonic() - self.start >= self.arguments.max_seconds
        if not link.all_go(not spent):
            raise BudgetSpent
        self.order += 1
        self.name, self.pattern, self.block = f"{name}#{block}", pattern, block
        self.members = list(peers) if root is None else [root, *peers]
        self.task_start = time.monotonic()
        record = {"record": "task", "task": self.name, "attempt": 1, "slot": self.order, "pattern": pattern,
                  "state": "warm"}
        if root is not None:
            record["root"] = self.names[root]
        self.write([dict(record, peers=[self.names[rank] for rank in peers])])

    def end_task(self):
        """The samples of all members are in the file, and the task is complete."""
        if not self.members:
            return
        link = self.transport
        own = (self.samples, self.root_times)
        if link.rank == link.writer:
            parts = [own if rank == link.rank else link.take_over(rank) for rank in sorted(self.members)]
            samples = [sample for part in parts for sample in part[0]]
            times = {(rep, size): seconds for part in parts for rep, size, seconds in part[1]}
            for sample in samples:
                if (sample["rep"], sample["bytes"]) in times:
                    sample["root_s"] = times[sample["rep"], sample["bytes"]]
            self.kept += len(samples)
            self.write([*samples, {"record": "task_end", "task": self.name, "attempt": 1, "complete": True}])
            say(f"task {self.order} of {self.planned[0]}: {self.name}, {time.monotonic() - self.task_start:.1f} s")
        elif link.rank in self.members:
            link.hand_over(own)
        self.samples, self.root_times, self.members = [], [], []

    def write(self, records):
        """Each line is on its way to the disk when this returns; nothing but in the writer."""
        if self.file:
            self.file.writelines(json.dumps(record, allow_nan=False) + "\n" for record in records)
            self.file.flush()

    def sample(self, a, b, size, rep, seconds, timing, **more):
        if rep < 0:
            return
        record = {"record": "sample", "task": self.name, "attempt": 1, "pattern": self.pattern,
                  "state": "warm", "transport": self.transport.backend, "streams": 1,
                  "from": self.names[a], "to": self.names[b], "path": self.path(a, b), "bytes": size,
                  "rep": rep, "block": self.block, "elapsed_s": seconds, "ok": True, "timing": timing}
        record.update(more)
        self.samples.append(record)

    def repetitions(self):
        """Negative ones warm up."""
        return range(-self.arguments.warmup, self.arguments.repeats)

    # ---- patterns: every process of the group calls each, those not concerned do nothing ----------

    def local(self, block):
        for rank in self.transport.ranks:
            self.task(f"local:{self.names[rank]}", "local", block, [rank])
            if rank != self.transport.rank:
                continue
            for size in self.sizes:
                source, target = self.transport.buffer(size), self.transport.buffer(size)
                for rep in self.repetitions():
                    self.transport.synchronise()
                    start = time.perf_counter()
                    target.copy_(source)
                    self.transport.synchronise()
                    self.sample(rank, rank, size, rep, time.perf_counter() - start, "one_way")

    def message(self, a, b, tensor, rep):
        """One message from a to b, timed by a."""
        link = self.transport
        if link.rank == b:
            link.receive_echo(tensor, a)
        elif link.rank == a:
            link.synchronise()
            link.await_ready(b)
            self.sample(a, b, tensor.numel(), rep, link.send_echo(tensor, b), "echo")

    def ping(self, block):
        for a, b in self.unordered_pairs():
            self.task(f"ping:{self.names[a]}>{self.names[b]}", "ping", block, [a, b])
            if self.transport.rank in (a, b):
                for rep in range(-self.arguments.warmup, max(self.arguments.repeats, 20)):
                    self.message(a, b, self.transport.buffer(1), rep)

    def peer(self, block):
        for a, b in self.ordered_pairs():
            self.task(f"peer:{self.names[a]}>{self.names[b]}", "peer", block, [a, b])
            for size in self.sizes if self.transport.rank in (a, b) else []:
                tensor = self.transport.buffer(size)
                for rep in self.repetitions():
                    self.message(a, b, tensor, rep)

    def both_ways(self, block):
        link = self.transport
        for a, b in self.unordered_pairs():
            self.task(f"both_ways:{self.names[a]}<>{self.names[b]}", "both_ways", block, [a, b])
            if link.rank not in (a, b):
                continue
            other = b if link.rank == a else a
            for size in self.sizes:
                out, into = link.buffer(size), link.buffer(size)
                for rep in self.repetitions():
                    seconds = self.exchange(out, other, into, other, [other])
                    self.sample(other, link.rank, size, rep, seconds, "one_way")

    def exchange(self, out, to, into, source, senders):
        """Sends and receives at once; this process's own time. All that send here are told first."""
        link = self.transport
        link.synchronise()
        works = [] if link.backend == "nccl" else link.post([], [(into, source)])
        ready = [dist.isend(link.one, rank, group=link.control) for rank in senders]
        link.await_ready(to)
        for work in ready:
            work.wait()
        start = time.perf_counter()
        if link.backend == "nccl":
            link.finish(link.post([(out, to)], [(into, source)]))
        else:
            link.finish(works + link.post([(out, to)], []))
        return time.perf_counter() - start

    def relay(self, block):
        link, ranks = self.transport, self.transport.ranks
        if len(ranks) < 3:
            return
        place = ranks.index(link.rank)
        before, behind = ranks[place - 1], ranks[(place + 1) % len(ranks)]
        self.task("relay:1", "relay", block, ranks)
        for size in self.sizes:
            out, into = link.buffer(size), link.buffer(size)
            for rep in self.repetitions():
                seconds = self.exchange(out, behind, into, before, [before])
                self.sample(before, link.rank, size, rep, seconds, "one_way",
                            send_path=self.path(link.rank, behind))

    def fan_out(self, block):
        self.fans(block, "fan_out", self.fan_out_root, self.fan_out_peer)

    def fan_in(self, block):
        self.fans(block, "fan_in", self.fan_in_root, self.fan_in_peer)

    def fans(self, block, pattern, at_root, at_peer):
        link = self.transport
        for width in self.widths:
            for root in link.ranks:
                peers = self.peers_of(root, width)
                if len(peers) < width:
                    continue
                names = [self.names[rank] for rank in peers]
                self.task(f"{pattern}:{self.names[root]}:{','.join(names)}", pattern, block, peers, root)
                for size in self.sizes if link.rank in (root, *peers) else []:
                    buffers = [link.buffer(size) for _ in (peers if link.rank == root else [root])]
                    for rep in self.repetitions():
                        link.synchronise()
                        if link.rank == root:
                            at_root(buffers, root, peers, rep)
                        else:
                            at_peer(buffers[0], root, peers, rep)

    def fan_out_root(self, buffers, root, peers, rep):
        link = self.transport
        answers = [torch.zeros_like(link.answer) for _ in peers]
        for rank in peers:
            link.await_ready(rank)
        if link.backend == "nccl":
            start = time.perf_counter()
            link.finish(link.post(list(zip(buffers, peers)), []))
            link.finish(link.post([], list(zip(answers, peers))))
            times = [time.perf_counter() - start] * len(peers)
        else:
            works = link.post([], list(zip(answers, peers)))
            times = finish_times(works, lambda: link.finish(link.post(list(zip(buffers, peers)), [])))
        for rank, seconds in zip(peers, times):
            self.fan_sample(root, rank, buffers[0], peers, rep, seconds, root_s=max(times))

    def fan_out_peer(self, tensor, root, peers, rep):
        self.transport.receive_echo(tensor, root)

    def fan_in_root(self, buffers, root, peers, rep):
        link = self.transport
        works = [] if link.backend == "nccl" else link.post([], list(zip(buffers, peers)))

        def begin():
            for rank in peers:
                link.tell_ready(rank)

        if link.backend == "nccl":
            begin()
            start = time.perf_counter()
            link.finish(link.post([], list(zip(buffers, peers))))
            times = [time.perf_counter() - start]
            link.finish(link.post([(link.answer, rank) for rank in peers], []))
        else:
            times = finish_times(works, begin,
                                 lambda i: link.finish(link.post([(link.answer, peers[i])], [])))
        if rep >= 0:
            self.root_times.append((rep, buffers[0].numel(), max(times)))

    def fan_in_peer(self, tensor, root, peers, rep):
        link = self.transport
        link.await_ready(root)
        seconds = link.send_echo(tensor, root)
        self.fan_sample(link.rank, root, tensor, peers, rep, seconds)

    def fan_sample(self, a, b, tensor, peers, rep, seconds, **more):
        self.sample(a, b, tensor.numel(), rep, seconds, "echo",
                    peers=[self.names[rank] for rank in peers], **more)

    # ---- pairs, running, collecting ------------------------------------------------------------------

    def wanted(self, a, b):
        return (not self.arguments.one_per_node or self.nodes[a] == self.nodes[b]
                or (a in self.leaders and b in self.leaders))

    def unordered_pairs(self):
        ranks = self.transport.ranks
        return [(a, b) for i, a in enumerate(ranks) for b in ranks[i + 1:] if self.wanted(a, b)]

    def ordered_pairs(self):
        return [pair for a, b in self.unordered_pairs() for pair in ((a, b), (b, a))]

    def estimate(self):
        """(tasks, messages, bytes) of all patterns and blocks, with those that warm up."""
        ranks, pairs, arguments = self.transport.ranks, len(self.unordered_pairs()), self.arguments
        fans = [width for width in self.widths for root in ranks if len(self.peers_of(root, width)) == width]
        each = {"local": (len(ranks), len(ranks)), "peer": (2 * pairs, 2 * pairs), "both_ways": (pairs, 2 * pairs),
                "fan_out": (len(fans), sum(fans)), "fan_in": (len(fans), sum(fans)),
                "relay": (1, len(ranks)) if len(ranks) > 2 else (0, 0)}
        tasks = messages = total = 0
        for pattern in arguments.patterns:
            if pattern == "ping":
                count = pairs * (arguments.warmup + max(arguments.repeats, 20))
                tasks, messages, total = tasks + pairs, messages + count, total + count
                continue
            count = each[pattern][1] * (arguments.warmup + arguments.repeats)
            tasks, messages = tasks + each[pattern][0], messages + count * len(self.sizes)
            total += count * sum(self.sizes)
        return tuple(arguments.blocks * number for number in (tasks, messages, total))

    def run(self):
        """All tasks, or those that begin in time."""
        facts = [None] * len(self.transport.ranks)
        dist.all_gather_object(facts, self.facts(), group=self.transport.control)
        self.write(facts)
        self.planned = self.estimate()
        if self.file:
            say("{} tasks, {} messages, {:.3g} GB in all".format(*self.planned[:2], self.planned[2] / 1e9))
        self.start = time.monotonic()
        try:
            for block in range(self.arguments.blocks):
                for pattern in self.arguments.patterns:
                    getattr(self, pattern)(block)
            self.end_task()
        except BudgetSpent:
            detail = f"--max-seconds {self.arguments.max_seconds:g}: {self.order} of {self.planned[0]} tasks ran"
            self.write([{"record": "event", "kind": "budget", "detail": detail}])
            if self.file:
                say(f"{detail}; pairs not measured are missing")
        self.write([{"record": "end"}])

    def facts(self):
        rank = self.transport.rank
        nccl = torch.cuda.nccl.version() if torch.cuda.is_available() else None
        facts = {"record": "host", "id": self.names[rank], "site": self.nodes[rank], "rank": rank,
                 "host": self.nodes[rank], "local_rank": int(os.environ.get("LOCAL_RANK", "0")),
                 "kernel": os.uname().release, "cpus": os.cpu_count(), "torch": torch.__version__}
        if nccl:
            facts["nccl"] = ".".join(map(str, nccl)) if isinstance(nccl, tuple) else str(nccl)
            facts["gpu"] = torch.cuda.get_device_name(self.transport.device)
        return facts


def finish_times(works, begin, then=None):
    """Seconds after begin() was called at which each is done. Gloo cannot be polled, so each has a
    thread that waits; the threads are there before anything starts."""
    ends = [0.0] * len(works)
    errors = []

    def wait(i):
        try:
            works[i].wait()
            ends[i] = time.perf_counter()
            if then:
                then(i)
        except Exception as error:  # handed on below: a thread must not swallow it
            errors.append(error)

    threads = [threading.Thread(target=wait, args=(i,)) for i in range(len(works))]
    for thread in threads:
        thread.start()
    start = time.perf_counter()
    begin()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]
    return [end - start for end in ends]


def say(text):
    print(f"{SCRIPT}: {text}", file=sys.stderr, flush=True)


def new_file(path):
    """Hours of measuring are not to be lost to a second run."""
    try:
        if os.path.exists(path) and os.path.getsize(path) > 0:
            raise SystemExit(f"{SCRIPT}: {path} holds records already; give a new file with -o")
        return open(path, "w", encoding="utf-8")
    except OSError as error:
        raise SystemExit(f"{SCRIPT}: {path}: {error.strerror}; give another file with -o") from error


def main():
    arguments = parse_arguments()
    started = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    writes = int(os.environ.get("RANK", "0")) == (arguments.group or [0])[0]
    file = new_file(arguments.output) if writes else None
    transport = Transport(arguments)
    if transport.member:
        campaign = Campaign(arguments, transport)
        campaign.file = file
        campaign.write([{"record": "run", "format": "longhaul.raw/1", "run": f"torch-{started}",
                         "started": started, "tool": f"{SCRIPT}, torch {torch.__version__}",
                         "backend": transport.backend, "fan_widths": campaign.widths}])
        campaign.run()
        if file:
            os.fsync(file.fileno())
            file.close()
            say(f"{campaign.kept} samples in {arguments.output}")
    transport.leave()


if __name__ == "__main__":
    main()
