"""An event loop whose clock jumps to the next timer: simulated waits take no time."""

import asyncio


class _VirtualLoop(asyncio.SelectorEventLoop):
    now = 0.0

    def time(self):
        return self.now

    def _run_once(self):
        if not self._ready and self._scheduled:
            self.now = max(self.now, self._scheduled[0].when())
        super()._run_once()


def run_virtually(coroutine):
    """The coroutine's result, and the time it took on its own clock."""
    loop = _VirtualLoop()
    try:
        return loop.run_until_complete(coroutine), loop.now
    finally:
        loop.close()
