/* Counts what torch's CPU allocator hands out, so that the CPU shows what "allocated" would be on a GPU.
 *
 * Preloaded into the user's processes. libc10 reaches its own alloc_cpu and free_cpu through the dynamic linker, so the two
 * functions below stand in front of them. Each live block is noted with the moment (a number that the agent advances at each
 * tick of its clock) and the site (the line that ran, where lines are watched) of its birth.
 * The block table is split in shards with a lock each; nothing here allocates through malloc or calls Python.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <malloc.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>

enum { SHARDS = 16, FIRST_SLOTS = 256 };	/* small enough to stay in a near cache */

struct block {
	uintptr_t address;	/* 0: free */
	uint64_t size;
	uint32_t moment;
	uint32_t site;
};

static struct shard {
	atomic_flag busy;
	struct block *slots;
	size_t count;		/* slots, a power of two */
	size_t live;
} shards[SHARDS];

static _Atomic int64_t live_bytes, peak_bytes;
static _Atomic uint32_t now_moment, now_site;
static void *(*real_alloc)(size_t);
static void (*real_free)(void *);

static uint64_t
hash(uintptr_t address)
{
	return (address >> 6) * UINT64_C(0x9E3779B97F4A7C15);
}

static struct shard *
shard_lock(uint64_t hashed)
{
	struct shard *shard = &shards[hashed >> 60];
	while (atomic_flag_test_and_set_explicit(&shard->busy, memory_order_acquire))
		;
	return shard;
}

static void
shard_unlock(struct shard *shard)
{
	atomic_flag_clear_explicit(&shard->busy, memory_order_release);
}

static void
shards_lock(void)
{
	for (uint64_t s = 0; s < SHARDS; s++)
		shard_lock(s << 60);
}

static void
shards_unlock(void)
{
	for (int s = 0; s < SHARDS; s++)
		shard_unlock(&shards[s]);
}

/* A fork while another thread notes something would leave the child with a lock that nobody opens. */
static void __attribute__((constructor))
shards_keep_over_fork(void)
{
	pthread_atfork(shards_lock, shards_unlock, shards_unlock);
}

static size_t
home(uint64_t hashed, size_t count)
{
	return (hashed >> 20) & (count - 1);
}

static struct block *
slot_find(struct block *slots, size_t count, uint64_t hashed, uintptr_t address)
{
	size_t i = home(hashed, count);
	while (slots[i].address != 0 && slots[i].address != address)
		i = (i + 1) & (count - 1);
	return &slots[i];
}

