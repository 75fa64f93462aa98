#include "lsp/inbox.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/os.h"
#include "base/os_reader.h"
#include "base/vec.h"
#include "lsp/frame.h"

/* Bytes of messages that wait before no more are read: enough for any burst of typing, and a limit for a client gone wild. */
enum { WAITING_LIMIT = 256 << 20 };
/* Ids of cancelled requests that are remembered; those of requests long answered are among them. */
enum { CANCELLED_KEPT = 64 };

/* A message, or in its place what was wrong. */
struct item {
	struct message *message;
	struct err err;
};

struct inbox {
	struct os_reader *reader;
	struct os_thread *thread;
	struct os_mutex *mutex; /* guards what is below */
	struct os_condition *changed;
	VEC(struct item) items;
	size_t first;           /* of the items, that waits */
	size_t waiting;         /* bytes */
	cJSON *cancelled[CANCELLED_KEPT];
	size_t cancelled_next;
	bool has_ended, is_stopped;
	struct err end;
};

/* ---- the thread that reads ---- */

static bool same_id(const cJSON *a, const cJSON *b)
{
	return a && b && cJSON_Compare(a, b, true);
}

/* Remembers that the request ID is not wanted; what waits of it is marked. */
static void cancel(struct inbox *inbox, const cJSON *id)
{
	cJSON **slot = &inbox->cancelled[inbox->cancelled_next++ % CANCELLED_KEPT];

	for (size_t i = inbox->first; i < inbox->items.count; i++) {
		struct message *message = inbox->items.items[i].message;

		if (message && message->method && same_id(message->id, id)) {
			message->is_cancelled = true;
			return;
		}
	}
	cJSON_Delete(*slot);
	*slot = cJSON_Duplicate(id, true);
}

/* A request with an id that was taken back before, too late, is another one. */
static void want(struct inbox *inbox, const cJSON *id)
{
	for (size_t i = 0; i < CANCELLED_KEPT; i++) {
		if (!same_id(inbox->cancelled[i], id))
			continue;
		cJSON_Delete(inbox->cancelled[i]);
		inbox->cancelled[i] = NULL;
	}
}

static void push(struct inbox *inbox, struct item item)
{
	size_t size = item.message ? item.message->size : 0;

	os_mutex_lock(inbox->mutex);
	while (inbox->waiting > 0 && inbox->waiting + size > WAITING_LIMIT && !inbox->is_stopped)
		os_condition_wait(inbox->changed, inbox->mutex, 0);
	if (item.message && item.message->method && strcmp(item.message->method, "$/cancelRequest") == 0) {
		cancel(inbox, field(item.message->params, "id"));
		message_free(item.message);
	} else {
		if (item.message)
			want(inbox, item.message->method ? item.message->id : NULL);
		VEC_ADD(&inbox->items, item);
		inbox->waiting += size;
		os_condition_wake_all(inbox->changed);
	}
	os_mutex_unlock(inbox->mutex);
}

/* Takes the messages out of what was read; false where the stream makes no sense any more. */
static bool take_all(struct inbox *inbox, struct frame_reader *frames)
{
	for (;;) {
		struct item item = {NULL, {ERR_NONE, ""}};
		struct str body;

		switch (frame_reader_next(frames, &body, &item.err)) {
		case FRAME_MORE:
			return true;
		case FRAME_LOST:
			inbox->end = item.err;
			return false;
		case FRAME_BODY:
			item.message = message_new(body, &item.err);
			break;
		case FRAME_FAULT:
			break;
		}
		push(inbox, item);
	}
}

static void read_all(void *context)
{
	struct inbox *inbox = context;
	struct frame_reader frames = {BUF_INIT, 0};
	struct buf bytes = BUF_INIT;

	while (os_reader_take(inbox->reader, &bytes)) {
		frame_reader_add(&frames, buf_text(&bytes), bytes.length);
		buf_reset(&bytes);
		if (!take_all(inbox, &frames))
			break;
	}
	frame_reader_release(&frames);
	buf_release(&bytes);
	os_mutex_lock(inbox->mutex);
	inbox->has_ended = true;
	os_condition_wake_all(inbox->changed);
	os_mutex_unlock(inbox->mutex);
}

