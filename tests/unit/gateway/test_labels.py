"""Labels over HTTP: the token's role, ids that lead somewhere, and nothing promised before Kafka has it."""

import json

import pytest

from hss_stream.errors import StreamError
from hss_stream.gateway.models import LabelAnswer
from hss_stream.gateway.token_file import create_token
from hss_stream.lab.crawl_mail import generate_mail
from hss_stream.signals.fingerprint import Fingerprint
from tests.unit.gateway.running import running

CLUSTER = "s0000000001000203"


class KeptLabels:
    """A sender that keeps what it is given, or fails."""

    def __init__(self, *, fails=False):
        self.sent = []
        self.fails = fails

    async def send(self, label):
        """Keep a label."""
        if self.fails:
            raise StreamError("sending a label: not there")
        self.sent.append(label)

    async def close(self):
        """Nothing to let go."""


@pytest.fixture
def tokens(tmp_path):
    """Return the token file and the headers of a reporter, an editor and a client that may only look up."""
    path = tmp_path / "tokens.json"
    texts = [
        create_token(path, name, (scope,), role)[1]
        for name, scope, role in [
            ("mx1", "label", "reporter"),
            ("desk", "label", "editor"),
            ("mx2", "lookup", "reporter"),
        ]
    ]
    return path, [{"Authorization": f"Bearer {text}"} for text in texts]


def label(**changes):
    """Return the body of a label."""
    return {"subject": "cluster", "id": CLUSTER, "label": "spam", **changes}


async def test_role_is_the_tokens(tokens):
    """Who may label is decided by the scope, what it counts as by the token's role."""
    path, (reporter, editor, looker) = tokens
    kept = KeptLabels()
    async with running(tokens=path, labels=kept) as gateway:
        answers = [
            await gateway.call("POST", "/v1/labels", json=label(), headers=headers)
            for headers in (reporter, editor, looker)
        ]

        assert [202, 202, 403] == [status for status, _, _ in answers]
        LabelAnswer.model_validate(answers[0][2])
        assert [("reporter", "mx1"), ("editor", "desk")] == [(one.role, one.client) for one in kept.sent]
        assert f"cluster:{CLUSTER}".encode() == kept.sent[0].key
        assert 1 == json.loads(kept.sent[0].to_json())["format"]


async def test_unacknowledged_label_is_not_promised(tokens):
    """Without Kafka's word the client hears 503 and may try again."""
    path, (reporter, _, _) = tokens
    async with running(tokens=path, labels=KeptLabels(fails=True)) as gateway:
        status, headers, _ = await gateway.call("POST", "/v1/labels", json=label(), headers=reporter)

        assert (503, "5") == (status, headers["Retry-After"])


@pytest.mark.parametrize(
    ("change", "status"),
    [
        ({"id": "s12"}, 422),
        ({"subject": "mail", "id": "not hex"}, 422),
        ({"subject": "nameserver", "id": "-"}, 422),
        ({"label": "junk"}, 422),
        ({"role": "editor"}, 422),
        ({"subject": "url", "id": "http://nobody.example/"}, 409),
    ],
)
async def test_label_must_lead_somewhere(tokens, change, status):
    """An id that is none, a field that is not ours to give, or a URL nobody has seen is refused."""
    path, (reporter, _, _) = tokens
    kept = KeptLabels()
    async with running(tokens=path, labels=kept) as gateway:
        answered, _, _ = await gateway.call("POST", "/v1/labels", json=label(**change), headers=reporter)

        assert (status, []) == (answered, kept.sent)


async def test_nobody_labels_without_a_token():
    """An open gateway on loopback looks up for everybody and labels for nobody."""
    kept = KeptLabels()
    async with running(labels=kept) as gateway:
        status, _, _ = await gateway.call("POST", "/v1/labels", json=label())

        assert (401, []) == (status, kept.sent)


async def test_message_is_labelled_by_its_fingerprint(tokens):
    """A message sent with a label becomes a label of its fingerprint; one with too little text is refused."""
    path, (reporter, _, _) = tokens
    kept = KeptLabels()
    headers = {**reporter, "Content-Type": "message/rfc822"}
    raw = next(iter(generate_mail(seed=7, messages=1))).raw
    async with running(tokens=path, labels=kept) as gateway:
        done, _, answer = await gateway.call("POST", "/v1/labels?label=spam", data=raw, headers=headers)
        short, _, _ = await gateway.call(
            "POST", "/v1/labels?label=spam", data=b"Subject: x\n\nhi", headers=headers
        )

        assert (202, 409) == (done, short)
        assert "mail" == Fingerprint.from_hex(answer["id"]).kind
        assert [("mail", answer["id"])] == [(one.subject, one.id) for one in kept.sent]
