"""A chat-completions endpoint on this machine that fails as it is told to, and keeps its bill."""

import contextlib
import gzip
import json
import threading
from collections import deque
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from optimand.core.record import Usage

KEY = "sk-test-0123456789abcdef"


def word(body):
    """The answer of an endpoint that keeps to the form asked for."""
    form = body.get("response_format")
    if form is None:
        return "water"
    fields = form["json_schema"]["schema"]["properties"]
    return json.dumps({name: field.get("enum", [3])[0] for name, field in fields.items()})


class Endpoint:
    """`answer(body)` is a text, a message, or a refusal (status, text).

    `faults` come first, in turn; a fault is a name in FAULTS or a status, and `always` one for
    every call. `bill` is what the endpoint charges: calls and tokens that it told, and calls whose
    bill was garbled as unpriced.
    """

    def __init__(self, answer=word, faults=(), always=None):
        self.answer = answer
        self.faults = deque(faults)
        self.always = always
        self.requests = []
        self.headers = []
        self.bill = Usage()
        self.now = self.most = 0
        self._lock = threading.Lock()
        self._ended = threading.Event()

    def __enter__(self):
        endpoint = self

        class Handler(_Handler):
            site = endpoint

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = False
        self.host = f"127.0.0.1:{self._server.server_port}"
        self.url = f"http://{self.host}/v1"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._ended.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def begin(self, body, headers):
        with self._lock:
            self.requests.append(body)
            self.headers.append(headers)
            self.now += 1
            self.most = max(self.most, self.now)
            fault = self.faults.popleft() if self.faults else None
            return self.always if fault is None else fault

    def end(self):
        with self._lock:
            self.now -= 1

    def charge(self, usage):
        with self._lock:
            self.bill += usage


class _Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        fault = self.site.begin(body, {k.lower(): v for k, v in self.headers.items()})
        with contextlib.suppress(ConnectionError):
            try:
                if isinstance(fault, int):
                    self.refuse(fault)
                else:
                    FAULTS[fault](self, body)
            finally:
                self.site.end()

    def reply(self, body):
        message = self.site.answer(body)
        if isinstance(message, tuple):
            self.send(message[0], {"error": {"message": message[1]}})
            return
        if isinstance(message, str):
            message = {"role": "assistant", "content": message}
        usage = self.charged(body, str(message.get("content")))
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        self.send(200, {"choices": [choice], "usage": usage})

    def charged(self, body, text):
        inputs = sum(len(m["content"].split()) for m in body["messages"])
        outputs = len(text.split())
        self.site.charge(Usage(1, inputs, outputs))
        return {"prompt_tokens": inputs, "completion_tokens": outputs}

    def refuse(self, status):
        """An error that, as bad services do, repeats the key."""
        key = self.headers.get("Authorization", "")
        headers = {"Retry-After": "2"} if status == 429 else {}
        self.send(status, {"error": {"message": f"refused {key}, says the service"}}, headers)

    def hang(self, body):
        self.site._ended.wait(20)

    def drop(self, body):
        """Close without a word."""

    def cut(self, body):
        self.send(200, {"choices": []}, {"Content-Length": "9999"})

    def garbage(self, body):
        self.site.charge(Usage(1, unpriced=1))
        self.send(200, '{"choices": [{"mess')

    def empty(self, body):
        self.send(200, {"choices": [], "usage": self.charged(body, "")})

    def utf16(self, body):
        """A good answer under a false flag."""
        told = {"choices": [{"message": {"content": "wéll"}}], "usage": self.charged(body, "x")}
        self.send(200, told, {"Content-Type": "application/json; charset=utf-16"})

    def utf16_refusal(self, body):
        self.send(400, {"error": "nö"}, {"Content-Type": "text/plain; charset=utf-16"})

    def error_within(self, body):
        self.send(200, {"error": {"code": 502, "message": "upstream failed"}})

    def long(self, body):
        """An answer without an end, in chunks."""
        self.site.charge(Usage(1, unpriced=1))
        self.send_response(200)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        piece = b" " * 2**20
        for _ in range(64):
            self.wfile.write(b"100000\r\n" + piece + b"\r\n")

    def packed(self, body):
        """A good answer, packed."""
        choice = {"message": {"content": "water"}}
        self.packed_data(json.dumps({"choices": [choice], "usage": self.charged(body, "water")}))

    def bomb(self, body, status=200):
        self.site.charge(Usage(1, unpriced=1))
        self.packed_data(" " * 2**26, status)

    def bomb_refusal(self, body):
        self.bomb(body, 500)

    def twice(self, body):
        self.site.charge(Usage(1, unpriced=1))
        self.packed_data("{}", how="gzip, gzip")

    def broken(self, body):
        self.site.charge(Usage(1, unpriced=1))
        self.packed_data(None)

    def packed_data(self, text, status=200, how="gzip"):
        data = b"not packed" if text is None else gzip.compress(text.encode(), 1)
        self.send_response(status)
        self.send_header("Content-Encoding", how)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def circle(self, body):
        self.send(307, "", {"Location": self.path})

    def send(self, status, value, headers=None):
        data = value if isinstance(value, str) else json.dumps(value)
        self.send_response(status)
        for name, text in ({"Content-Length": str(len(data))} | (headers or {})).items():
            self.send_header(name, text)
        self.end_headers()
        self.wfile.write(data.encode())

    def log_message(self, *_):
        """Say nothing."""


FAULTS = {None: _Handler.reply, "fine": _Handler.reply} | {
    name: getattr(_Handler, name)
    for name in (
        "hang",
        "drop",
        "cut",
        "garbage",
        "empty",
        "error_within",
        "utf16",
        "utf16_refusal",
        "long",
        "packed",
        "bomb",
        "bomb_refusal",
        "twice",
        "broken",
        "circle",
    )
}
