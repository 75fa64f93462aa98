/* Findings as text: one file a format, each one vtable.
 *
 * A report renders into a buffer that the caller prints; it reads nothing from
 * the disk and nothing of the environment. One thread. */
#ifndef VRAMLINT_REPORT_REPORT_H
#define VRAMLINT_REPORT_REPORT_H

#include <stdbool.h>
#include "base/buf.h"
#include "engine/run.h"

/* Where the run takes place, as far as it is known; all may be NULL. */
struct report_host {
	const char *folder;     /* the current folder, absolute */
	const char *root;       /* absolute; what a service that builds the project takes paths to be relative to */
	const char *repository; /* URL */
	const char *revision;   /* commit */
	const char *branch;
};

struct report_options {
	bool colour;
	int columns; /* of the terminal; 0: unknown, do not cut */
	bool quiet;
	const char *const *links; /* to the documents of rules, by their index and NULL where there is none; NULL: no links */
	const struct rule_set *rules;      /* that the run knows, or NULL */
	const struct selection *selection; /* of them, or NULL */
	const char *category;              /* of this run among several of one project, or NULL */
	const struct report_host *host;    /* or NULL */
	bool terminal; /* it goes to one, which must not be steered by what is shown */
	bool has_baseline;     /* there is one: what is reported is new */
	bool shows_suppressed; /* for formats that can tell it from what is reported */
};

struct report_totals {
	size_t files, failed, findings;
	size_t by_severity[4]; /* indexed by enum severity */
	size_t reported;       /* files that have findings */
	size_t failing;        /* findings that make the run fail */
	size_t suppressed;     /* findings that are not reported */
	size_t problems;       /* in files that were checked all the same */
	size_t paths;          /* of FILES and FAILED: paths that led to no file */
	size_t fixable, fixable_unsafe; /* findings with a fix; those that --unsafe-fixes is needed for are not in the first */
	size_t fixed, fixed_files;      /* by --fix: they are none of the findings */
	bool fixed_by_comments;         /* … by --add-ignore: they are suppressed, not repaired */
};

struct report;
struct report_format {
	const char *name;    /* "full" */
	const char *summary; /* for --help */
	bool shows_problems; /* else the caller says elsewhere what is wrong with a file */
	bool for_programs;   /* one document: nothing else may stand in the same stream */
	void (*begin)(struct report *report);
	void (*file)(struct report *report, const struct run_file *file); /* once per file, also where it has no findings */
	void (*failure)(struct report *report, const char *text); /* beside files; NULL: it has no place for that */
	void (*end)(struct report *report, const struct report_totals *totals);
	void (*release)(struct report *report); /* of STATE; NULL: there is none */
};

struct report {
	const struct report_format *format;
	struct report_options options;
	struct buf out; /* what is to be printed; the caller may empty it between calls */
	void *state;    /* the format's own */
	/* Complete after `end`: */
	struct buf remarks;     /* what the format left out and why, for standard error, lines ended by LF */
	struct buf job_summary; /* Markdown for the page of a job, where the format makes one */
};

/* The table of formats, ended by NULL. */
extern const struct report_format *const report_formats[];
const struct report_format *report_format_find(const char *name); /* or NULL */
void report_init(struct report *report, const struct report_format *format, struct report_options options);
void report_release(struct report *report);
/* Counts FILE and its findings; those of FAIL_ON and above are failing. */
void report_totals_add(struct report_totals *totals, const struct run_file *file, enum severity fail_on);

#endif
