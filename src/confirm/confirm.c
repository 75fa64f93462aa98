#include "confirm/confirm.h"

#include <string.h>

#include "base/embedded.h"
#include "base/os.h"
#include "base/os_guard.h"
#include "base/os_supervise.h"
#include "base/os_temp.h"
#include "base/os_tree.h"
#include "confirm/record.h"
#include "confirm/snapshot.h"
#include "confirm/workers.h"
#include "text/json_writer.h"

/* Where the build puts the agent into the program. */
static const char agent_folder[] = "src/confirm/agent/", shim_name[] = "build/gen/confirm-shim.so";

struct running {
	const struct confirm_request *request;
	struct confirm_outcome *outcome;
	struct arena arena;
	const char *folder;   /* temporary */
	const char *socket, *shim;
	const char *mark;     /* of its processes, in their environment */
	struct os_supervised *child;
	struct os_guard *guard;
};

/* ---- what the agent needs ---- */

/* Writes the file NAME of the program into the run's folder, at PATH below it. */
static bool file_write(struct running *running, const struct embedded_file *file, const char *path, struct err *err)
{
	return os_write_file(arena_format(&running->arena, "%s/%s", running->folder, path), (struct str){file->text, file->length},
			     err);
}

static bool agent_write(struct running *running, struct err *err)
{
	bool found = false;

	if (!os_temp_folder(running->folder, "agent", err) || !os_temp_folder(running->folder, "scratch", err))
		return false;
	for (size_t i = 0; i < embedded_file_count; i++) {
		const struct embedded_file *file = &embedded_files[i];

		/* a library that may not be used would have each process complain */
		if (strcmp(file->name, shim_name) == 0 && os_may_execute(running->folder)) {
			running->shim = arena_format(&running->arena, "%s/shim.so", running->folder);
			if (!file_write(running, file, "shim.so", err))
				return false;
		}
		if (!str_starts(str_from(file->name), agent_folder))
			continue;
		found = true;
		if (!file_write(running, file, arena_format(&running->arena, "agent/%s", file->name + sizeof agent_folder - 1), err))
			return false;
	}
	return found || err_set(err, ERR_READ, "this build of vramlint has no agent in it");
}

static const char *stop_name(enum confirm_stop stop)
{
	return stop == CONFIRM_EXIT ? "exit" : stop == CONFIRM_RAISE ? "raise" : "run";
}

static bool request_write(struct running *running, struct err *err)
{
	const struct confirm_request *request = running->request;
	struct buf text = BUF_INIT;
	struct json_writer json;
	bool ok;

	json_writer_init(&json, &text);
	json_object_begin(&json);
	json_member_text(&json, "socket", running->socket);
	json_member_int(&json, "steps", request->steps);
	json_member_text(&json, "stop", stop_name(request->stop));
	json_member_text(&json, "protect", request->protects ? "torch" : "none");
	json_member_text(&json, "scratch", arena_format(&running->arena, "%s/scratch", running->folder));
	json_member_text(&json, "shim", running->shim);
	if (request->snapshot)
		json_member_text(&json, "snapshot", arena_format(&running->arena, "%s/scratch", running->folder));
	json_member_array(&json, "kept");
	for (size_t i = 0; i < running->outcome->protection.shelter.count; i++)
		json_text(&json, running->outcome->protection.shelter.folders[i]);
	json_array_end(&json);
	json_member_array(&json, "open");
	for (size_t i = 0; i < running->outcome->protection.shelter.open_count; i++)
		json_text(&json, running->outcome->protection.shelter.open[i]);
	json_array_end(&json);
	record_findings(&json, request->findings, request->finding_count);
	json_object_end(&json);
	ok = os_write_file(arena_format(&running->arena, "%s/request.json", running->folder), buf_get(&text), err);
	buf_release(&text);
	return ok;
}

/* "NAME=VALUE[:what it was]" */
static const char *variable(struct arena *arena, const char *name, const char *value)
{
	const char *before = os_env(name);

	return arena_format(arena, "%s=%s%s%s", name, value, before && *before ? ":" : "", before ? before : "");
}

static bool start(struct running *running, struct err *err)
{
	struct arena *arena = &running->arena;
	const struct os_shelter *shelter = &running->outcome->protection.shelter;
	const char *environment[] = {variable(arena, "PYTHONPATH", arena_format(arena, "%s/agent", running->folder)), running->mark,
				     NULL, NULL};

	if (running->shim)
		environment[2] = variable(arena, "LD_PRELOAD", running->shim);
	running->child = os_supervise_new(&(struct os_supervise_request){.arguments = running->request->command,
									 .environment = environment, .socket = running->socket,
									 .shelter = shelter->count ? shelter : NULL},
					  err);
	return running->child != NULL;
}

/* ---- the run ---- */

/* After which time what is asked is demanded, and then forced. */
static const double PATIENCE = 3;
/* After the command has ended its processes may still say a word. */
static const double AFTERWARDS = 0.5;

struct ending {
	double since;  /* when it was asked to end, or 0 */
	enum os_pressure pressure;
	double exited; /* when the command had, or 0 */
	double done;   /* when a process had done all its steps, or 0 */
};

static void press(struct running *running, struct ending *ending, double now)
{
	if (ending->since > 0 && now - ending->since < PATIENCE)
		return;
	if (ending->since > 0 && ending->pressure < OS_FORCE)
		ending->pressure++;
	os_supervise_end(running->child, ending->pressure);
	running->outcome->is_forced = ending->pressure == OS_FORCE;
	ending->since = now;
}

