"""The bases of request and response models, the success envelope, and the error."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

from pydantic import BaseModel, ConfigDict, Field, GetJsonSchemaHandler, model_validator
from pydantic.json_schema import JsonSchemaValue, SkipJsonSchema

from afterdrop.web.problems import Code

if TYPE_CHECKING:
    from pydantic_core import CoreSchema

Item = TypeVar("Item")


class ResponseModel(BaseModel):
    """The base of response models: clients ignore members they do not know."""

    model_config = ConfigDict(
        extra="allow", frozen=True, validate_by_name=True, validate_by_alias=True, serialize_by_alias=True
    )


class RequestModel(BaseModel):
    """The base of queries, bodies and arguments: a member that is not known is an error."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class ChangeableModel(RequestModel):
    """The base of bodies in which clients may send back what they read: members in `READ_ONLY` are ignored."""

    READ_ONLY: ClassVar[frozenset[str]] = frozenset()

    @model_validator(mode="before")
    @classmethod
    def _ignore_read_only(cls, values: Any) -> Any:
        return {name: value for name, value in values.items() if name not in cls.READ_ONLY}

    @classmethod
    def __get_pydantic_json_schema__(
        cls, core_schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        schema = handler.resolve_ref_schema(handler(core_schema))
        for name in sorted(cls.READ_ONLY):
            schema["properties"][name] = {
                "description": "Ignored, so you can send back what you read",
                "readOnly": True,
            }
        return schema


class Data(ResponseModel, Generic[Item]):
    """The success envelope."""

    data: Item = Field(description="The answer")


class PageMeta(ResponseModel):
    """Where in a list this page is."""

    total: int = Field(ge=0, description="Items on all pages together")
    page: int = Field(ge=1, description="Current page")
    per_page: int = Field(ge=1, description="Items per page")
    pages: int = Field(ge=0, description="Number of pages; 0 when there are no items")


# Names of models are names of schemas in the OpenAPI document, which clients generate code from: they stay.
class Fault(ResponseModel):
    """The error of a request. `code` is stable and for programs; `message` is for people."""

    code: Code = Field(description="The kind of error, for programs")
    message: str = Field(description="The error, for people")
    docs: str = Field(description="Where the error is documented")
    upgrade_url: str | SkipJsonSchema[None] = Field(
        default=None,
        description="Only on `plan_required`: the pricing page",
        json_schema_extra={"format": "uri"},
    )
    fields: dict[str, list[str]] | SkipJsonSchema[None] = Field(
        default=None,
        description="Only on `validation_failed`: messages by field; `body` stands for the body as a whole",
    )
    request_id: str | None = Field(
        default=None,
        description="Extension: the request's id, also in the header `X-Request-Id` and in the service's log",
    )


class ErrorBody(ResponseModel):
    """The shape of every error."""

    error: Fault = Field(description="The error")
