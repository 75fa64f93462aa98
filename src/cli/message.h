/* What the program says on standard error: "vramlint: error: …", a line each, safe for a terminal. */
#ifndef VRAMLINT_CLI_MESSAGE_H
#define VRAMLINT_CLI_MESSAGE_H

void message_error(const char *format, ...) __attribute__((format(printf, 1, 2)));
void message_note(const char *format, ...) __attribute__((format(printf, 1, 2)));
void message_warning(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
