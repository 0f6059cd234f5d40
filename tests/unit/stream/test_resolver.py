"""Name servers asked of the DNS: cached, bounded in time, and silent where there is no answer."""

import asyncio

import dns.message
import dns.rrset
import pytest

from hss_stream.stream.resolver import NameserverResolver


class Answering(asyncio.DatagramProtocol):
    """A DNS server that knows one domain, refuses one and is silent about the rest."""

    def __init__(self):
        self.asked = []

    def connection_made(self, transport):
        """Keep the way back."""
        self.transport = transport

    def datagram_received(self, data, address):
        """Answer a question."""
        question = dns.message.from_wire(data)
        name = question.question[0].name
        self.asked.append(str(name))
        reply = dns.message.make_response(question)
        if str(name) == "known.example.":
            names = ["NS2.host.test.", "ns1.host.test."]
            reply.answer.append(dns.rrset.from_text(name, 60, "IN", "NS", *names))
        elif str(name) != "refused.example.":
            return
        self.transport.sendto(reply.to_wire(), address)


@pytest.fixture
async def server():
    """Return a server and a resolver that asks it."""
    loop = asyncio.get_running_loop()
    transport, protocol = await loop.create_datagram_endpoint(Answering, local_addr=("127.0.0.1", 0))
    port = transport.get_extra_info("sockname")[1]
    yield protocol, NameserverResolver(0.2, ["127.0.0.1"], port)
    transport.close()


async def test_names_are_asked_once(server):
    """A domain's name servers come in one spelling, and the second time without a question."""
    protocol, resolve = server

    assert [("ns1.host.test", "ns2.host.test")] == await resolve(["known.example"])
    assert [("ns1.host.test", "ns2.host.test")] == await resolve(["known.example"])
    assert ["known.example."] == protocol.asked


async def test_no_answer_is_no_name(server):
    """Refusals, silence and nonsense give no name servers and stop nobody."""
    answers = await server[1](["refused.example", "silent.example", "a..b", "known.example"])

    assert [(), (), (), ("ns1.host.test", "ns2.host.test")] == answers
