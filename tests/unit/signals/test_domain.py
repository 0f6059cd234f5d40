"""Registrable domains: what one owner registers."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hss_stream.models.suffix_list import load_suffix_rules, parse_suffix_rules
from hss_stream.signals.domain import registrable_domain


@pytest.mark.parametrize(
    ("host", "domain"),
    [
        ("www.example.com", "example.com"),
        ("a.b.example.co.uk", "example.co.uk"),
        ("WWW.Example.COM.", "example.com"),
        ("x.unlisted-suffix", "x.unlisted-suffix"),
        ("a.x.unlisted-suffix", "x.unlisted-suffix"),
        ("foo.blogspot.com", "blogspot.com"),
        ("a.b.c.kawasaki.jp", "b.c.kawasaki.jp"),
        ("www.city.kawasaki.jp", "city.kawasaki.jp"),
        ("192.168.0.1", "192.168.0.1"),
        ("[2001:db8::1]", "2001:db8::1"),
        ("b\u00fccher.example.de", "example.de"),
        ("www.b\u00fccher.de", "xn--bcher-kva.de"),
        ("co.uk", "co.uk"),
        ("localhost", "localhost"),
        ("", ""),
    ],
)
def test_domain_follows_the_list(host, domain):
    """The longest suffix and one label more; addresses are themselves."""
    assert domain == registrable_domain(host, load_suffix_rules())


def test_list_is_whole():
    """The bundled list has thousands of rules, wildcards and exceptions, and no private ones."""
    rules = load_suffix_rules()

    assert len(rules.whole) > 5000
    assert "ck" in rules.wildcard
    assert "www.ck" in rules.exceptions
    assert "blogspot.com" not in rules.whole


def test_comments_are_skipped():
    """A list is read as publicsuffix.org writes it."""
    rules = parse_suffix_rules("// note\ncom\n\n*.ck note\n!www.ck\n")

    assert ({"com"}, {"ck"}, {"www.ck"}) == (rules.whole, rules.wildcard, rules.exceptions)


@given(st.text(max_size=40))
def test_any_host_has_a_domain(host):
    """Whatever stands in a link, its domain is a part of it or of its punycode, and is stable."""
    rules = load_suffix_rules()
    domain = registrable_domain(host, rules)

    assert domain == registrable_domain(domain, rules)
