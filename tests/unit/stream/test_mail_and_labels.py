"""Mail and labels through the worker's own agents, on the embedded broker."""

from concurrent.futures import ThreadPoolExecutor

import orjson
import pytest

from hss_stream.app import create_worker, open_mail_store, open_text_store
from hss_stream.lab.crawl_mail import generate_mail
from hss_stream.settings import Settings
from hss_stream.steps.look_up_mail import read_mail
from hss_stream.store.memory import MemoryClusterStore
from hss_stream.stream.label_step import parse_label_record
from hss_stream.stream.memory_log import MemoryLog
from hss_stream.stream.record import Place, RawRecord, RejectedRecordError
from tests.stream_harness import Harness

MAIL = (("format", b"1"), ("received-at", b"1700000000000"))


class Worker:
    """A worker on stores in memory and an embedded broker."""

    def __init__(self):
        self.log = MemoryLog(partitions=1)
        self.store = MemoryClusterStore()

    async def start(self, pool):
        """Start the agents."""
        self.texts, self.mails = await open_text_store(self.store), await open_mail_store(self.store)
        self.worker = create_worker(
            Settings(broker="memory://"), self.store, pool, self.log, self.texts, mails=self.mails
        )
        self.worker.stream.app.conf.broker_commit_interval = 0.05
        await self.worker.stream.app.start()

    async def done(self, topic, count):
        """Wait until that many records of a topic are committed."""
        await Harness.wait_for(lambda: self.log.committed.get((topic, 0), 0) >= count)

    def events(self, topic):
        """Return what was sent to a topic."""
        return [orjson.loads(record.value) for record in self.log.records(topic) if record.value]

    def metric(self, name, **labels):
        """Return the value of a metric."""
        return self.worker.metrics.registry.get_sample_value(name, labels)


@pytest.fixture
async def worker():
    """Return a running worker."""
    made = Worker()
    with ThreadPoolExecutor(1) as pool:
        await made.start(pool)
        yield made
        await made.worker.stream.app.stop()


def label_of(id="", word="spam", subject="mail", **more):  # noqa: A002 - the field's own name
    """Return a label as its topic holds it."""
    fields = {"format": 1, "subject": subject, "id": id, "label": word, "role": "editor", "client": "desk"}
    return orjson.dumps({**fields, "by": "me", "at": "", "note": "", **more})


async def test_label_spreads_over_a_campaign(worker):
    """Messages in, attachments out; one label, and the later members of the campaign raise alerts."""
    mails = [one for one in generate_mail(seed=3, messages=80, sentences=20) if one.campaign == 0]
    half = len(mails) // 2
    for mail in mails[:half]:
        await worker.log.append("hss.mail", None, mail.raw, headers=MAIL)
    await worker.done("hss.mail", half)
    await worker.log.append("hss.labels", b"k", label_of(read_mail(mails[0].raw).fingerprint))
    await worker.done("hss.labels", 1)
    for mail in mails[half:]:
        await worker.log.append("hss.mail", None, mail.raw, headers=MAIL)
    await worker.done("hss.mail", len(mails))
    verdicts = [event["verdict"] for event in worker.events("hss.attachments")]
    alerts = worker.events("hss.alerts")

    assert {"unknown"} == set(verdicts[:half])
    assert verdicts[half:].count("spam") >= 0.8 * (len(mails) - half)
    assert 1 == [alert["subject"] for alert in alerts].count("cluster")
    assert len(alerts) == len({alert["id"] for alert in alerts})
    assert ["label"] == [e["change"] for e in worker.events("hss.clusters") if e["label"]]
    assert 1.0 == worker.metric("hss_labels_total", role="editor", outcome="applied")
    assert 1.0 == worker.metric(
        "hss_alerts_total", subject="cluster", severity="critical", reason="IMATCH_SPAM"
    )
    assert float(half) <= worker.metric("hss_verdicts_total", kind="mail", verdict="unknown")


async def test_bad_labels_are_letters_or_refusals(worker):
    """What is no label is a dead letter; what leads nowhere is refused and counted; the topic goes on."""
    bad = [b"{", b"[]", b'{"format": 2}', orjson.dumps({"format": 1, "id": 7})]
    nowhere = [label_of("s00000000ffffff03", subject="cluster"), label_of("x", role="king")]
    for value in [*bad, *nowhere, None]:
        await worker.log.append("hss.labels", b"k", value)
    await worker.done("hss.labels", 7)
    letters = worker.log.records("hss.dead-letters")

    assert [b"unreadable"] * 5 == [dict(letter.headers)["hss-reason"] for letter in letters]
    assert 1.0 == worker.metric("hss_labels_total", role="editor", outcome="refused")
    assert 1.0 == worker.metric("hss_labels_total", role="unknown", outcome="refused")


async def test_mail_without_format_is_a_letter(worker):
    """Headers are checked as those of pages are; a message without text is an outcome."""
    await worker.log.append("hss.mail", None, b"Subject: x\n\nhello", headers=())
    await worker.log.append("hss.mail", None, b"Subject: x\n\nhello", headers=(("format", b"1"),))
    await worker.done("hss.mail", 2)

    assert 1 == len(worker.log.records("hss.dead-letters"))
    assert 1.0 == worker.metric("hss_records_total", kind="mail", outcome="too_little_text")


@pytest.mark.parametrize("field", ["id", "client", "note"])
def test_giant_fields_are_refused(field):
    """No field of a label may be beyond all measure."""
    record = RawRecord(Place("hss.labels", 0, 0), 0, b"k", label_of(**{field: "y" * 9000}), ())

    with pytest.raises(RejectedRecordError):
        parse_label_record(record)
