/* What device.h finds, for people and for programs. */
#ifndef VRAMLINT_CONFIRM_DEVICE_TELL_H
#define VRAMLINT_CONFIRM_DEVICE_TELL_H

#include "confirm/told.h"
#include "text/json_writer.h"

/* Whether reserved memory grows on some device though tensors don't: a sentence with what helps, appended with its line's end
 * after INDENT; nothing where it does not. */
void device_tell_fragmentation(struct buf *out, const struct told *told, const struct reported_process *process,
			       int64_t device, const char *indent);
/* Some lines on each device of each process; nothing where there are none. */
void device_tell(struct buf *out, const struct told *told);
/* The member "devices", a list. */
void device_tell_json(struct json_writer *json, const struct told *told);

#endif
