/* Pictures of a run as SVG: memory over steps, and what is left of each step.
 *
 * All are plain: no script, no network, colours by classes, for which src/confirm/picture.css has light and dark ones, sizes in
 * pixels of a picture WIDTH wide. Names in them are escaped. Owns nothing. */
#ifndef VRAMLINT_CONFIRM_PICTURE_H
#define VRAMLINT_CONFIRM_PICTURE_H

#include "base/buf.h"
#include "confirm/told.h"

/* What is drawn over the steps of one process. */
struct picture_curve {
	enum picture_kind {
		PICTURE_TENSORS, /* what torch's CPU allocator has handed out */
		PICTURE_DEVICE,  /* an accelerator: allocated and reserved */
		PICTURE_HOST     /* what malloc has handed out, or what the process takes */
	} kind;
	const struct reported_process *process;
	size_t device;           /* index among those of a step */
};

enum { PICTURE_CURVES = 12, PICTURE_NARROW = 360, PICTURE_WIDE = 920 };

/* The curves that there are to draw, PICTURE_CURVES at most, and how many. */
size_t picture_curves_get(const struct told *told, struct picture_curve *curves);
/* "device cuda:0: allocated and reserved", with the rank where there are several. */
void picture_add_title(struct buf *out, const struct told *told, const struct picture_curve *curve);
/* One series of a curve: its class and name; NULL behind the last. */
const char *picture_series_name(const struct picture_curve *curve, size_t index, const char **style);
/* Append an <svg> element for a page. */
void picture_add_curve(struct buf *out, const struct told *told, const struct picture_curve *curve, int width);
void picture_add_births(struct buf *out, const struct told *told, const struct told_row *row, int width);
/* Appends a whole SVG document: all curves, and the births of what matters most. */
void picture_file(struct buf *out, const struct told *told);
#endif
