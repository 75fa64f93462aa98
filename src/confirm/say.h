/* What a run has shown, in words: sentences that the report for people, the page and the results for other programs share.
 *
 * Names and paths come from the process of the user; they are made visible here (report/visible.h), and a page escapes the
 * whole. Owns nothing. */
#ifndef VRAMLINT_CONFIRM_SAY_H
#define VRAMLINT_CONFIRM_SAY_H

#include "base/buf.h"
#include "confirm/told.h"

void say_bytes(struct buf *out, double bytes);     /* "10.3 kB" */
void say_number(struct buf *out, double number);   /* "1.2 million" */
void say_duration(struct buf *out, double seconds); /* "3.4 days" */
/* "train.py:13", relative to the folder that PATH lies below. */
void say_place(struct buf *out, const struct told *told, const char *path, int64_t line);
/* "4 B of tensors and 3 graph nodes (1.7 kB of host memory) a step" */
void say_growth(struct buf *out, const struct growth *growth);
/* Why a holder is none that leaks: "was filled in early steps and does not grow any more: a cache". */
void say_bounded(struct buf *out, const struct reported_holder *holder);
/* What the births of ROW say, as a label of their picture. */
void say_births(struct buf *out, const struct told_row *row);
/* Why a verdict is what it is, in one sentence without the holder's lines. */
void say_reason(struct buf *out, const struct told *told, const struct judged *judged);
/* "opt" in words: "optimizer step" */
const char *say_series(const struct reported_process *process, const struct reported_holder *holder);
/* How the run went: "48 steps of 'train.py' in 9.1 s (5.4 steps a second), torch 2.13.0 on cpu". */
void say_run(struct buf *out, const struct told *told);
/* A sentence each, a line each: what went wrong with it, and what else is to be known, such as ranks and what limits verdicts. */
void say_troubles(struct buf *out, const struct told *told);
void say_remarks(struct buf *out, const struct told *told);
/* The same of how long memory lasts; nothing where that means nothing. */
void say_forecast(struct buf *out, const struct told *told);
/* "1 confirmed (1 in host memory only), 0 refuted, …" */
void say_totals(struct buf *out, const struct told *told);

#endif
