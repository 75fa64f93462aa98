/* Plays the driver's library, NVML: one GPU that is nearly full. */
#include <string.h>

int nvmlInit_v2(void)
{
	return 0;
}

int nvmlShutdown(void)
{
	return 0;
}

int nvmlSystemGetDriverVersion(char *text, unsigned int length)
{
	strncpy(text, "550.54.14", length);
	return 0;
}

int nvmlDeviceGetHandleByUUID(const char *uuid, void **device)
{
	static int gpu;

	*device = &gpu;
	return strcmp(uuid, "GPU-7") == 0 ? 0 : 6; /* NVML_ERROR_NOT_FOUND */
}

struct memory {
	unsigned long long total, free, used;
};

int nvmlDeviceGetMemoryInfo(void *device, struct memory *info)
{
	*info = (struct memory){25000000000, 1900000000, 23100000000};
	return 0;
}
