#include "flow_fixture.h"

/* Every event is found by its keys, however many there are, and only by them: what one list lets go says nothing of
 * another, what one walk frees nothing of another's. */
static void many_holders_and_walks_stay_apart(void **state)
{
	enum { COUNT = 60 };
	struct buf text = BUF_INIT, expected = BUF_INIT;
	struct flow flow;
	int line = COUNT + 2;

	for (int i = 0; i < COUNT; i++)
		buf_format(&text, "xs%d = []\n", i);
	buf_add_text(&text, "for x in loader:\n");
	for (int i = 0; i < COUNT; i++) {
		buf_format(&text, "    loss%d = net(x).sum()\n", i);
		line++;
		if (i % 2 == 0) {
			buf_format(&text, "    loss%d.backward()\n", i);
			line++;
		}
		buf_format(&text, "    xs%d.append(loss%d)\n", i, i);
		if (i % 3 == 0) {
			buf_format(&text, "    xs%d.clear()\n", i);
			line++;
		} else {
			buf_format(&expected, "%d store unbounded %s flow step@%d\n", line, i % 2 ? "kept" : "freed", COUNT + 1);
		}
		line++;
	}
	flow_init(&flow, buf_text(&text));
	assert_string_equal(flow_facts(&flow, false), buf_text(&expected));
	flow_release(&flow);
	buf_release(&text);
	buf_release(&expected);
}

static void no_events_are_no_trouble(void **state)
{
	struct flow flow;

	flow_init(&flow, "");
	assert_int_equal(flow.judgement.count, 0);
	flow_release(&flow);
	flow_lower(&flow, "");
	flow_run(&flow, str_from(flow.text));
	assert_int_equal(flow.judgement.count, 0);
	flow_release(&flow);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(many_holders_and_walks_stay_apart),
		cmocka_unit_test(no_events_are_no_trouble),
	};
	return cmocka_run_group_tests(tests, flow_set_up, flow_tear_down);
}
