"""What emulate_test.py runs on the hosts of an emulated network. Only Python's own library.

    emulate_probe.py serve                       echo on UDP 7000, count on UDP 7001, sink on TCP 7002,
                                                 hash on TCP 7003
    emulate_probe.py ping HOST COUNT GAP_MS      round trips in ms
    emulate_probe.py flood HOST COUNT BYTES GAP_MS   datagrams that arrived
    emulate_probe.py send HOST SECONDS           Mbit/s of payload that arrived after the first half
    emulate_probe.py copy HOST BYTES             whether these bytes arrived as they were sent

Each prints one JSON value. Servers say "ready" first.
"""
import hashlib
import json
import os
import selectors
import socket
import struct
import sys
import threading
import time

ECHO, COUNT, SINK, HASH = 7000, 7001, 7002, 7003
PATIENCE = 20.0  # s, for what takes milliseconds


def datagrams(port):
    server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    server.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 22)
    server.bind(("", port))
    return server


def serve():
    echo, count = datagrams(ECHO), datagrams(COUNT)
    sink = socket.create_server(("", SINK), backlog=16)
    hasher = socket.create_server(("", HASH))
    chooser = selectors.DefaultSelector()
    for server in (echo, count, sink, hasher):
        chooser.register(server, selectors.EVENT_READ)
    print("ready", flush=True)
    arrived = set()
    while True:
        for key, _ in chooser.select():
            if key.fileobj in (sink, hasher):
                connection, _ = key.fileobj.accept()
                action = drain if key.fileobj is sink else digest
                threading.Thread(target=action, args=(connection,), daemon=True).start()
            else:
                data, sender = key.fileobj.recvfrom(65536)
                if key.fileobj is echo:
                    echo.sendto(data, sender)
                elif data.startswith(b"how many"):
                    count.sendto(str(len(arrived)).encode(), sender)
                else:
                    arrived.add(data[:8])


def drain(connection):
    """Reads to the end; answers with (seconds, bytes) after every read of the second half."""
    (seconds,) = struct.unpack("d", connection.recv(8, socket.MSG_WAITALL))
    begin = time.monotonic()
    marks, total = [], 0
    while data := connection.recv(1 << 20):
        total += len(data)
        marks.append((time.monotonic() - begin, total))
    late = [mark for mark in marks if seconds / 2 <= mark[0] <= seconds]
    rate = (late[-1][1] - late[0][1]) * 8e-6 / (late[-1][0] - late[0][0]) if len(late) > 1 else 0
    connection.sendall(json.dumps(rate).encode())
    connection.close()


def digest(connection):
    """Answers with the hash of all that came."""
    seen = hashlib.sha256()
    while data := connection.recv(1 << 20):
        seen.update(data)
    connection.sendall(seen.digest())
    connection.close()


def ping(host, count, gap):
    client = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    client.settimeout(PATIENCE)
    times = []
    for number in range(count):
        begin = time.monotonic()
        client.sendto(struct.pack("q", number), (host, ECHO))
        while struct.unpack("q", client.recv(64))[0] != number:
            pass
        times.append((time.monotonic() - begin) * 1e3)
        time.sleep(gap / 1e3)
    return times


def flood(host, count, size, gap):
    client = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    client.settimeout(0.2)
    for number in range(count):
        client.sendto(struct.pack("q", number) + bytes(size - 8), (host, COUNT))
        if gap:
            time.sleep(gap / 1e3)
    answers, deadline = [], time.monotonic() + PATIENCE
    while (len(answers) < 3 or len(set(answers[-3:])) > 1) and time.monotonic() < deadline:
        client.sendto(b"how many", (host, COUNT))  # until the number stands still
        try:
            answers.append(int(client.recv(64)))
        except TimeoutError:
            pass
    return answers[-1]


def send(host, seconds):
    client = socket.create_connection((host, SINK), timeout=PATIENCE)
    client.sendall(struct.pack("d", seconds))
    block, end = bytes(1 << 18), time.monotonic() + seconds
    while time.monotonic() < end:
        client.sendall(block)
    client.shutdown(socket.SHUT_WR)
    return json.loads(client.recv(64))


def copy(host, size):
    client = socket.create_connection((host, HASH), timeout=PATIENCE)
    data = os.urandom(size)
    client.sendall(data)
    client.shutdown(socket.SHUT_WR)
    return client.recv(32, socket.MSG_WAITALL) == hashlib.sha256(data).digest()


def main():
    what, *words = sys.argv[1:]
    if what == "serve":
        serve()
    host, *numbers = words
    action = {"ping": ping, "flood": flood, "send": send, "copy": copy}[what]
    numbers = [float(number) if what == "send" else int(number) for number in numbers]
    print(json.dumps(action(host, *numbers)))


if __name__ == "__main__":
    main()
