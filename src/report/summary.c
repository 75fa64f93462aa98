#include "report/summary.h"

/* "1 file", "2 files" */
static void add_count(struct buf *out, size_t count, const char *noun)
{
	buf_format(out, "%zu %s%s", count, noun, count == 1 ? "" : "s");
}

static void add_severities(struct buf *out, const struct report_totals *totals)
{
	const char *before = " (";

	for (int severity = SEVERITY_ERROR; severity >= SEVERITY_HINT; severity--) {
		if (totals->by_severity[severity] == 0)
			continue;
		buf_add_text(out, before);
		add_count(out, totals->by_severity[severity], severity_name((enum severity)severity));
		before = ", ";
	}
	buf_add_char(out, ')');
}

/* What --fix or --add-ignore has done. */
static void add_fixed(struct buf *out, const struct report_totals *totals)
{
	buf_add_text(out, totals->fixed_by_comments ? "Suppressed " : "Fixed ");
	add_count(out, totals->fixed, "finding");
	buf_add_text(out, " in ");
	add_count(out, totals->fixed_files, "file");
	buf_add_text(out, ".\n");
}

/* What it could do. */
static void add_fixable(struct buf *out, const struct report_totals *totals)
{
	if (totals->fixable > 0)
		buf_format(out, "%zu can be fixed with '--fix'", totals->fixable);
	if (totals->fixable_unsafe > 0)
		buf_format(out, "%s%zu %s with '--fix --unsafe-fixes' (may change what the code does)",
			   totals->fixable > 0 ? ", " : "", totals->fixable_unsafe,
			   totals->fixable > 0 ? "more" : "can be fixed");
	if (totals->fixable + totals->fixable_unsafe > 0)
		buf_add_text(out, ".\n");
}

static void add_findings(struct buf *out, const struct report_totals *totals)
{
	buf_add_text(out, "Found ");
	add_count(out, totals->findings, "finding");
	add_severities(out, totals);
	buf_add_text(out, " in ");
	add_count(out, totals->reported, "file");
	if (totals->failing == 0 && totals->by_severity[SEVERITY_HINT] == totals->findings)
		buf_add_text(out, "; hints alone do not fail a run");
}

void summary_add(struct buf *out, const struct report_totals *totals)
{
	if (totals->fixed > 0)
		add_fixed(out, totals);
	if (totals->findings > 0) {
		add_findings(out, totals);
	} else {
		buf_add_text(out, totals->failed + totals->problems > 0 ? "No findings in " : "All clear: no findings in ");
		add_count(out, totals->files - totals->failed, "file");
	}
	if (totals->suppressed > 0)
		buf_format(out, "; %zu suppressed", totals->suppressed);
	if (totals->problems > 0) {
		buf_add_text(out, "; ");
		add_count(out, totals->problems, "problem");
	}
	if (totals->failed > 0)
		buf_format(out, "; %zu could not be checked", totals->failed);
	buf_add_text(out, ".\n");
	add_fixable(out, totals);
}
