"""What provider verdicts reach on simulated providers over real pages; skipped without EVALUATION_DATA."""

import pytest

from hss_stream.lab.nameserver_evaluation import (
    KnownProvider,
    evaluate_providers,
    measure_agreement,
    table_rows,
)
from hss_stream.lab.simulated_providers import read_pools, simulate_providers


@pytest.fixture(scope="module")
def providers(evaluation_data):
    """Return simulated providers over families no threshold was chosen on; who hosts them is made up."""
    drawn = simulate_providers(read_pools(evaluation_data, "report"), seed=17, farms=40, hosters=40)
    return [KnownProvider(one.name, one.sites, one.spam, one.is_spam, one.case) for one in drawn]


def test_farms_are_listed_and_hosters_are_not(providers):
    """Provider F at least .97, site F at least .90, no WordPress host nor general hoster listed."""
    tally = evaluate_providers(providers, "default")
    rows = {row["case"]: row for row in table_rows(tally)}

    assert rows["table 2: providers"]["f"] >= 0.97
    assert rows["table 4: sites"]["f"] >= 0.90
    assert 0 == tally.listed["wordpress"] == tally.listed["hoster"]


def test_stream_agrees_with_batch(providers):
    """Over shuffled arrivals at least 98 % of the providers end as in the batch."""
    assert measure_agreement(providers[::6], shuffles=5, seed=1)["agreement"] >= 0.98
