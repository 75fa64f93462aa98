/* What the server sends: answers, notifications and requests of its own, framed and written to a stream at once.
 *
 *	wire_notify(&wire, "window/logMessage");
 *	json_object_begin(&wire.json); … json_object_end(&wire.json);
 *	wire_send(&wire);
 *
 * One thread. */
#ifndef VRAMLINT_LSP_WIRE_H
#define VRAMLINT_LSP_WIRE_H

#include <cjson/cJSON.h>
#include <stdio.h>
#include "base/err.h"
#include "text/json_writer.h"

/* Error codes of JSON-RPC and the protocol. */
enum {
	WIRE_PARSE_ERROR = -32700,
	WIRE_INVALID_REQUEST = -32600,
	WIRE_NO_METHOD = -32601,
	WIRE_INVALID_PARAMS = -32602,
	WIRE_NOT_INITIALIZED = -32002,
	WIRE_CANCELLED = -32800,
	WIRE_FAILED = -32803
};

struct wire {
	FILE *stream;            /* borrowed */
	struct json_writer json; /* takes what is being sent */
	struct buf body, frame;
	int64_t next_id;         /* of our requests */
	bool is_broken;          /* nobody reads any more; ERR says why */
	struct err err;
};

void wire_init(struct wire *wire, FILE *stream);
void wire_release(struct wire *wire);

/* Begins the answer to the request ID; its result is to be written, then sent. */
void wire_answer(struct wire *wire, const cJSON *id);
/* Sends that the request ID (NULL: one that could not be read) has failed. */
void wire_fail(struct wire *wire, const cJSON *id, int code, const char *message);
/* Begins a notification; its parameters are to be written, then sent. */
void wire_notify(struct wire *wire, const char *method);
/* Begins a request likewise; returns its id. */
int64_t wire_request(struct wire *wire, const char *method);
/* Sends a request that has no parameters. */
void wire_ask(struct wire *wire, const char *method);
void wire_send(struct wire *wire);

/* Writes ITEM, which a client sent, back where a value may stand. */
void wire_add_value(struct wire *wire, const cJSON *item);

#endif
