/* Text for people in the log of a job: services that build projects read commands out of it.
 *
 * GitHub takes lines that begin with "::" and, like Azure, "##[…]" and "##vso[…]" anywhere in a line; code that is checked
 * may hold them. Sources: ActionCommand.cs of actions/runner, Command.cs of microsoft/azure-pipelines-agent. Owns
 * nothing. Any thread. */
#ifndef VRAMLINT_REPORT_GUARD_H
#define VRAMLINT_REPORT_GUARD_H

#include "base/buf.h"

/* Appends TEXT, which begins a line, with what could be a command made harmless and still readable: "#\x23[", "\x3a:". */
void guard_add(struct buf *out, struct str text);

#endif
