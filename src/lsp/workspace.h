/* The folders that are open, each with what the editor and its files configure there.
 *
 * Owns configurations and linters; settings and rules live until workspace_reload or a change of what the editor says. One
 * thread. */
#ifndef VRAMLINT_LSP_WORKSPACE_H
#define VRAMLINT_LSP_WORKSPACE_H

#include <cjson/cJSON.h>
#include "base/vec.h"
#include "engine/baseline.h"
#include "engine/config.h"
#include "engine/overlay.h"

enum lens_kind { LENS_OFF, LENS_CODE, LENS_INLAY };

/* A baseline that was read, or could not be. */
struct known {
	const char *path;
	uint64_t stamp;            /* of the file before that */
	struct baseline *baseline; /* or NULL */
};

struct root {
	char *uri;                /* "" for what lies in no folder that is open */
	char *path;               /* real and absolute; "/" there */
	char *shown;              /* … as the editor has it, where that leads over links; else NULL */
	cJSON *said;              /* by the editor, or NULL */
	struct config *config;    /* made when it is first asked for */
	struct arena arena;       /* of what hangs on the configuration */
	const struct rule_set *linked;
	const char *const *links; /* to the documents of its rules, or NULL */
	VEC(struct known) known;  /* findings, by what its settings say */
	size_t faults_told;       /* of the configuration, to the client */
	char *fault_shown;        /* the one a person was shown last, while there are any, or NULL */
	bool is_off;              /* nothing is checked */
	enum lens_kind lens;
	double debounce;          /* seconds */
};

struct workspace {
	VEC(struct root *) roots; /* the first is for what lies in no folder */
	struct config_request base; /* what the command line said */
	struct overlay *overlay;
	struct linters *linters;    /* shared by all configurations */
	void (*tell)(const char *text, void *context); /* what is wrong with the editor's settings */
	void *context;
};

void workspace_init(struct workspace *workspace, const struct config_request *base,
		    void (*tell)(const char *text, void *context), void *context);
void workspace_release(struct workspace *workspace);
/* URI is a folder that is open from now on, or no more. Adding returns NULL where there is no such folder. */
struct root *workspace_add(struct workspace *workspace, const char *uri);
struct root *workspace_find(const struct workspace *workspace, const char *uri); /* NULL where it is not open */
void workspace_remove(struct workspace *workspace, const char *uri);
/* The innermost root that holds PATH, which may be NULL. */
struct root *workspace_root(const struct workspace *workspace, const char *path);
/* The address of PATH, real and absolute, in ARENA: below ROOT one that begins as the editor's do. */
const char *workspace_address(const struct root *root, const char *path, struct arena *arena);
/* The editor says SAID (copied; may be NULL) of ROOT. Takes effect at once. */
void workspace_say(struct workspace *workspace, struct root *root, const cJSON *said);

/* The configuration of ROOT. */
struct config *workspace_config(struct workspace *workspace, struct root *root);
/* What the file PATH (NULL: one that is nowhere) is checked with; NULL where it is not to be checked. */
const struct settings *workspace_settings(struct workspace *workspace, struct root *root, const char *path);
/* Links to the documents of the rules of SETTINGS, by rule index, or NULL. */
const char *const *workspace_links(struct root *root, const struct settings *settings);
/* The findings that SETTINGS say are known, or NULL. */
const struct baseline *workspace_baseline(struct workspace *workspace, struct root *root, const struct settings *settings);
/* Whether a file that ROOT's configuration was read from, or a baseline, is not as it was. */
bool workspace_is_stale(const struct root *root);
/* Drops the configuration of ROOT, which is then read anew. */
void workspace_reload(struct root *root);

#endif
