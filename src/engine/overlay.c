#include "engine/overlay.h"

#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/mem.h"

struct document {
	char *path;
	char *text; /* heap */
	size_t length;
};

struct overlay {
	struct map documents; /* path → struct document */
};

struct overlay *overlay_new(void)
{
	return mem_new(1, sizeof(struct overlay));
}

static void document_free(struct document *document)
{
	if (!document)
		return;
	free(document->path);
	free(document->text);
	free(document);
}

static bool free_each(struct str path, void *value, void *context)
{
	(void)path;
	(void)context;
	document_free(value);
	return true;
}

void overlay_free(struct overlay *overlay)
{
	if (!overlay)
		return;
	map_each(&overlay->documents, free_each, NULL);
	map_release(&overlay->documents);
	free(overlay);
}

void overlay_set(struct overlay *overlay, const char *path, struct str text)
{
	struct document *document = map_get(&overlay->documents, str_from(path));

	if (!document) {
		document = mem_new(1, sizeof *document);
		document->path = mem_dup_text(path);
		map_put(&overlay->documents, str_from(path), document);
	}
	free(document->text);
	document->text = mem_dup(text.at, text.length);
	document->length = text.length;
}

void overlay_remove(struct overlay *overlay, const char *path)
{
	document_free(map_remove(&overlay->documents, str_from(path)));
}

bool overlay_get(const struct overlay *overlay, const char *path, struct str *text)
{
	const struct document *document = overlay ? map_get(&overlay->documents, str_from(path)) : NULL;

	if (document && text)
		*text = (struct str){document->text, document->length};
	return document != NULL;
}

struct visiting {
	void (*visit)(const char *path, void *context);
	void *context;
};

static bool visit_each(struct str path, void *value, void *context)
{
	const struct visiting *visiting = context;
	const struct document *document = value;

	(void)path;
	visiting->visit(document->path, visiting->context);
	return true;
}

void overlay_each(const struct overlay *overlay, void (*visit)(const char *path, void *context), void *context)
{
	struct visiting visiting = {visit, context};

	if (overlay)
		map_each(&overlay->documents, visit_each, &visiting);
}
