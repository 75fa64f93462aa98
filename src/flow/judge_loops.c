#include "flow/judging.h"

#include <string.h>

static bool is_time(const struct judging *j, const struct loop *loop)
{
	if (loop->form == LOOP_VIRTUAL)
		return !loop->is_struct;
	return !loop->is_struct || (loop->is_range && j->has_step[loop->id]);
}

static struct loop *innermost_time(const struct judging *j, struct loop *path)
{
	while (path && (!is_time(j, path) || path->retry))
		path = path->outer;
	return path;
}

static void mark_outer_epochs(struct judging *j, struct loop *step)
{
	for (struct loop *loop = step->outer; loop; loop = loop->outer)
		if (is_time(j, loop) && j->loops[loop->id] != LOOP_STEP)
			j->loops[loop->id] = LOOP_EPOCH;
}

static void mark_steps(struct judging *j, enum event_kind kind, bool *marks)
{
	struct interp *in = j->in;
	for (size_t i = 0; i < in->events.count; i++) {
		const struct event *event = &in->events.items[i];
		if (event->kind != kind || event->in_handler || event->in_hook)
			continue;
		for (struct loop *loop = event->path; loop; loop = loop->outer)
			marks[loop->id] = true;
	}
}

static bool any_in_path(const bool *marks, const struct loop *path)
{
	for (; path; path = path->outer)
		if (marks[path->id])
			return true;
	return false;
}

/* A method that steps an optimizer, or runs backward, outside of any loop of its own is called once a step. */
static void note_stepping(struct judging *j)
{
	for (size_t i = 0; i < j->in->events.count; i++) {
		const struct event *event = &j->in->events.items[i];
		if ((event->kind != EVENT_STEP && event->kind != EVENT_CONSUME) || event->in_handler || event->in_hook)
			continue;
		const struct loop *loop = innermost_time(j, event->path);
		if (loop && loop->form == LOOP_VIRTUAL && !loop->is_struct && loop->virtual_name[0] == 'c')
			j->steps_itself[loop->id] = true;
	}
}

static void decide_by(struct judging *j, enum event_kind kind, const bool *outranks)
{
	struct interp *in = j->in;
	for (size_t i = 0; i < in->events.count; i++) {
		const struct event *event = &in->events.items[i];
		if (event->kind != kind || event->in_hook || (outranks && any_in_path(outranks, event->path)))
			continue;
		struct loop *loop = innermost_time(j, event->path);
		if (!loop || loop->form == LOOP_VIRTUAL)
			continue;
		if (j->loops[loop->id] == LOOP_PLAIN || j->loops[loop->id] == LOOP_INTRA)
			j->loops[loop->id] = LOOP_STEP;
		mark_outer_epochs(j, loop);
	}
}

/* A loop inside a step loop is one of parts, or a phase of its own that nothing outside walks back into. */
static void decide_by_forward(struct judging *j)
{
	struct interp *in = j->in;
	for (size_t i = 0; i < in->events.count; i++) {
		const struct event *event = &in->events.items[i];
		if (event->kind != EVENT_FORWARD)
			continue;
		struct loop *loop = innermost_time(j, event->path);
		if (!loop || loop->form == LOOP_VIRTUAL || j->has_step[loop->id] || j->has_backward[loop->id])
			continue;
		bool inside_step = false;
		for (struct loop *outer = loop->outer; outer; outer = outer->outer)
			inside_step |= j->loops[outer->id] == LOOP_STEP || (outer->virtual_name && outer->virtual_name[0] == 's');
		bool phase = event->mode == 0 || event->grad == GRAD_OFF || event->grad == GRAD_INFERENCE;
		if (j->loops[loop->id] == LOOP_STEP)
			continue;
		bool part = (inside_step || loop->in_module) && !phase;
		j->loops[loop->id] = part || loop->in_forward ? LOOP_INTRA : LOOP_STEP;
		if (j->loops[loop->id] == LOOP_STEP && !inside_step)
			mark_outer_epochs(j, loop);
	}
}

static bool inside_step(const struct judging *j, const struct loop *loop)
{
	for (loop = loop->outer; loop; loop = loop->outer)
		if (j->loops[loop->id] == LOOP_STEP)
			return true;
	return false;
}

void decide_loops(struct judging *j)
{
	struct interp *in = j->in;
	for (size_t i = 0; i < in->loops.count; i++)
		j->loops[i] = LOOP_PLAIN;
	mark_steps(j, EVENT_STEP, j->has_step);
	mark_steps(j, EVENT_CONSUME, j->has_backward);
	note_stepping(j);
	decide_by(j, EVENT_STEP, NULL);
	decide_by(j, EVENT_CONSUME, j->has_step);
	decide_by_forward(j);
	for (size_t i = 0; i < in->loops.count; i++) {
		const struct loop *loop = in->loops.items[i];
		if (loop->virtual_name && !loop->is_struct)
			j->loops[i] = loop->virtual_name[0] == 's' ? LOOP_STEP : loop->virtual_name[0] == 'e' ? LOOP_EPOCH : LOOP_CALL;
		else if (!is_time(j, loop))
			j->loops[i] = LOOP_STRUCT;
		else if (loop->retry)
			j->loops[i] = LOOP_RETRY;
		else if (j->loops[i] == LOOP_PLAIN && inside_step(j, loop))
			j->loops[i] = LOOP_INTRA;
	}
}

const struct loop *loop_around(const struct judging *j, const struct loop *path, enum loop_kind one, enum loop_kind other)
{
	while (path && j->loops[path->id] != one && j->loops[path->id] != other)
		path = path->outer;
	return path;
}

const struct loop *time_loop(const struct judging *j, const struct loop *path)
{
	while (path && (j->loops[path->id] == LOOP_STRUCT || j->loops[path->id] == LOOP_INTRA))
		path = path->outer;
	return path;
}

bool leaks(const struct judging *j, const struct loop *loop)
{
	enum loop_kind kind = j->loops[loop->id];
	return kind == LOOP_STEP || kind == LOOP_EPOCH || kind == LOOP_CALL;
}
