"""Reading a JSON body into its model, with errors that name the field but repeat nothing of it."""

from typing import TypeVar

from pydantic import BaseModel, ValidationError

from hss_stream.gateway.problem import Problem

Model = TypeVar("Model", bound=BaseModel)


def parse_json(model: type[Model], body: bytes) -> Model:
    """Return the request that a body holds; the problem of one that is none."""
    try:
        return model.model_validate_json(body)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        if first["type"] == "json_invalid":
            raise Problem("bad-request", "the body is no JSON") from None
        # Of the place only known names are told: an unknown field's name is the client's own text.
        known = [str(part) for part in first["loc"] if isinstance(part, int) or part in model.model_fields]
        raise Problem("bad-value", f"{'.'.join(known) or 'body'}: {first['msg']}") from None
