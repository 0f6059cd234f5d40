"""From name servers to providers, whatever a page claims."""

import pytest

from hss_stream.steps.provider_names import MAX_NAMESERVERS, provider_of, providers_of


@pytest.mark.parametrize(
    ("name", "provider"),
    [
        ("ns1.example.net", "example.net"),
        ("NS1.Example.CO.UK.", "example.co.uk"),
        ("a.b.c.d.example.com", "example.com"),
        ("ns1.bücher.example", "xn--bcher-kva.example"),
        ("ns1.xn--bcher-kva.example", "xn--bcher-kva.example"),
        ("192.0.2.7", "192.0.2.7"),
        ("[2001:DB8:0::1]", "2001:db8::1"),
    ],
)
def test_provider_is_a_domain(name, provider):
    """A provider is the registrable domain of a name server in one spelling; an address is itself."""
    assert provider == provider_of(name)


@pytest.mark.parametrize(
    "name", ["", "localhost", "-bad-.example", "a b.example", "x" * 300, "ns1..example", "http://ns1.example/",
             "\x00.example", "ü" * 80 + ".example"],
)  # fmt: skip
def test_what_is_no_name_is_refused(name):
    """Strings that are neither names nor addresses have no provider."""
    with pytest.raises(ValueError, match=r"."):
        provider_of(name)
    assert {} == providers_of([name])


def test_first_eight_count():
    """Of 500 name servers the first eight count, and each provider once."""
    many = [f"ns{number}.p{number // 2}.example" for number in range(500)]
    found = providers_of(many)

    assert MAX_NAMESERVERS == sum(map(len, found.values()))
    assert [f"p{number}.example" for number in range(4)] == list(found)
    assert {"p.example": ("ns1.p.example",)} == providers_of(["ns1.p.example", "NS1.p.example."])
