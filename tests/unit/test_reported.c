#include "confirm/reported.h"

#include "temp_tree.h"

static void take(struct reported *reported, uint32_t connection, const char *text)
{
	struct buf line = BUF_INIT;

	/* in these tests ' stands for " */
	buf_add_text(&line, text);
	for (size_t i = 0; i < line.length; i++)
		if (line.bytes[i] == '\'')
			line.bytes[i] = '"';
	reported_take(reported, connection, buf_get(&line));
	buf_release(&line);
}

static void events_are_read_however_they_are_cut(void **state)
{
	static const char text[] = "{'ev':'hello','pid':7,'torch':'2.13','role':'main','shim':true,'degraded':['tracer',7]}\n"
				   "{'ev':'degraded','what':'saved'}\n{'ev':'degraded','what':'tracer'}\n{'ev':'degraded'}\n"
				   "{'ev':'step','pid':7,'t':0.5,'i':3,'live':100,'host':null}\n"
				   "{'ev':'holder','key':'xs in f','tensors':2,'bytes':8,'births':[[1,1,4,9],[2,1,4,9]],'alloc':['a:b.py:3']}\n"
				   "{'ev':'store','key':'xs in f','how':'append','lines':[{'path':'/x.py','line':5,'n':2}]}\n"
				   "{'ev':'cover','id':0,'hits':2,'steps':2}\n"
				   "{'ev':'probe','id':1,'kind':'sync','line':4,'hits':6,'steps':2}\n"
				   "{'ev':'bye','why':'steps','steps':48,'window':[6,48]}\n";

	for (size_t piece = 1; piece < sizeof text; piece += 7) {
		struct reported reported;
		const struct reported_process *process;
		char part[sizeof text];

		reported_init(&reported);
		for (size_t at = 0; at < sizeof text - 1; at += piece) {
			snprintf(part, sizeof part, "%.*s", (int)piece, text + at);
			take(&reported, 0, part);
		}
		assert_int_equal(reported.processes.count, 1);
		process = reported.processes.items[0];
		assert_int_equal(process->process, 7);
		assert_true(process->has_shim);
		assert_int_equal(process->lacks.count, 2);
		assert_string_equal(process->lacks.items[1], "saved");
		assert_int_equal(process->curve.items[0].live, 100);
		assert_int_equal(process->curve.items[0].host, -1);
		assert_int_equal(process->holders.count, 1);
		assert_int_equal(process->holders.items[0]->births.items[1].nodes, 9);
		assert_int_equal(process->holders.items[0]->stores.items[0].line, 5);
		assert_string_equal(process->holders.items[0]->allocs.items[0].path, "a:b.py");
		assert_int_equal(process->covers.items[0].hits, 2);
		assert_string_equal(process->probes.items[0].kind, "sync");
		assert_int_equal(process->first, 6);
		assert_true(reported_is_done(&reported));
		assert_int_equal(reported.bad_lines, 0);
		reported_release(&reported);
	}
}

static void processes_are_told_apart(void **state)
{
	struct reported reported;

	reported_init(&reported);
	take(&reported, 3, "{'ev':'hello','pid':1}\n{'ev':'st");
	take(&reported, 0, "{'ev':'hello','pid':2}\n{'ev':'step','i':9}\n");
	take(&reported, 3, "ep','i':4}\n");
	assert_int_equal(reported.processes.count, 2);
	assert_int_equal(reported.processes.items[0]->steps, 4);
	assert_int_equal(reported.processes.items[1]->steps, 9);
	assert_false(reported_is_done(&reported));
	reported_release(&reported);
}

static void nonsense_is_counted_and_passed_over(void **state)
{
	struct reported reported;
	struct buf large = BUF_INIT;

	reported_init(&reported);
	take(&reported, 0, "\x01\xff\n[]\n{\n{'ev':'step','i':1}\n\n{'pid':3}\n");
	assert_int_equal(reported.bad_lines, 5);
	buf_add_repeat(&large, 'x', 3 << 20);
	buf_add_text(&large, "\n");
	reported_take(&reported, 0, buf_get(&large));
	assert_int_equal(reported.bad_lines, 6);
	take(&reported, 0, "{'ev':'hello','pid':1}\n{'ev':'holder'}\n{'ev':'holder','key':3}\n{'ev':'bye','window':[1]}\n"
			   "{'ev':'holder','key':'k','births':[1,[],['a'],[1e300,1,1,1]]}\n{'ev':'unheard of'}\n");
	assert_int_equal(reported.bad_lines, 6);
	assert_int_equal(reported.processes.items[0]->holders.count, 1);
	buf_release(&large);
	reported_release(&reported);
}

