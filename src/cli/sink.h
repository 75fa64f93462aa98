/* Where `check` sends the results of a run: each report to standard output, file by file, or to a file of its own at the
 * end; what went wrong to standard error after that, so that the last line there says why a run failed. One thread at a
 * time. */
#ifndef VRAMLINT_CLI_SINK_H
#define VRAMLINT_CLI_SINK_H

#include "base/buf.h"
#include "cli/fixer.h"
#include "cli/outputs.h"
#include "cli/progress.h"
#include "engine/run.h"
#include "report/report.h"

struct sink {
	struct run_sink base; /* first: the run knows no more than this */
	const struct outputs *outputs;
	struct report *reports; /* one for each output */
	struct report_totals totals;
	struct lint_timing timing;
	enum severity fail_on;
	bool verbose;               /* says of each file what was done; set after sink_init, as is the next */
	enum severity min_severity; /* findings below it are left out */
	struct progress progress;
	struct buf failures; /* a NUL-terminated message each */
	struct err write_error;
	bool write_failed;
	bool guarded; /* commands must not come out of what is printed */
	bool quiet;
	bool to_stderr;      /* standard output is for something else */
	struct fixer fixer;
};

/* OUTPUTS is borrowed. */
void sink_init(struct sink *sink, const struct outputs *outputs, struct report_options options);
void sink_release(struct sink *sink);
/* Keeps TEXT, which says why something could not be checked. */
void sink_add_failure(struct sink *sink, const char *text);
/* Writes what was fixed to its files, if the fixer is to; before the report ends. */
void sink_write_fixes(struct sink *sink);
/* Ends the reports after all files; PATHS counts what failed before it came to a file. Each run ends so, whatever failed. */
void sink_finish(struct sink *sink, struct run_totals totals, size_t paths);
/* Prints all failures and, unless one line said it all, how many there were. Returns whether there were any. */
bool sink_tell_failures(const struct sink *sink);

#endif
