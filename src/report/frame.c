#include "report/frame.h"

#include <string.h>

#include "base/embedded.h"
#include "base/mem.h"

struct str frame_get(const char *name)
{
	for (size_t i = 0; i < embedded_file_count; i++) {
		if (strcmp(embedded_files[i].name, name) == 0)
			return (struct str){embedded_files[i].text, embedded_files[i].length};
	}
	BUG("a file of a page is missing");
}

void frame_add_up_to(struct buf *out, struct str *frame, struct str marker)
{
	size_t end = str_find(*frame, marker, 0);

	if (end == SIZE_MAX)
		BUG("the frame of a page lacks a marker");
	buf_add(out, frame->at, end);
	*frame = (struct str){frame->at + end + marker.length, frame->length - end - marker.length};
}
