/* What the driver of NVIDIA's GPUs says of one, by its library (NVML), which is looked for when asked and not linked with.
 *
 * One thread. Source: the reference of NVML, nvmlDeviceGetMemoryInfo and others of version 1 or 2. */
#ifndef VRAMLINT_BASE_OS_GPU_H
#define VRAMLINT_BASE_OS_GPU_H

#include <stdbool.h>
#include <stdint.h>

struct os_gpus;

struct os_gpu {
	uint64_t total, used; /* bytes, of all processes on the machine */
	char driver[80];      /* "550.54.14"; empty where it doesn't say */
};

/* NULL where there is no such library or it does not start. */
struct os_gpus *os_gpus_new(void);
void os_gpus_free(struct os_gpus *gpus);
/* The GPU with this UUID, as numbers are others in containers and under CUDA_VISIBLE_DEVICES. False where there is none. */
bool os_gpus_read(struct os_gpus *gpus, const char *uuid, struct os_gpu *gpu);

#endif
