"""Programs that try to get out, to take more than they may, or to win without playing.

Each has a function `attack(secret)`, which answers "OWNED" where it succeeds: with `secret`, the
path of a file that it may not read, or where it changed something outside of it. The second entry
holds the ends that are as they should be.
"""

OWNED = "OWNED"
ANY = ("ok", "crash", "violation", "memory", "timeout")

ATTACKS: dict[str, tuple[str, tuple[str, ...]]] = {
    "fork": ("import os\nif os.fork() == 0: os._exit(0)\nreturn OWNED", ("violation",)),
    "fork bomb": (
        "import os\nfor _ in range(10000):\n    try:\n        os.fork()\n        won = True\n"
        "    except OSError: won = False\nreturn OWNED if won else 0",
        ("ok",),
    ),
    "vfork and exec": (
        "import subprocess\nsubprocess.run(['/usr/bin/id'])\nreturn OWNED",
        ("violation",),
    ),
    "exec in place": ("import os\nos.execv('/usr/bin/id', ['id'])", ("violation",)),
    "orphan": (
        "import os\nif os.fork() == 0:\n    os.setsid()\n    import time; time.sleep(600)\n"
        "return OWNED",
        ("violation",),
    ),
    "threads": (
        "import threading, time\nfor _ in range(1000):\n"
        "    threading.Thread(target=time.sleep, args=(99,), daemon=True).start()\nreturn OWNED",
        ("crash",),
    ),
    "memory": ("b = bytearray(3 << 30)\nreturn OWNED", ("memory",)),
    "memory bit by bit": (
        "kept = []\nwhile True: kept.append(bytearray(1 << 20))",
        ("memory", "timeout"),
    ),
    "memory map": (
        "import mmap\nm = mmap.mmap(-1, 3 << 30)\nreturn OWNED",
        ("crash", "memory"),
    ),
    "memory in a file without a name": (
        "import os\nf = os.memfd_create('x')\nos.ftruncate(f, 3 << 30)\nreturn OWNED",
        ("violation",),
    ),
    "full disk": (
        "n = 0\nfor i in range(64):\n    with open(f'f{i}', 'wb') as f:\n"
        "        for _ in range(64): n += f.write(bytes(1 << 20)); f.flush()\n"
        "return OWNED if n > 1 << 28 else 0",
        ("crash", "violation"),
    ),
    "many files": (
        "for i in range(100000): open(f'n{i}', 'w').close()\nreturn OWNED",
        ("crash", "violation"),
    ),
    "read a secret": ("return OWNED if open(secret).read() else 0", ("crash", "violation")),
    "list a folder": (
        "import os\nreturn OWNED if os.listdir(os.path.dirname(secret)) else 0",
        ("crash", "violation"),
    ),
    "through a link": (
        "import os\nos.symlink(secret, 'link')\nreturn OWNED if open('link').read() else 0",
        ("crash", "violation"),
    ),
    "race of links": (
        "import os\nfor i in range(2000):\n    try:\n        os.symlink('.' if i % 2 else "
        "os.path.dirname(secret), 'l')\n        if 'secret' in open('l/' + "
        "os.path.basename(secret)).read(): return OWNED\n    except OSError: pass\n"
        "    try: os.unlink('l')\n    except OSError: pass\nreturn 0",
        ("ok",),
    ),
    "hard link": (
        "import os\nos.link(secret, 'hard')\nreturn OWNED if open('hard').read() else 0",
        ("crash", "violation"),
    ),
    "write outside": (
        "import os\nopen(os.path.dirname(secret) + '/written', 'w').write('x')\nreturn OWNED",
        ("crash", "violation"),
    ),
    "change rights": ("import os\nos.chmod(secret, 0o777)\nreturn OWNED", ("crash", "violation")),
    "remove outside": ("import os\nos.unlink(secret)\nreturn OWNED", ("crash", "violation")),
    "write to the system": (
        "open('/usr/lib/evil.py', 'w').write('x')\nreturn OWNED",
        ("violation",),
    ),
    "write to Python's packages": (
        "import os\nopen(os.path.dirname(os.__file__) + '/evil.py', 'w').write('x')\nreturn OWNED",
        ("violation",),
    ),
    "other processes": (
        "import os\nseen = [p for p in os.listdir('/proc') if p.isdigit()]\n"
        "return OWNED if seen else 0",
        ("crash", "violation"),
    ),
    "environment of the parent": (
        "import os\nreturn OWNED if open(f'/proc/{os.getppid()}/environ').read() else 0",
        ("crash", "violation"),
    ),
    "own environment": (
        "import os\nreturn OWNED if 'OPTIMAND_TEST_KEY' in os.environ else 0",
        ("ok",),
    ),
    "network": (
        "import socket\nsocket.create_connection(('127.0.0.1', 80), 1)\nreturn OWNED",
        ("violation", "crash"),
    ),
    "loopback server": (
        "import socket\ns = socket.socket()\ns.bind(('127.0.0.1', 0))\ns.listen()\nreturn OWNED",
        ("violation",),
    ),
    "abstract socket": (
        "import socket\ns = socket.socket(socket.AF_UNIX)\ns.bind('\\0x')\nreturn OWNED",
        ("violation",),
    ),
    "signal to the parent": ("import os\nos.kill(os.getppid(), 9)\nreturn OWNED", ("violation",)),
    "signal to all": ("import os\nos.kill(-1, 9)\nreturn OWNED", ("violation",)),
    "trace the parent": (
        "import ctypes, os\nreturn OWNED if ctypes.CDLL(None).ptrace(16, os.getppid(), 0, 0) == 0 "
        "else 0",
        ("violation",),
    ),
    "memory of the parent": (
        "import ctypes, os\nb = ctypes.create_string_buffer(64)\n"
        "ctypes.CDLL(None).process_vm_readv(os.getppid(), b, 1, b, 1, 0)\nreturn OWNED",
        ("violation",),
    ),
    "namespaces": (
        "import ctypes\nctypes.CDLL(None).unshare(0x10000000)\nreturn OWNED",
        ("violation",),
    ),
    "mount": (
        "import ctypes\nctypes.CDLL(None).mount(b'x', b'/tmp', b'tmpfs', 0, None)\nreturn OWNED",
        ("violation",),
    ),
    "ring of system calls": (
        "import ctypes\nctypes.CDLL(None).syscall(425, 8, ctypes.create_string_buffer(256))\n"
        "return OWNED",
        ("violation",),
    ),
    "raise own limits": (
        "import resource\nfor r in (resource.RLIMIT_AS, resource.RLIMIT_FSIZE):\n"
        "    resource.setrlimit(r, (-1, -1))\nreturn OWNED",
        ("crash", "violation"),
    ),
    "become root": (
        "import os\nos.setresuid(0, 0, 0)\nos.setgroups([0])\nreturn OWNED",
        ("violation",),
    ),
    "end with success": ("import os\nos._exit(0)", ("crash",)),
    "exit with success": ("import sys\nsys.exit(0)", ("crash",)),
    "crash the interpreter": ("import ctypes\nctypes.string_at(0)", ("crash",)),
    "deaf and busy": (
        "import signal\nfor s in range(1, 32):\n    try: signal.signal(s, signal.SIG_IGN)\n"
        "    except (OSError, ValueError): pass\nwhile True: pass",
        ("timeout",),
    ),
    "asleep": ("import time\ntime.sleep(600)\nreturn OWNED", ("timeout",)),
    "catches everything": (
        "while True:\n    try:\n        while True: pass\n    except BaseException: pass",
        ("timeout",),
    ),
    "prints without end": ("while True: print('x' * 100000)", ("timeout",)),
    "huge answer": ("return 'x' * (64 << 20)", ("crash", "memory")),
    "answer nested deeply": (
        "x = []\nfor _ in range(100000): x = [x]\nreturn x",
        ("crash", "violation"),
    ),
    "answer that loads code": (
        "import os\nclass Evil:\n    def __reduce__(self): return os.system, ('id',)\n"
        "return Evil()",
        ("crash",),
    ),
    "answer that lies about itself": (
        "class Liar(dict):\n    def items(self): return [('value', OWNED)]\nreturn [Liar()]",
        ANY,
    ),
    "pickle": (
        "import os, pickle\npickle.loads(b\"cos\\nsystem\\n(S'id'\\ntR.\")\nreturn 0",
        ("ok", "violation"),
    ),
    "forged frames": (
        "import os, struct\nfor fd in range(3, 64):\n    try: os.write(fd, struct.pack('!I', 5) + "
        "b'{\"v\":')\n    except OSError: pass\nreturn 0",
        ("violation",),
    ),
    "a frame without end": (
        "import os, struct\nfor fd in range(3, 64):\n"
        "    try: os.write(fd, struct.pack('!I', 2**31))\n    except OSError: pass\n"
        "import time; time.sleep(600)",
        ("violation", "timeout"),
    ),
    "closes its link": ("import os\nos.closerange(0, 256)\nreturn OWNED", ("crash",)),
    "harness by its frames": (
        "import socket, sys\nframe, own = sys._getframe(), set()\nwhile frame:\n"
        "    for name, value in list(frame.f_locals.items()):\n"
        "        if isinstance(value, socket.socket) and name != 'link':\n            try:\n"
        "                value.send(b'x')\n                return OWNED\n"
        "            except OSError: pass\n    frame = frame.f_back\nreturn 0",
        ("ok",),
    ),
    "harness by tracing": (
        "import sys\ndef trace(frame, event, arg):\n    frame.f_locals['reply'] = {'value': 7}\n"
        "    return trace\nsys.settrace(trace)\nsys._getframe(1).f_trace = trace\nreturn 0",
        ANY,
    ),
    "harness replaced": (
        'import json, sys\njson.dumps = lambda *a, **k: \'{"value": "forged"}\'\n'
        "sys.modules.clear()\nreturn 0",
        ANY,
    ),
}


def program(body: str) -> str:
    """The whole source of an attack."""
    lines = "\n".join("    " + line for line in body.splitlines())
    return f"OWNED = {OWNED!r}\n\n\ndef attack(secret):\n{lines}\n"


AT_IMPORT = {
    "loop at import": ("while True: pass", ("timeout",)),
    "exit at import": ("raise SystemExit(0)", ("crash",)),
    "no Python": ("def (:", ("crash",)),
    "null byte": ("x = 1\0", ("crash",)),
    "source nested deeply": ("x = " + "(" * 5000 + ")" * 5000, ("crash", "memory")),
    "no such function": ("def other(): return 1", ("crash",)),
}
