/* A run kept in a file: what was predicted and every event, to be judged again later and elsewhere.
 *
 * Lines of JSON as docs/confirm-protocol.md has them; the first says what was asked. One thread. */
#ifndef VRAMLINT_CONFIRM_RECORD_H
#define VRAMLINT_CONFIRM_RECORD_H

#include "confirm/confirm.h"
#include "text/json_writer.h"

/* The member "findings" of what an agent is asked, and of a record. */
void record_findings(struct json_writer *json, const struct predicted *findings, size_t count);
/* The first line of a record. COMMAND: what is run, in words. */
void record_begin(struct buf *out, const struct confirm_request *request, const char *command);

struct record {
	struct arena arena;
	const char *command;
	VEC(struct predicted) findings;
};

/* Reads the record in file PATH. False with ERR set where that is none; RECORD and OUTCOME are to be released in either case. */
bool record_read(const char *path, struct record *record, struct confirm_outcome *outcome, struct err *err);
/* Has REPORTED speak of FINDINGS where it spoke of those of RECORD: by their numbers. */
void record_rebase(const struct record *record, const struct predicted *findings, size_t count, struct reported *reported);
void record_release(struct record *record);

#endif
