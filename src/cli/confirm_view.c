#include "cli/confirm_view.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/os.h"
#include "cli/terminal.h"
#include "confirm/live.h"

enum { OUTPUT = 1, ERRORS = 2 };

/* Sequences of ECMA-48 and of DEC's terminals: "\x1b7" and "\x1b8" keep and give back the cursor, its colours and character
 * set; "\x1b[T;Br" has rows T to B scroll, "\x1b[r" all; "\x1bD" goes a row down and scrolls where there is none. The rows
 * below the cursor are emptied from there, since nobody but the terminal knows where the cursor is; its column stays. */
#define ALL_SCROLL "\x1b" "7\x1b[r\x1b" "8"
#define EMPTY_BELOW "\x1b" "D\x1b[1K\x1b[J\x1b[A"
const char confirm_view_farewell[] = ALL_SCROLL EMPTY_BELOW;

static bool speaks_utf8(void)
{
	static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
	const char *terminal = os_env("TERM");

	/* the console of Linux has no room for patterns in its fonts */
	if (terminal && strcmp(terminal, "linux") == 0)
		return false;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		const char *value = os_env(names[i]), *dot = value ? strchr(value, '.') : NULL;

		if (value && *value)
			return dot && (strncasecmp(dot, ".utf-8", 6) == 0 || strncasecmp(dot, ".utf8", 5) == 0);
	}
	return false;
}

void confirm_view_init(struct confirm_view *view, int64_t steps)
{
	const char *no_colour = os_env("NO_COLOR");

	*view = (struct confirm_view){.steps = steps, .began = os_seconds(), .braille = speaks_utf8(),
				      .colour = !(no_colour && *no_colour)};
	view->told = view->began;
	/* who reads our output from a pipe may draw on the same terminal, as less does */
	view->is_block = terminal_can_redraw() && (os_is_terminal(OUTPUT) || os_is_file(OUTPUT));
}

static void put(const struct buf *text)
{
	fwrite(text->bytes, 1, text->length, stderr);
	fflush(stderr);
}

static void take_away(struct confirm_view *view)
{
	if (!view->is_on)
		return;
	fputs(confirm_view_farewell, stderr);
	fflush(stderr);
	view->is_on = false;
}

/* Appends what makes room for the rows below the cursor, which may be anywhere. */
static void make_room(struct confirm_view *view, struct buf *out)
{
	buf_add_text(out, ALL_SCROLL EMPTY_BELOW);
	for (size_t i = 0; i < view->height; i++)
		buf_add_text(out, "\x1b" "D");
	buf_format(out, "\x1b[%zuA", view->height);
	view->is_on = true;
}

static void add_rows(const struct confirm_view *view, const struct reported *reported, const struct live_look *look,
		     struct buf *out)
{
	/* whatever the script does to the terminal, the next time sets it right */
	buf_format(out, "\x1b" "7\x1b[1;%dr", view->lines - (int)view->height);
	for (size_t row = 0; row < view->height; row++) {
		buf_format(out, "\x1b[%d;1H\x1b[0m\x1b[2K", view->lines - (int)view->height + 1 + (int)row);
		if (view->colour)
			buf_add_text(out, row == 0 ? "\x1b[1m" : row + look->plot_rows >= view->height ? "\x1b[36m" : "");
		live_row(out, reported, look, row);
	}
	buf_add_text(out, "\x1b" "8");
}

static void draw(struct confirm_view *view, const struct reported *reported, bool anew)
{
	enum { LEAST_LINES = 10, LEAST_COLUMNS = 30, MUCH = 20, PLOT_ROWS = 3, SHARE = 2 };
	struct live_look look = {.braille = view->braille, .steps = view->steps, .seconds = os_seconds() - view->began};
	int lines = os_terminal_lines(ERRORS), columns = os_terminal_columns(ERRORS);
	struct buf text = BUF_INIT;
	size_t height;

	/* a terminal that is held (Ctrl-S) would hold us as well */
	if (!os_owns_terminal(ERRORS) || !os_can_write(ERRORS))
		return;
	if (lines < LEAST_LINES || columns < LEAST_COLUMNS) {
		take_away(view);
		return;
	}
	look.columns = (size_t)columns - 1;
	look.plot_rows = lines >= MUCH ? PLOT_ROWS : 1;
	height = live_height(reported, &look);
	if (height > (size_t)lines / SHARE) {
		take_away(view);
		return;
	}
	if (anew || !view->is_on || lines != view->lines || columns != view->columns || height != view->height) {
		view->lines = lines;
		view->columns = columns;
		view->height = height;
		make_room(view, &text);
	}
	add_rows(view, reported, &look, &text);
	put(&text);
	buf_release(&text);
}

static void tell(struct confirm_view *view, const struct reported *reported, double now)
{
	static const double SELDOM = 10;
	struct live_look look = {.steps = view->steps};
	struct buf text = BUF_INIT;

	if (now - view->told < SELDOM)
		return;
	view->told = now;
	buf_add_text(&text, "vramlint: ");
	live_line(&text, reported, &look);
	buf_add_char(&text, '\n');
	put(&text);
	buf_release(&text);
}

void confirm_view_show(const struct reported *reported, enum confirm_moment moment, void *context)
{
	static const double SOON = 0.5; /* what takes no longer needs no view */
	struct confirm_view *view = context;
	double now = os_seconds();

	if (!view->is_block) {
		if (moment == CONFIRM_PROGRESS)
			tell(view, reported, now);
		return;
	}
	switch (moment) {
	case CONFIRM_PAUSED:
		take_away(view);
		return;
	case CONFIRM_ENDED:
		/* the script may have ended within a line */
		if (view->is_on) {
			take_away(view);
			fputs("\n", stderr);
			fflush(stderr);
		}
		return;
	case CONFIRM_RESIZED:
	case CONFIRM_RESUMED:
	case CONFIRM_PROGRESS:
		if (view->is_on || now - view->began > SOON)
			draw(view, reported, moment != CONFIRM_PROGRESS);
		return;
	}
}