static void the_numbers_of_accelerators_are_kept(void **state)
{
	struct reported reported;
	const struct reported_process *process;
	const struct reported_step *step;

	reported_init(&reported);
	take(&reported, 0, "{'ev':'hello','pid':1,'device':'cpu'}\n{'ev':'step','i':1}\n"
			   "{'ev':'devices','list':[3,{'d':0,'kind':'cuda','name':'A','uuid':'GPU-1','total':1000},{'d':1,'total':null}]}\n"
			   "{'ev':'step','i':2,'dev':[{'d':0,'allocated':5,'reserved':8,'retries':2},'x',{'d':1,'total':7},{'d':9}]}\n"
			   "{'ev':'step','i':3,'dev':[{},{},{},{},{},{},{},{},{},{},{}]}\n{'ev':'step','i':4,'dev':7}\n"
			   "{'ev':'holder','key':'h','births':[[1,2,3,4],[2,2,3,4,1]]}\n{'ev':'devices','list':{}}\n{'ev':'devices'}\n");
	process = reported.processes.items[0];
	assert_int_equal(reported.bad_lines, 0);
	assert_string_equal(process->device, "cuda:0");
	assert_int_equal(process->gpu_count, 2);
	assert_string_equal(process->gpus[0].uuid, "GPU-1");
	assert_int_equal(process->gpus[1].total, -1);
	assert_int_equal(process->curve.items[0].device_count, 0);
	step = &process->curve.items[1];
	assert_int_equal(step->device_count, 3);
	assert_int_equal(step->devices[0].allocated, 5);
	assert_int_equal(step->devices[0].total, 1000);
	assert_int_equal(step->devices[0].ooms, -1);
	assert_int_equal(step->devices[1].total, 7);
	assert_int_equal(process->curve.items[2].device_count, REPORTED_DEVICES);
	assert_int_equal(process->curve.items[3].device_count, 0);
	assert_int_equal(process->holders.items[0]->births.items[0].device, 3);
	assert_int_equal(process->holders.items[0]->births.items[1].device, 1);
	reported_release(&reported);
}

static void what_devices_hold_is_told_anew(void **state)
{
	struct reported reported;
	const struct reported_process *process;

	reported_init(&reported);
	take(&reported, 0, "{'ev':'hello','pid':1}\n"
			   "{'ev':'blocks','d':0,'list':[{'path':'/a.py','line':3,'bytes':9,'births':[[1,2],[2,3]]},{},7]}\n"
			   "{'ev':'blocks','d':1,'list':[{'bytes':5}]}\n{'ev':'blocks','d':0,'list':[{'path':'/b.py','births':'x'}]}\n"
			   "{'ev':'blocks'}\n{'ev':'blocks','d':2,'list':'x'}\n"
			   "{'ev':'layout','d':0,'free':5}\n"
			   "{'ev':'layout','d':0,'free':7,'largest':4,'pieces':2,'expandable':true,'asked':[{'path':'/a.py','line':8},3]}\n"
			   "{'ev':'layout','asked':7,'d':3}\n{'ev':'missing','why':'old'}\n{'ev':'snapshot','path':'/s'}\n"
			   "{'ev':'crash','type':'E','message':'m','oom':true,'step':4,'dev':[{'d':0,'ooms':1},{'d':1}]}\n");
	process = reported.processes.items[0];
	assert_int_equal(reported.bad_lines, 0);
	assert_int_equal(process->unheld.count, 1); /* the event without a device was of the first */
	assert_int_equal(process->unheld.items[0].device, 1);
	assert_int_equal(process->layouts.count, 2);
	assert_int_equal(process->layouts.items[0].free, 7);
	assert_true(process->layouts.items[0].is_expandable);
	assert_int_equal(process->layouts.items[0].asked.line, 8);
	assert_null(process->layouts.items[1].asked.path);
	assert_string_equal(process->missing, "old");
	assert_string_equal(process->snapshot, "/s");
	assert_int_equal(process->at_crash.device_count, 2);
	assert_int_equal(process->at_crash.devices[0].ooms, 1);
	for (int i = 0; i < 300; i++)
		take(&reported, 0, "{'ev':'blocks','d':9,'list':[{},{},{}]}\n");
	assert_int_equal(process->unheld.count, 4);
	reported_release(&reported);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(events_are_read_however_they_are_cut),
		cmocka_unit_test(processes_are_told_apart),
		cmocka_unit_test(nonsense_is_counted_and_passed_over),
		cmocka_unit_test(the_numbers_of_accelerators_are_kept),
		cmocka_unit_test(what_devices_hold_is_told_anew),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