static int
shard_grow(struct shard *shard)
{
	size_t count = shard->count == 0 ? FIRST_SLOTS : shard->count * 2;
	struct block *slots = mmap(NULL, count * sizeof *slots, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (slots == MAP_FAILED)
		return 0;
	for (size_t i = 0; i < shard->count; i++) {
		struct block *old = &shard->slots[i];
		if (old->address != 0)
			*slot_find(slots, count, hash(old->address), old->address) = *old;
	}
	if (shard->slots != NULL)
		munmap(shard->slots, shard->count * sizeof *slots);
	shard->slots = slots;
	shard->count = count;
	return 1;
}

static void
note_birth(void *pointer, size_t size)
{
	uint64_t hashed = hash((uintptr_t)pointer);
	struct shard *shard = shard_lock(hashed);
	if (shard->live * 2 >= shard->count && !shard_grow(shard)) {
		shard_unlock(shard);
		return;
	}
	struct block *slot = slot_find(shard->slots, shard->count, hashed, (uintptr_t)pointer);
	if (slot->address == 0)
		shard->live++;
	else			/* freed behind our back: the old size is gone */
		atomic_fetch_sub(&live_bytes, (int64_t)slot->size);
	*slot = (struct block){(uintptr_t)pointer, size, now_moment, now_site};
	shard_unlock(shard);
	int64_t live = atomic_fetch_add(&live_bytes, (int64_t)size) + (int64_t)size;
	int64_t peak = peak_bytes;
	while (live > peak && !atomic_compare_exchange_weak(&peak_bytes, &peak, live))
		;
}

/* Empties a slot and moves back what had to step aside for it. */
static void
slot_empty(struct shard *shard, struct block *slot)
{
	size_t mask = shard->count - 1, hole = (size_t)(slot - shard->slots);
	for (size_t i = (hole + 1) & mask; shard->slots[i].address != 0; i = (i + 1) & mask) {
		size_t wanted = home(hash(shard->slots[i].address), shard->count);
		if (((i - wanted) & mask) >= ((i - hole) & mask)) {
			shard->slots[hole] = shard->slots[i];
			hole = i;
		}
	}
	shard->slots[hole].address = 0;
	shard->live--;
}

static void
note_death(void *pointer)
{
	uint64_t hashed = hash((uintptr_t)pointer);
	struct shard *shard = shard_lock(hashed);
	if (shard->count != 0) {
		struct block *slot = slot_find(shard->slots, shard->count, hashed, (uintptr_t)pointer);
		if (slot->address != 0) {
			atomic_fetch_sub(&live_bytes, (int64_t)slot->size);
			slot_empty(shard, slot);
		}
	}
	shard_unlock(shard);
}

/* libc10 comes with dlopen, out of reach of RTLD_NEXT. */
static void *
original(const char *name)
{
	void *library = dlopen("libc10.so", RTLD_LAZY | RTLD_NOLOAD);
	void *function = library != NULL ? dlsym(library, name) : NULL;
	return function != NULL ? function : dlsym(RTLD_NEXT, name);
}

/* c10::alloc_cpu(unsigned long) */
void *
_ZN3c109alloc_cpuEm(size_t size)
{
	if (real_alloc == NULL)
		real_alloc = (void *(*)(size_t))original("_ZN3c109alloc_cpuEm");
	void *pointer = real_alloc(size);	/* throws where there is no memory: then nothing is noted */
	if (pointer != NULL)
		note_birth(pointer, size);
	return pointer;
}

/* c10::free_cpu(void *) */
void
_ZN3c108free_cpuEPv(void *pointer)
{
	if (real_free == NULL)
		real_free = (void (*)(void *))original("_ZN3c108free_cpuEPv");
	if (pointer != NULL)
		note_death(pointer);
	real_free(pointer);
}

int64_t
vramlint_live(void)
{
	return live_bytes;
}

/* The highest live count since the last call. */
int64_t
vramlint_peak(void)
{
	return atomic_exchange(&peak_bytes, live_bytes);
}

int64_t
vramlint_blocks(void)
{
	int64_t n = 0;
	for (int s = 0; s < SHARDS; s++)
		n += (int64_t)shards[s].live;
	return n;
}

/* Bytes that malloc has handed out and not got back; -1 where glibc is too old to say. */
int64_t
vramlint_host(void)
{
#if defined(__GLIBC__) && (__GLIBC__ > 2 || __GLIBC_MINOR__ >= 33)
	struct mallinfo2 info = mallinfo2();
	return (int64_t)(info.uordblks + info.hblkhd);
#else
	return -1;
#endif
}

void
vramlint_moment(uint32_t moment)
{
	now_moment = moment;
}

void
vramlint_site(uint32_t site)
{
	now_site = site;
}

/* Copies up to `room` live blocks to `out`; returns how many. */
size_t
vramlint_dump(struct block *out, size_t room)
{
	size_t n = 0;
	for (int s = 0; s < SHARDS; s++) {
		struct shard *shard = shard_lock((uint64_t)s << 60);
		for (size_t i = 0; i < shard->count && n < room; i++) {
			if (shard->slots[i].address != 0)
				out[n++] = shard->slots[i];
		}
		shard_unlock(shard);
	}
	return n;
}
