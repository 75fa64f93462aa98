#include "cli/ci.h"

#include <string.h>

#include "base/os.h"

/* The names under which a service tells where it works on what. */
struct service {
	const char *sign, *value; /* a variable, and what it is there */
	const char *root;
	const char *server;     /* what stands before the repository, or NULL */
	const char *repository;
	const char *revision, *branch;
};

static const struct service services[] = {
	{"GITHUB_ACTIONS", "true", "GITHUB_WORKSPACE", "GITHUB_SERVER_URL", "GITHUB_REPOSITORY", "GITHUB_SHA",
	 "GITHUB_REF_NAME"},
	{"GITLAB_CI", "true", "CI_PROJECT_DIR", NULL, "CI_PROJECT_URL", "CI_COMMIT_SHA", "CI_COMMIT_REF_NAME"},
	{"TF_BUILD", "True", "BUILD_SOURCESDIRECTORY", NULL, "BUILD_REPOSITORY_URI", "BUILD_SOURCEVERSION",
	 "BUILD_SOURCEBRANCHNAME"},
};

/* The value of NAME where it is set and not empty, else NULL. */
static const char *text_of(const char *name)
{
	const char *value = os_env(name);

	return value && *value ? value : NULL;
}

static const struct service *service_find(void)
{
	for (size_t i = 0; i < sizeof services / sizeof *services; i++) {
		const char *value = text_of(services[i].sign);

		if (value && strcmp(value, services[i].value) == 0)
			return &services[i];
	}
	return NULL;
}

bool ci_is_github(void)
{
	return service_find() == &services[0];
}

bool ci_reads_commands(void)
{
	return service_find() != NULL;
}

const char *ci_job_summary_path(void)
{
	return text_of("GITHUB_STEP_SUMMARY");
}

/* URL of the repository, or NULL. */
static const char *repository_of(const struct service *service, struct arena *arena)
{
	const char *server = service->server ? text_of(service->server) : "";
	const char *name = text_of(service->repository);

	if (!server || !name)
		return NULL;
	return arena_format(arena, "%s%s%s", server, *server ? "/" : "", name);
}

void ci_host_get(struct report_host *host, struct arena *arena)
{
	const struct service *service = service_find();
	const char *root;

	*host = (struct report_host){.folder = os_current_folder(arena, NULL)};
	if (!service)
		return;
	root = text_of(service->root);
	host->root = root ? os_real_path(root, arena) : NULL;
	host->repository = repository_of(service, arena);
	host->revision = text_of(service->revision);
	host->branch = text_of(service->branch);
}
