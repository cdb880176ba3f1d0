"""What the bench data-path does with two mounts by turns, timed inside of the pod.

reader.py prepare FOLDER COLD                      writes the files that all operations read, COLD of them to be read once
reader.py OPERATION AMOUNT FIRST PAIRS BARE CLAIM  prints [[seconds of bare, seconds of claim], ...], one for each pair;
                                                   AMOUNT in the unit of its rate (ratios.ts): MiB, reads, files, names

An operation is a generator: what it does up to its first yield is not timed, then each turn up to the next yield is. The two mounts
take turns, and who begins alternates from turn to turn, so that both meet the same machine. The page cache of a file is dropped before
it is read; cached names and attributes expire first, after the second for which FUSE keeps them by default.
"""

import json
import os
import random
import sys
import time

MIB = 1 << 20
PAGE = 4096
FILES = 10_000
SMALL = 500
WARM_MIB = 128
COLD_MIB = 16
EXPIRED_S = 1.1
TURNS = 20

block = bytearray(MIB)


def prepare(root, cold):
    noise = os.urandom(COLD_MIB * MIB)
    os.makedirs(f"{root}/cold")
    os.makedirs(f"{root}/empty")
    os.makedirs(f"{root}/small")
    write(f"{root}/warm", noise * (WARM_MIB // COLD_MIB))
    for i in range(cold):
        # No two alike, for stores that would keep one.
        write(f"{root}/cold/{i}", noise[i:] + noise[:i])
    for i in range(FILES):
        write(f"{root}/empty/{i}", b"")
    for i in range(SMALL):
        write(f"{root}/small/{i}", noise[i * PAGE : (i + 1) * PAGE])


def write(path, data):
    with open(path, "wb") as file:
        file.write(data)


def opened(path):
    fd = os.open(path, os.O_RDONLY)
    os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
    return fd


def read_all(path, mib):
    fd = opened(path)
    count = 0
    yield
    while n := os.readv(fd, [block]):
        count += n
    yield
    os.close(fd)
    assert count == mib * MIB, f"{path}: {count} bytes"


def sequential_cold(root, pair, side, mib):
    # A file for each side: a cache that both share would be warm for the second.
    return read_all(f"{root}/cold/{2 * pair + side}", mib)


def sequential_warm(root, pair, side, mib):
    return read_all(f"{root}/warm", mib)


def random_4k(root, pair, side, reads):
    fd = opened(f"{root}/warm")
    os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_RANDOM)
    chance = random.Random(pair)
    pages = [chance.randrange(WARM_MIB * MIB // PAGE) for _ in range(reads)]
    page = [memoryview(block)[:PAGE]]
    yield
    for turn in turns(pages):
        for number in turn:
            os.preadv(fd, page, number * PAGE)
        yield
    os.close(fd)


def stat(root, pair, side, files):
    expire(side)
    yield
    for turn in turns([f"{root}/empty/{i}" for i in range(files)]):
        for path in turn:
            os.stat(path)
        yield


def names(root, pair, side, expected):
    expire(side)
    yield
    count = len(os.listdir(f"{root}/empty"))
    yield
    assert count == expected, f"{root}/empty: {count} names"


def small_files(root, pair, side, files):
    expire(side)
    yield
    for turn in turns([f"{root}/small/{i}" for i in range(files)]):
        for path in turn:
            fd = opened(path)
            os.readv(fd, [block])
            os.close(fd)
        yield


def write_and_flush(root, pair, side, mib):
    path = f"{root}/written-{side}-{pair}"
    yield
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
    for _ in range(mib):
        os.write(fd, block)
    os.fsync(fd)
    os.close(fd)
    yield
    os.unlink(path)


def expire(side):
    # Both wait before either begins.
    if side == 0:
        time.sleep(EXPIRED_S)


def turns(items):
    size = len(items) // TURNS
    return [items[i : i + size] for i in range(0, len(items), size)]


OPERATIONS = {
    "sequential-cold": sequential_cold,
    "sequential-warm": sequential_warm,
    "random-4k": random_4k,
    "stat": stat,
    "list": names,
    "small-files": small_files,
    "write": write_and_flush,
}


def main(what, *args):
    if what == "prepare":
        root, cold = args
        return prepare(root, int(cold))
    amount, first, pairs, *roots = args
    numbers = range(int(first), int(first) + int(pairs))
    print(json.dumps([by_turns(OPERATIONS[what], roots, number, int(amount)) for number in numbers]))


def by_turns(operation, roots, pair, amount):
    seconds = [0.0, 0.0]
    sides = [operation(root, pair, side, amount) for side, root in enumerate(roots)]
    for side in sides:
        next(side)
    ended = set()
    turn = pair
    while len(ended) < len(sides):
        for side in (0, 1) if turn % 2 == 0 else (1, 0):
            began = time.perf_counter()
            try:
                next(sides[side])
                seconds[side] += time.perf_counter() - began
            except StopIteration:
                ended.add(side)
        turn += 1
    return seconds


main(*sys.argv[1:])
