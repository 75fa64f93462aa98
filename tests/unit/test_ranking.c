#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "report/ranking.h"

static char names[] = "abcdef";

static struct ranking rank(void)
{
	static const struct finding findings[] = {
		{.severity = SEVERITY_NOTE, .proof = PROOF_FLOW},     /* a */
		{.severity = SEVERITY_ERROR, .proof = PROOF_NAME},    /* b */
		{.severity = SEVERITY_ERROR, .proof = PROOF_USAGE},   /* c */
		{.severity = SEVERITY_WARNING, .proof = PROOF_FLOW},  /* d */
		{.severity = SEVERITY_WARNING, .proof = PROOF_USAGE}, /* e */
		{.severity = SEVERITY_NOTE, .proof = PROOF_FLOW},     /* f */
	};
	struct ranking ranking = {0};

	for (size_t i = 0; i < 6; i++)
		ranking_add(&ranking, &findings[i], &names[i]);
	return ranking;
}

static void reads(const struct ranking *ranking, const char *expected)
{
	assert_int_equal(ranking->count, strlen(expected));
	for (size_t i = 0; i < ranking->count; i++)
		assert_int_equal(*(const char *)ranking->items[i].item, expected[i]);
}

static void the_important_come_first_and_equals_stay(void **state)
{
	struct ranking ranking = rank();

	ranking_sort(&ranking);
	reads(&ranking, "cdeafb");
	ranking_release(&ranking);
}

static void a_cap_takes_the_least_and_keeps_the_order(void **state)
{
	struct ranking ranking = rank();

	assert_int_equal(ranking_cap(&ranking, 6), 0);
	reads(&ranking, "abcdef");
	assert_int_equal(ranking_cap(&ranking, 4), 2);
	reads(&ranking, "acde");
	ranking_release(&ranking);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_important_come_first_and_equals_stay),
		cmocka_unit_test(a_cap_takes_the_least_and_keeps_the_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
