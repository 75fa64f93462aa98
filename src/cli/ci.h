/* What a service that builds projects says of itself in the environment.
 *
 * Sources: the lists of predefined variables of GitHub Actions, GitLab CI and Azure Pipelines. */
#ifndef VRAMLINT_CLI_CI_H
#define VRAMLINT_CLI_CI_H

#include <stdbool.h>
#include "base/arena.h"
#include "report/report.h"

bool ci_is_github(void); /* this is a job of GitHub Actions */
/* Whether a service reads commands out of what this program prints. */
bool ci_reads_commands(void);
/* The file that takes what the page of the job is to show, or NULL. */
const char *ci_job_summary_path(void);
/* Fills HOST; texts lie in ARENA or the environment. */
void ci_host_get(struct report_host *host, struct arena *arena);

#endif
