"""From a stored HTTP exchange to a record: the part that WARC and ARC files share."""

from datetime import datetime

from hss_stream.errors import SourceError
from hss_stream.sources.compressed import OversizedError
from hss_stream.sources.http_response import is_html_type, parse_response
from hss_stream.sources.record import MAX_BODY_BYTES, OnProblem, SourceProblem, SourceRecord
from hss_stream.sources.sniff import sniff_kind


def page_of_exchange(
    source: str, url: str, block: bytes, fetched_at: datetime | None, on_problem: OnProblem
) -> SourceRecord | None:
    """Return the page in a stored response, or None when it is none: only HTML responses are pages.

    A response that names no type is one if its first bytes are HTML. Other types are no problem, merely
    no pages.
    """
    response = parse_response(block)
    if response is None or not (response.content_type is None or is_html_type(response.content_type)):
        return None
    try:
        body = response.unpacked_body(MAX_BODY_BYTES)
    except OversizedError as error:
        on_problem(SourceProblem(source, url, "oversized", str(error)))
        return None
    except SourceError as error:
        on_problem(SourceProblem(source, url, "unreadable", str(error)))
        return None
    if response.content_type is None and sniff_kind(body) != "page":
        return None
    return SourceRecord(
        url=url,
        body=body,
        kind="page",
        content_type=response.content_type,
        fetched_at=fetched_at,
        status=response.status,
    )
