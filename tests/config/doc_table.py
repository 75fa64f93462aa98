"""The table of keys in docs/configuration.md, from the schema that the program prints."""

TYPES = {"boolean": "true or false", "object": "table", "array": "list", "string": "text"}


def kind(value):
    if "enum" in value:
        return "one of " + ", ".join(f"`{word}`" for word in value["enum"])
    if "anyOf" in value:
        return "text or list"
    return TYPES[value["type"]]


def rows(schema, defaults):
    """The lines of the table."""
    yield "| key | value | by default | |"
    yield "|---|---|---|---|"
    for name, value in schema["properties"].items():
        description = value["description"]
        yield f"| `{name}` | {kind(value)} | {defaults[name]} | {description} |"
