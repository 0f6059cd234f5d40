"""Both clients ask the same questions and tell refusal from absence."""

import asyncio
import json

import pytest
from click.testing import CliRunner

from hss_stream.client import AsyncClient, Client, GatewayError, GatewayProblem
from hss_stream.commands.lookup import command
from tests.services.rspamd import free_port
from tests.unit.gateway.running import running

MESSAGE = b"From: a@b.example\r\nSubject: x\r\n\r\nHello\r\n"


async def test_both_clients_agree():
    """What one client hears the other hears too."""
    async with running() as gateway:
        address = gateway.url("")
        async with AsyncClient(address) as client:
            awaited = [
                await client.mail(MESSAGE),
                await client.page(b"<p>x", url="http://a.example/"),
                await client.nameserver("ns1.a.example"),
                await client.url("http://a.example/?q=ü"),
                (await client.lookup(names=["ns.b.example"])).names[0],
            ]

        def ask():
            with Client(address) as client:
                return [
                    client.mail(MESSAGE),
                    client.page(b"<p>x", url="http://a.example/"),
                    client.nameserver("ns1.a.example"),
                    client.url("http://a.example/?q=ü"),
                    client.lookup(names=["ns.b.example"]).names[0],
                ]

        waited = await asyncio.to_thread(ask)
        without_time = [[one.model_copy(update={"took_ms": 0}) for one in some] for some in (awaited, waited)]

        assert without_time[0] == without_time[1]


async def test_refusal_is_told_from_absence():
    """A refusal carries its code; a gateway that is away is another error."""
    async with running() as gateway, AsyncClient(gateway.url("")) as client:
        with pytest.raises(GatewayProblem) as refused:
            await client.cluster("s0000000000000000")

        assert (404, "not-found") == (refused.value.status, refused.value.code)
    with pytest.raises(GatewayError):
        Client(f"http://127.0.0.1:{free_port()}").nameserver("a.example")


async def test_command_prints_the_verdict(tmp_path):
    """`lookup` tells a file from a URL and a name, and prints the verdict."""
    path = tmp_path / "message.eml"
    path.write_bytes(MESSAGE)
    async with running() as gateway:
        runs = [
            await asyncio.to_thread(
                CliRunner().invoke, command, [subject, "--gateway", gateway.url(""), *options]
            )
            for subject, *options in [(str(path),), ("http://a.example/",), ("ns1.a.example", "--json")]
        ]
        routes = [json.loads(line)["route"] for line in gateway.lines()]

        assert ["mail", "url", "nameserver"] == routes
        assert [0, 0, 0] == [run.exit_code for run in runs], runs
        assert runs[0].output.startswith("unknown  0")
        assert "a.example" == json.loads(runs[2].output)["provider"]
