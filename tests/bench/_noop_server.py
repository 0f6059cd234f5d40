"""The baseline of the bench `gateway`: the same HTTP server with a handler that does nothing."""

import asyncio
import sys

import uvloop
from aiohttp import web

ANSWER = b'{"verdict":"unknown"}'


async def answer(request):
    """Read the body and say nothing."""
    if request.method == "POST":
        await request.read()
    return web.Response(body=ANSWER, content_type="application/json")


async def main(port):
    """Serve for ever."""
    server = web.Server(answer, access_log=None)
    listener = await asyncio.get_running_loop().create_server(server, "127.0.0.1", port)
    await listener.serve_forever()


if __name__ == "__main__":
    uvloop.run(main(int(sys.argv[1])))
