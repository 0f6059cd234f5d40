"""Labels over HTTP: checked, turned into a record, acknowledged by Kafka before the answer.

The role is the token's, never the client's own word. A label by URL must lead to a page we know: a
whole domain is never labelled because one of its pages was.
"""

from datetime import UTC, datetime

from hss_stream.errors import StreamError
from hss_stream.gateway.call import Answer, Call, json_answer
from hss_stream.gateway.json_body import parse_json
from hss_stream.gateway.lookups import LookUps
from hss_stream.gateway.models import LabelRequest
from hss_stream.gateway.problem import Problem
from hss_stream.signals.fingerprint import Fingerprint
from hss_stream.steps.provider_names import provider_of
from hss_stream.stream.label_sender import LabelRecord, LabelSender
from hss_stream.verdicts.cluster_id import from_text

_LABELS = ("spam", "ham", "none")


class Labels:
    """The handler of labels."""

    def __init__(self, lookups: LookUps, sender: LabelSender | None) -> None:
        self._lookups = lookups
        self._sender = sender

    async def place(self, call: Call) -> Answer:
        """Send a label, or say why not."""
        if self._sender is None:
            raise Problem("not-ready", "this gateway has no Kafka to send labels to")
        request = await self._request(call)
        call.subject = request.id.encode("utf-8", "replace")
        identity = await self._identity(request)
        record = LabelRecord(
            request.subject, identity, request.label, call.token.role, call.token.name, call.token.id,
            datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z"), request.note,
        )  # fmt: skip
        try:
            await self._sender.send(record)
        except StreamError:
            raise Problem("not-ready", "Kafka did not acknowledge it", headers={"Retry-After": "5"}) from None
        content = {"format": 1, "subject": record.subject, "id": identity, "label": record.label}
        return json_answer(call, {**content, "role": record.role}, 202)

    async def _request(self, call: Call) -> LabelRequest:
        """Return the label asked for: as JSON, or of the message that was sent."""
        if call.content_type != "message/rfc822":
            return parse_json(LabelRequest, await call.body("application/json", "message/rfc822"))
        label = call.query("label")
        if label not in _LABELS:
            raise Problem("bad-value", f"`label` is one of {', '.join(_LABELS)}")
        mail, _ = await self._lookups.mail(await call.body("message/rfc822"))
        if not any(Fingerprint.from_hex(mail.fingerprint).signatures):
            raise Problem("cannot-label", "the message has too little text to be found again")
        return LabelRequest(subject="mail", id=mail.fingerprint, label=label)

    async def _identity(self, request: LabelRequest) -> str:
        """Return the id in its normal form; the problem of one that leads nowhere."""
        try:
            if request.subject == "cluster":
                from_text(request.id)
            elif request.subject == "nameserver":
                return provider_of(request.id)
            elif request.subject == "mail":
                return Fingerprint.from_hex(request.id).to_hex()
            elif request.subject == "url":
                await self._check_url(request.id)
        except ValueError:
            raise Problem("bad-value", f"this is no id of a {request.subject}") from None
        return request.id

    async def _check_url(self, url: str) -> None:
        looked = await self._lookups.url(url)
        if looked.degraded:
            raise Problem("not-ready", "the store cannot be asked now", headers={"Retry-After": "1"})
        if looked.found.matched_by != "page":
            raise Problem(
                "cannot-label", "no page is known by this URL; send its fingerprint or its cluster's id"
            )
