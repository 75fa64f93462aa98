/* Reads a stream as it comes, until it ends or somebody who matters is gone.
 *
 * One thread takes; any other may set what is watched and stop it. */
#ifndef VRAMLINT_BASE_OS_READER_H
#define VRAMLINT_BASE_OS_READER_H

#include <stdbool.h>
#include <stdint.h>
#include "base/buf.h"

struct os_reader;
/* Reads DESCRIPTOR, which stays the caller's. */
struct os_reader *os_reader_new(int descriptor);
void os_reader_free(struct os_reader *reader);
/* Appends what comes next, waiting for it. False where nothing will: the stream has ended or cannot be read, the process that
 * is watched is gone, or the reader was stopped. */
bool os_reader_take(struct os_reader *reader, struct buf *buf);
/* From now on the end of PROCESS ends the stream. */
void os_reader_watch(struct os_reader *reader, int64_t process);
void os_reader_stop(struct os_reader *reader);

#endif