/* ---- for the others ---- */

struct inbox *inbox_new(int descriptor, struct err *err)
{
	enum { STACK = 1 << 20 };
	struct inbox *inbox = mem_new(1, sizeof *inbox);

	inbox->reader = os_reader_new(descriptor);
	inbox->mutex = os_mutex_new();
	inbox->changed = os_condition_new();
	inbox->thread = os_thread_new(read_all, inbox, STACK, err);
	if (inbox->thread)
		return inbox;
	inbox_free(inbox);
	return NULL;
}

void inbox_free(struct inbox *inbox)
{
	if (!inbox)
		return;
	os_mutex_lock(inbox->mutex);
	inbox->is_stopped = true;
	os_condition_wake_all(inbox->changed);
	os_mutex_unlock(inbox->mutex);
	os_reader_stop(inbox->reader);
	if (inbox->thread)
		os_thread_join(inbox->thread);
	os_reader_free(inbox->reader);
	for (size_t i = inbox->first; i < inbox->items.count; i++)
		message_free(inbox->items.items[i].message);
	VEC_RELEASE(&inbox->items);
	for (size_t i = 0; i < CANCELLED_KEPT; i++)
		cJSON_Delete(inbox->cancelled[i]);
	os_condition_free(inbox->changed);
	os_mutex_free(inbox->mutex);
	free(inbox);
}

void inbox_watch(struct inbox *inbox, int64_t process)
{
	os_reader_watch(inbox->reader, process);
}

static struct item pop(struct inbox *inbox)
{
	struct item item = inbox->items.items[inbox->first++];

	if (item.message)
		inbox->waiting -= item.message->size;
	if (inbox->first == inbox->items.count)
		inbox->first = inbox->items.count = 0;
	os_condition_wake_all(inbox->changed);
	return item;
}

enum inbox_news inbox_next(struct inbox *inbox, double seconds, struct message **message, struct err *err)
{
	double until = os_seconds() + seconds;
	enum inbox_news news = INBOX_TIMEOUT;
	struct item item;

	*message = NULL;
	err->code = ERR_NONE;
	os_mutex_lock(inbox->mutex);
	while (inbox->first == inbox->items.count && !inbox->has_ended) {
		double left = seconds < 0 ? 0 : until - os_seconds();

		if (seconds >= 0 && left <= 0)
			goto out;
		os_condition_wait(inbox->changed, inbox->mutex, left);
	}
	if (inbox->first < inbox->items.count) {
		item = pop(inbox);
		*message = item.message;
		*err = item.err;
		news = item.message ? INBOX_MESSAGE : INBOX_FAULT;
	} else {
		*err = inbox->end;
		news = INBOX_END;
	}
out:
	os_mutex_unlock(inbox->mutex);
	return news;
}

static bool outdates(const struct message *message, const char *uri)
{
	static const char *const methods[] = {"textDocument/didChange", "textDocument/didClose", "notebookDocument/didChange",
					      "notebookDocument/didClose"};
	const char *about;

	if (!message || !message->method)
		return false;
	if (strcmp(message->method, "exit") == 0 || strcmp(message->method, "shutdown") == 0)
		return true;
	for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
		if (strcmp(message->method, methods[i]) != 0)
			continue;
		about = field_text(message->params, i < 2 ? "textDocument.uri" : "notebookDocument.uri");
		return about && strcmp(about, uri) == 0;
	}
	return false;
}

bool inbox_outdates(struct inbox *inbox, const char *uri)
{
	bool found = false;

	os_mutex_lock(inbox->mutex);
	for (size_t i = inbox->first; i < inbox->items.count && !found; i++)
		found = outdates(inbox->items.items[i].message, uri);
	found |= inbox->has_ended;
	os_mutex_unlock(inbox->mutex);
	return found;
}

bool inbox_is_cancelled(struct inbox *inbox, const cJSON *id)
{
	bool found = false;

	os_mutex_lock(inbox->mutex);
	for (size_t i = 0; i < CANCELLED_KEPT && !found; i++)
		found = same_id(inbox->cancelled[i], id);
	os_mutex_unlock(inbox->mutex);
	return found;
}
