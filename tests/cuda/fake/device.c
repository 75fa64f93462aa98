/* Stands before torch's CPU allocator, and gives what is asked for "on the device" to a model of CUDA's allocator in Python.
 *
 * Preloaded into a CPU torch that plays having a GPU (fakecuda.py). Whether a thread allocates on the device is a flag that
 * Python sets around its operations. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

enum { MOST_RANGES = 4096 };

static struct range {
	uintptr_t first, end;
} ranges[MOST_RANGES];
static _Atomic int range_count;
static void *(*device_alloc)(size_t);
static void (*device_free)(void *);
static __thread int on_device;

static void *original(const char *name)
{
	void *function = dlsym(RTLD_NEXT, name);

	if (!function) {
		void *library = dlopen("libc10.so", RTLD_LAZY | RTLD_NOLOAD);

		function = library ? dlsym(library, name) : NULL;
	}
	return function;
}

void *_ZN3c109alloc_cpuEm(size_t size)
{
	static void *(*real)(size_t);
	void *pointer = on_device && device_alloc ? device_alloc(size) : NULL;

	if (pointer)
		return pointer;
	if (!real)
		real = (void *(*)(size_t))original("_ZN3c109alloc_cpuEm");
	return real(size);
}

static int is_device(const void *pointer)
{
	for (int i = 0; i < range_count; i++) {
		if ((uintptr_t)pointer >= ranges[i].first && (uintptr_t)pointer < ranges[i].end)
			return 1;
	}
	return 0;
}

void _ZN3c108free_cpuEPv(void *pointer)
{
	static void (*real)(void *);

	if (pointer && is_device(pointer)) {
		if (device_free)
			device_free(pointer);
		return;
	}
	if (!real)
		real = (void (*)(void *))original("_ZN3c108free_cpuEPv");
	real(pointer);
}

void fake_install(void *(*alloc)(size_t), void (*release)(void *))
{
	device_alloc = alloc;
	device_free = release;
}

/* Returns what it was. */
int fake_on_device(int on)
{
	int before = on_device;

	on_device = on;
	return before;
}

void fake_range(uintptr_t first, uintptr_t end)
{
	if (range_count < MOST_RANGES) {
		ranges[range_count] = (struct range){first, end};
		range_count++;
	}
}
