/* Writes the C source that puts data files into the program, see src/base/embedded.h.
 *
 * usage: embed FILE... >embedded.c
 *
 * Runs on the building machine. Each file is named as it was given, relative to the root of the repository. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void die(const char *what, const char *path)
{
	fprintf(stderr, "embed: cannot %s '%s': %s\n", what, path, strerror(errno));
	exit(2);
}

/* As an array of characters, since a string literal of more than 4095 bytes is beyond what C11 promises. */
static size_t write_bytes(const char *path, int index)
{
	FILE *file = fopen(path, "rb");
	size_t length = 0;
	int c;

	if (!file)
		die("open", path);
	printf("static const char text_%d[] = {", index);
	while ((c = getc(file)) != EOF) {
		printf("%s'\\%o',", length % 20 ? "" : "\n\t", (unsigned)c);
		length++;
	}
	if (ferror(file))
		die("read", path);
	fclose(file);
	puts("\n\t'\\0'\n};");
	return length;
}

int main(int argc, char **argv)
{
	int count = argc - 1;
	size_t *lengths = calloc((size_t)argc, sizeof *lengths);

	if (!lengths)
		die("allocate for", "the list");
	qsort(argv + 1, (size_t)count, sizeof *argv, by_name);
	puts("#include \"base/embedded.h\"\n");
	for (int i = 0; i < count; i++)
		lengths[i] = write_bytes(argv[i + 1], i);
	/* The last entry is empty, because an array of no elements is not C. */
	puts("\nconst struct embedded_file embedded_files[] = {");
	for (int i = 0; i < count; i++)
		printf("\t{\"%s\", text_%d, %zu},\n", argv[i + 1], i, lengths[i]);
	printf("\t{0, 0, 0}\n};\n\nconst size_t embedded_file_count = %d;\n", count);
	free(lengths);
	if (fflush(stdout) || ferror(stdout))
		die("write", "standard output");
	return 0;
}
