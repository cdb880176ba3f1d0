/** Arguments: the master, paths to load, `--`, then each mount of the Dataset as its path and its URL. It writes by Debian's libmfsio, without a mount. */
export const LOAD = String.raw`import ctypes
import html.parser
import os
import sys
import urllib.parse
import urllib.request

MASTER, *rest = sys.argv[1:]
targets, pairs = rest[: rest.index("--")], rest[rest.index("--") + 1 :]
mounts = list(zip(pairs[::2], pairs[1::2]))

TEXTS = ["masterhost", "masterport", "masterpassword", "mountpoint", "masterpath"]
NUMBERS = ["read_cache_mb", "write_cache_mb", "io_try_cnt", "error_on_lost_chunk", "error_on_no_space",
           "sugid_clear_mode", "mkdir_copy_sgid"]


class Connection(ctypes.Structure):
    _fields_ = [(name, ctypes.c_char_p) for name in TEXTS] + [(name, ctypes.c_int) for name in NUMBERS]


library = ctypes.CDLL("libmfsio.so.1", use_errno=True)
library.mfs_write.restype = ctypes.c_ssize_t
library.mfs_write.argtypes = [ctypes.c_int, ctypes.c_char_p, ctypes.c_size_t]


def call(name, path, *arguments):
    result = getattr(library, name)(path.encode(), *arguments)
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), path)
    return result


def connect():
    connection = Connection(MASTER.encode(), b"9421", None, b"sluice", b"/", 64, 64, 30, 0, 0, 0, 1)
    if library.mfs_init(ctypes.byref(connection), 0) != 0:
        raise SystemExit(f"no master of MooseFS answers at {MASTER}")


def make_directories(path):
    """As mkdir -p."""
    parts = path.strip("/").split("/")
    for end in range(1, len(parts) + 1):
        try:
            call("mfs_mkdir", "/" + "/".join(parts[:end]), 0o755)
        except FileExistsError:
            pass


def write(path, blocks):
    """Readers see the whole file, or the one before it. Returns its length."""
    partial, length = f"{path}.partial", 0
    descriptor = call("mfs_open", partial, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
    try:
        for block in blocks:
            written = 0
            while written < len(block):
                count = library.mfs_write(descriptor, block[written:], len(block) - written)
                if count <= 0:
                    raise OSError(ctypes.get_errno(), "not written", partial)
                written += count
            length += len(block)
    finally:
        closed = library.mfs_close(descriptor)
    if closed != 0:
        raise OSError(ctypes.get_errno(), "not written", partial)
    call("mfs_rename", partial, path.encode())
    return length


class Links(html.parser.HTMLParser):
    """Entries of a directory, as web servers list them."""

    def __init__(self, page):
        super().__init__()
        self.names = []
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        link = dict(attributes).get("href") or ""
        name = urllib.parse.unquote(link)
        # Neither another directory, nor this one in another order.
        if tag == "a" and name.rstrip("/") not in ("", ".", "..") and "/" not in name[:-1] and link[0] not in "?#":
            self.names.append(name)


def copy(url, path):
    """A file, or all that is below a directory. Returns the number of files and bytes."""
    with urllib.request.urlopen(url, timeout=60) as answer:
        # Web servers lead from the name of a directory to its list.
        if not answer.geturl().endswith("/"):
            make_directories(os.path.dirname(path))
            return 1, write(path, iter(lambda: answer.read(1 << 20), b""))
        base, names = answer.geturl(), Links(answer.read().decode()).names
    sums = [copy(base + urllib.parse.quote(name), f"{path}/{name.rstrip('/')}") for name in names]
    return sum(count for count, _ in sums), sum(length for _, length in sums)


def wanted(target):
    """The mounts that a path of the DataLoad is in, or that are in it."""
    for path, url in mounts:
        below = path.rstrip("/") + "/"
        if f"{target}/".startswith(below):
            yield path, url, target[len(below):]
        elif below.startswith(target.rstrip("/") + "/"):
            yield path, url, ""


connect()
for path, _ in mounts:
    make_directories(path)
for target in targets:
    found = list(wanted(target))
    if not found:
        raise SystemExit(f"{target} is in no mount of the Dataset: {', '.join(path for path, _ in mounts)}")
    for path, url, rest in found:
        source = f"{url.rstrip('/')}/{urllib.parse.quote(rest)}"
        count, length = copy(source, os.path.join(path, rest).rstrip("/"))
        print(f"{target}: {count} files, {length} bytes from {source}", flush=True)
`;
