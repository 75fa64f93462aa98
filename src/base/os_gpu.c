#include "base/os_gpu.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* As NVML's header has them: 0 is success, a device is a pointer. */
struct memory_info {
	unsigned long long total, free, used;
};
typedef int simple_call(void);
typedef int text_call(char *text, unsigned int length);
typedef int find_call(const char *uuid, void **device);
typedef int memory_call(void *device, struct memory_info *info);

struct os_gpus {
	void *library;
	simple_call *stop;
	find_call *find;
	memory_call *memory;
	char driver[80];
};

/* POSIX has it that an object pointer may be a function's, which C has not. */
static void function_get(void *library, const char *name, void *function)
{
	void *symbol = dlsym(library, name);

	memcpy(function, &symbol, sizeof symbol);
}

struct os_gpus *os_gpus_new(void)
{
	void *library = dlopen("libnvidia-ml.so.1", RTLD_LAZY | RTLD_LOCAL);
	struct os_gpus *gpus;
	simple_call *start;
	text_call *driver;

	if (!library)
		return NULL;
	gpus = mem_new(1, sizeof *gpus);
	gpus->library = library;
	function_get(library, "nvmlInit_v2", &start);
	function_get(library, "nvmlShutdown", &gpus->stop);
	function_get(library, "nvmlDeviceGetHandleByUUID", &gpus->find);
	function_get(library, "nvmlDeviceGetMemoryInfo", &gpus->memory);
	function_get(library, "nvmlSystemGetDriverVersion", &driver);
	if (!start || !gpus->stop || !gpus->find || !gpus->memory || start() != 0) {
		gpus->stop = NULL;
		os_gpus_free(gpus);
		return NULL;
	}
	if (!driver || driver(gpus->driver, sizeof gpus->driver) != 0)
		gpus->driver[0] = '\0';
	return gpus;
}

void os_gpus_free(struct os_gpus *gpus)
{
	if (!gpus)
		return;
	if (gpus->stop)
		gpus->stop();
	dlclose(gpus->library);
	free(gpus);
}

bool os_gpus_read(struct os_gpus *gpus, const char *uuid, struct os_gpu *gpu)
{
	struct memory_info info = {0, 0, 0};
	void *device = NULL;

	if (gpus->find(uuid, &device) != 0 || gpus->memory(device, &info) != 0)
		return false;
	*gpu = (struct os_gpu){.total = info.total, .used = info.used};
	memcpy(gpu->driver, gpus->driver, sizeof gpu->driver);
	gpu->driver[sizeof gpu->driver - 1] = '\0';
	return true;
}
