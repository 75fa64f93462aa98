#include "lsp/wire.h"

#include "base/os.h"
#include "lsp/frame.h"

void wire_init(struct wire *wire, FILE *stream)
{
	*wire = (struct wire){.stream = stream, .next_id = 1};
}

void wire_release(struct wire *wire)
{
	buf_release(&wire->body);
	buf_release(&wire->frame);
}

static void begin(struct wire *wire)
{
	buf_reset(&wire->body);
	json_writer_init(&wire->json, &wire->body);
	json_object_begin(&wire->json);
	json_member_text(&wire->json, "jsonrpc", "2.0");
}

static bool is_whole(double number)
{
	return number > -0x1p53 && number < 0x1p53 && number == (double)(int64_t)number;
}

void wire_add_value(struct wire *wire, const cJSON *item)
{
	char *text;

	if (!item || cJSON_IsNull(item)) {
		json_text(&wire->json, NULL);
	} else if (cJSON_IsString(item)) {
		json_text(&wire->json, item->valuestring);
	} else if (cJSON_IsBool(item)) {
		json_bool(&wire->json, cJSON_IsTrue(item));
	} else if (cJSON_IsNumber(item) && is_whole(item->valuedouble)) {
		json_int(&wire->json, (int64_t)item->valuedouble);
	} else if ((text = cJSON_PrintUnformatted(item))) {
		json_raw(&wire->json, str_from(text));
		cJSON_free(text);
	} else {
		json_text(&wire->json, NULL);
	}
}

void wire_answer(struct wire *wire, const cJSON *id)
{
	begin(wire);
	json_key(&wire->json, "id");
	wire_add_value(wire, id);
	json_key(&wire->json, "result");
}

void wire_fail(struct wire *wire, const cJSON *id, int code, const char *message)
{
	begin(wire);
	json_key(&wire->json, "id");
	wire_add_value(wire, id);
	json_member_object(&wire->json, "error");
	json_member_int(&wire->json, "code", code);
	json_member_text(&wire->json, "message", message);
	json_object_end(&wire->json);
	wire_send(wire);
}

void wire_notify(struct wire *wire, const char *method)
{
	begin(wire);
	json_member_text(&wire->json, "method", method);
	json_key(&wire->json, "params");
}

static int64_t request_begin(struct wire *wire, const char *method)
{
	begin(wire);
	json_member_int(&wire->json, "id", wire->next_id);
	json_member_text(&wire->json, "method", method);
	return wire->next_id++;
}

int64_t wire_request(struct wire *wire, const char *method)
{
	int64_t id = request_begin(wire, method);

	json_key(&wire->json, "params");
	return id;
}

void wire_ask(struct wire *wire, const char *method)
{
	request_begin(wire, method);
	wire_send(wire);
}

void wire_send(struct wire *wire)
{
	json_object_end(&wire->json);
	if (wire->is_broken)
		return;
	buf_reset(&wire->frame);
	frame_add(&wire->frame, buf_get(&wire->body));
	fwrite(wire->frame.bytes, 1, wire->frame.length, wire->stream);
	wire->is_broken = !os_flush(wire->stream, &wire->err);
}
