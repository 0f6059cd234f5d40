"""A campaign as the stream would leave it: one message placed and labelled by its fingerprint."""

from hss_stream.steps.apply_label import ApplyLabels, LabelToApply
from hss_stream.steps.events import Origin
from hss_stream.steps.look_up_mail import read_mail
from hss_stream.steps.place_mail import MailToPlace, build_mail_judge

AT_MS = 1_700_000_000_000


async def label_campaign(style, mail, raw, label="spam", offset=0):
    """Place a message in open stores and label its campaign; return the campaign's id."""
    [placed] = await build_mail_judge(style, mail)(
        [MailToPlace(Origin("g", "hss.mail", 0, offset), AT_MS, raw)]
    )
    fields = {
        "subject": "mail", "id": read_mail(raw).fingerprint, "label": label, "role": "editor",
        "client": "me",
    }  # fmt: skip
    labelled = LabelToApply(Origin("g", "hss.labels", 0, offset), AT_MS, fields)
    [result] = await ApplyLabels({"s": style, "m": mail})([labelled])
    assert result.outcome == "applied"
    return placed.cluster