static void interrupt(struct running *running, struct ending *ending, double now)
{
	/* One wish to end may arrive twice, as from timeout(1), which tells the group as well. */
	static const double SAME = 0.5;
	bool again = running->outcome->end == CONFIRM_INTERRUPTED && now - ending->since > SAME;

	running->outcome->end = CONFIRM_INTERRUPTED;
	if (again) {
		os_supervise_end(running->child, OS_FORCE);
		running->outcome->is_forced = true;
	}
	if (again || ending->since == 0)
		ending->since = now;
}

static void tell_progress(const struct running *running, enum confirm_moment moment)
{
	if (running->request->progress)
		running->request->progress(&running->outcome->reported, moment, running->request->context);
}

/* Stops with the command for a while, which does not count; returns how long, in seconds. */
static double rest(struct running *running, struct ending *ending)
{
	double began = os_seconds(), passed;

	tell_progress(running, CONFIRM_PAUSED);
	os_supervise_suspend(running->child);
	passed = os_seconds() - began;
	ending->since += ending->since > 0 ? passed : 0;
	ending->done += ending->done > 0 ? passed : 0;
	tell_progress(running, CONFIRM_RESUMED);
	return passed;
}

/* Takes BYTES, which came on CONNECTION, 0 being this program. */
static void take(struct confirm_outcome *outcome, uint32_t connection, struct buf *bytes)
{
	reported_take(&outcome->reported, connection, buf_get(bytes));
	buf_reset(bytes);
}

static void follow(struct running *running)
{
	const struct confirm_request *request = running->request;
	struct confirm_outcome *outcome = running->outcome;
	struct ending ending = {.pressure = OS_ASK};
	double began = os_seconds(), told = 0, now;
	struct buf bytes = BUF_INIT;
	struct workers_watch watch = {.began = began};
	uint32_t connection;

	while (!ending.exited || os_seconds() - ending.exited < AFTERWARDS) {
		enum os_report report = os_supervise_next(running->child, workers_wait(&watch), &connection, &bytes, &outcome->status);

		now = os_seconds();
		if (report == OS_REPORT_BYTES) {
			take(outcome, connection + 1, &bytes);
		} else if (report == OS_REPORT_EXITED) {
			ending.exited = now;
		} else if (report == OS_REPORT_INTERRUPTED) {
			interrupt(running, &ending, now);
		} else if (report == OS_REPORT_SUSPENDED) {
			began += rest(running, &ending);
			continue;
		}
		workers_look(&watch, &outcome->reported, &bytes);
		if (bytes.length)
			take(outcome, 0, &bytes);
		if (ending.done == 0 && reported_is_done(&outcome->reported))
			ending.done = now;
		if (request->time_limit > 0 && now - began > request->time_limit && outcome->end == CONFIRM_DONE && !ending.exited) {
			outcome->end = CONFIRM_TIMED_OUT;
			press(running, &ending, now);
		}
		/* one rank is done and the others wait for it, or the command does not heed what it was asked */
		if (!ending.exited && ((ending.done > 0 && now - ending.done > PATIENCE) || ending.since > 0))
			press(running, &ending, now);
		if (!ending.exited)
			device_look(&outcome->devices, &outcome->reported, now);
		if (report == OS_REPORT_RESIZED)
			tell_progress(running, CONFIRM_RESIZED);
		else if (now - told > 0.25) {
			told = now;
			tell_progress(running, CONFIRM_PROGRESS);
		}
	}
	workers_release(&watch);
	outcome->seconds = os_seconds() - began;
	buf_release(&bytes);
}

/* What has to be there before anything is started: a folder, who clears it up, the agent in it, and protection. */
static bool prepare(struct running *running, struct err *err)
{
	const struct confirm_request *request = running->request;
	struct protection *protection = &running->outcome->protection;
	struct arena *texts = &running->outcome->reported.arena;
	const char *current = os_current_folder(texts, err);

	if (!current)
		return false;
	protection_plan(protection, request->command, current, texts);
	running->folder = protection_place(protection, texts, err);
	if (!running->folder)
		return false;
	running->mark = arena_format(&running->arena, "VRAMLINT_CONFIRM=%s/request.json", running->folder);
	running->guard = os_guard_new(running->folder, running->mark, request->farewell, err);
	if (!running->guard)
		return false;
	running->socket = arena_format(&running->arena, "%s/socket", running->folder);
	if (request->protects)
		protection_try(protection, running->folder, texts, request->warn, request->context);
	return agent_write(running, err) && request_write(running, err);
}

bool confirm_run(const struct confirm_request *request, struct confirm_outcome *outcome, struct err *err)
{
	struct running running = {.request = request, .outcome = outcome};
	int64_t kills = os_memory_kills();
	bool ok = false;

	*outcome = (struct confirm_outcome){.end = CONFIRM_DONE};
	reported_init(&outcome->reported);
	outcome->reported.record = request->record;
	arena_init(&running.arena);
	if (prepare(&running, err) && start(&running, err)) {
		follow(&running);
		os_supervise_free(running.child);
		tell_progress(&running, CONFIRM_ENDED);
		if (request->snapshot)
			outcome->snapshots =
				snapshot_keep(&outcome->reported, running.folder, request->snapshot, &outcome->snapshot_err);
		outcome->lacked_memory = os_memory_kills() > kills;
		protection_look(&outcome->protection, &outcome->reported.arena);
		ok = true;
	} else if (err->code == ERR_WRITE) {
		err_context(err, "the folder for temporary files cannot be used (TMPDIR names another)");
	}
	if (running.folder)
		os_temp_remove(running.folder);
	os_guard_free(running.guard);
	arena_release(&running.arena);
	return ok;
}

void confirm_outcome_release(struct confirm_outcome *outcome)
{
	device_watch_release(&outcome->devices);
	protection_release(&outcome->protection);
	reported_release(&outcome->reported);
}
