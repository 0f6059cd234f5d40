"""Creating the topics, and looking at what a broker has."""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any, Literal

from aiokafka.admin import AIOKafkaAdminClient, NewTopic
from aiokafka.admin.config_resource import ConfigResource, ConfigResourceType
from aiokafka.errors import KafkaError, TopicAlreadyExistsError, for_code

from hss_stream.errors import StreamError
from hss_stream.stream.topics import TopicPlan

Result = Literal["created", "exists"]


@asynccontextmanager
async def admin_client(servers: Sequence[str], options: Mapping[str, Any]) -> AsyncIterator[Any]:
    """Yield a client for administration; StreamError when no broker answers."""
    client = AIOKafkaAdminClient(bootstrap_servers=list(servers), **options)
    try:
        await client.start()
    except KafkaError as error:
        await client.close()
        raise StreamError(
            f"connecting to Kafka at {','.join(servers)}: {type(error).__name__}; "
            "is it running, and is HSS_BROKER right?"
        ) from error
    try:
        yield client
    finally:
        await client.close()


async def create_topics(
    client: Any, plans: Sequence[TopicPlan], partitions: int, replication: int
) -> dict[str, Result]:
    """Create the topics that are not there yet; those that are stay as they are."""
    wanted = [NewTopic(plan.name, partitions, replication, topic_configs=plan.to_config()) for plan in plans]
    answer = await client.create_topics(wanted)
    results: dict[str, Result] = {}
    for name, code, *text in answer.topic_errors:
        error = for_code(code)
        if error is TopicAlreadyExistsError:
            results[name] = "exists"
        elif code == 0:
            results[name] = "created"
        else:
            raise StreamError(
                f"creating topic {name}: {error.__name__} {text[0] if text else ''}; see the broker's log"
            )
    return results


async def broker_count(client: Any) -> int:
    """Return how many brokers the cluster has."""
    return len((await client.describe_cluster())["brokers"])


async def unlike_plans(client: Any, plans: Sequence[TopicPlan]) -> dict[str, list[str]]:
    """Return, by topic, the settings that are not as planned: `name is value, planned is value`."""
    resources = [ConfigResource(ConfigResourceType.TOPIC, plan.name) for plan in plans]
    found: dict[str, dict[str, str]] = {}
    for answer in await client.describe_configs(resources):
        for _, _, _, name, entries in answer.resources:
            found[name] = {entry[0]: entry[1] for entry in entries}
    unlike = {
        plan.name: [
            f"{key} is {found[plan.name].get(key)}, planned is {value}"
            for key, value in plan.to_config().items()
            if found[plan.name].get(key) != value
        ]
        for plan in plans
        if plan.name in found
    }
    return {name: differences for name, differences in unlike.items() if differences}


async def missing_topics(client: Any, plans: Sequence[TopicPlan]) -> list[str]:
    """Return the names of topics that are not there."""
    there = set(await client.list_topics())
    return [plan.name for plan in plans if plan.name not in there]
