#include "lsp/document.h"

#include "temp_tree.h"

static struct message *params_of(const char *json)
{
	struct buf text = BUF_INIT;
	struct message *message;
	struct err err;

	/* in these tests ' stands for " */
	buf_format(&text, "{'method':'m','params':%s}", json);
	for (size_t i = 0; i < text.length; i++)
		if (text.bytes[i] == '\'')
			text.bytes[i] = '"';
	message = message_new(buf_get(&text), &err);
	assert_non_null(message);
	buf_release(&text);
	return message;
}

static struct document *open_text(struct documents *documents, const char *text)
{
	struct buf json = BUF_INIT;
	struct message *message;
	struct document *document;

	buf_format(&json, "{'textDocument':{'uri':'file:///x.py','languageId':'python','version':1,'text':'%s'}}", text);
	message = params_of(buf_text(&json));
	document = documents_open(documents, message->params);
	assert_non_null(document);
	message_free(message);
	buf_release(&json);
	return document;
}

static void change(struct documents *documents, const char *changes, const char *wanted)
{
	struct buf json = BUF_INIT;
	struct message *message;
	struct document *document;

	buf_format(&json, "{'textDocument':{'uri':'file:///x.py','version':2},'contentChanges':[%s]}", changes);
	message = params_of(buf_text(&json));
	document = documents_change(documents, message->params, POSITION_UTF16);
	assert_non_null(document);
	assert_string_equal(buf_text(&document->parts.items[0].text), wanted);
	message_free(message);
	buf_release(&json);
}

#define RANGE(l, c, m, d)                                                                                              \
	"'range':{'start':{'line':" #l ",'character':" #c "},'end':{'line':" #m ",'character':" #d "}}"

static void changes_are_made_one_after_another(void **state)
{
	struct documents documents = {{NULL, 0, 0}, MAP_INIT, 0};

	open_text(&documents, "one\\ntwo\\nthree\\n");
	change(&documents, "{" RANGE(1, 0, 1, 3) ",'text':'TWO'},{" RANGE(0, 3, 1, 0) ",'text':' '}", "one TWO\nthree\n");
	change(&documents, "{" RANGE(1, 5, 2, 0) ",'text':''},{" RANGE(1, 0, 1, 0) ",'text':'\\n'}", "one TWO\n\nthree");
	change(&documents, "{'text':'all'}", "all");
	change(&documents, "{" RANGE(0, 99, 0, 99) ",'text':'!'},{" RANGE(7, 0, 9, 0) ",'text':'?'}", "all!?");
	change(&documents, "{" RANGE(0, 3, 0, 1) ",'text':'x'}", "ax!?");
	documents_release(&documents);
}

static void line_ends_that_meet_are_one(void **state)
{
	struct documents documents = {{NULL, 0, 0}, MAP_INIT, 0};

	open_text(&documents, "a\\rb\\nc");
	change(&documents, "{" RANGE(1, 0, 1, 0) ",'text':'\\n'},{" RANGE(1, 0, 1, 1) ",'text':'B'}", "a\r\nB\nc");
	change(&documents, "{" RANGE(2, 0, 2, 1) ",'text':''},{" RANGE(2, 0, 2, 0) ",'text':'C'}", "a\r\nB\nC");
	documents_release(&documents);
}

static void changes_that_make_no_sense_change_nothing(void **state)
{
	struct documents documents = {{NULL, 0, 0}, MAP_INIT, 0};

	open_text(&documents, "abc");
	change(&documents, "{'range':7,'text':'x'}", "abc");
	change(&documents, "{'range':{'start':{'line':-1,'character':0},'end':{}},'text':'x'}", "abc");
	change(&documents, "7,{},{'text':8}", "abc");
	documents_release(&documents);
}

static void cell_gone(const struct document_part *part, void *context)
{
	buf_format(context, "%s ", part->uri);
}

static void check_cells(const struct document *document, const char *wanted)
{
	struct buf cells = BUF_INIT;

	for (size_t i = 0; i < document->parts.count; i++)
		buf_format(&cells, "%s=%s%s ", document->parts.items[i].uri, buf_text(&document->parts.items[i].text),
			   document->parts.items[i].is_code ? "" : "(no code)");
	assert_string_equal(buf_text(&cells), wanted);
	buf_release(&cells);
}

static void change_cells(struct documents *documents, const char *cells, const char *wanted, const char *wanted_gone)
{
	struct buf json = BUF_INIT, gone = BUF_INIT;
	struct message *message;
	struct document *document;

	buf_format(&json, "{'notebookDocument':{'uri':'n','version':2},'change':{'cells':%s}}", cells);
	message = params_of(buf_text(&json));
	document = documents_change_notebook(documents, message->params, POSITION_UTF16, cell_gone, &gone);
	assert_non_null(document);
	check_cells(document, wanted);
	assert_string_equal(buf_text(&gone), wanted_gone);
	message_free(message);
	buf_release(&json);
	buf_release(&gone);
}

static void cells_come_go_and_move(void **state)
{
	struct documents documents = {{NULL, 0, 0}, MAP_INIT, 0};
	struct message *message = params_of(
		"{'notebookDocument':{'uri':'n','version':1,'cells':[{'kind':2,'document':'c1'},{'kind':1,'document':'c2'}]},"
		"'cellTextDocuments':[{'uri':'c1','languageId':'python','text':'x'},{'uri':'c2','languageId':'markdown','text':'y'}]}");
	struct document_part *part;
	struct document *document = documents_open_notebook(&documents, message->params);

	check_cells(document, "c1=x c2=y(no code) ");
	change_cells(&documents, "{'structure':{'array':{'start':1,'deleteCount':0,'cells':[{'kind':2,'document':'c3'}]},"
		     "'didOpen':[{'uri':'c3','languageId':'python','text':'z'}]}}", "c1=x c3=z c2=y(no code) ", "");
	assert_ptr_equal(documents_find(&documents, "c3", &part), document);
	assert_string_equal(part->uri, "c3");
	change_cells(&documents, "{'textContent':[{'document':{'uri':'c3','version':4},'changes':[{" RANGE(0, 1, 0, 1) ",'text':'!'}]}]}",
		     "c1=x c3=z! c2=y(no code) ", "");
	change_cells(&documents, "{'structure':{'array':{'start':0,'deleteCount':2,'cells':[{'kind':2,'document':'c3'},{'kind':2,'document':'c1'}]}}}",
		     "c3=z! c1=x c2=y(no code) ", "");
	change_cells(&documents, "{'structure':{'array':{'start':0,'deleteCount':99},'didClose':[{'uri':'c3'}]}}", "", "c3 c1 c2 ");
	assert_null(documents_find(&documents, "c3", NULL));
	assert_non_null(documents_find(&documents, "n", NULL));
	documents_close(&documents, document);
	assert_null(documents_find(&documents, "n", NULL));
	message_free(message);
	documents_release(&documents);
}

static void what_is_opened_twice_is_there_once(void **state)
{
	struct documents documents = {{NULL, 0, 0}, MAP_INIT, 0};
	struct document *document;

	open_text(&documents, "old");
	document = open_text(&documents, "new");
	assert_int_equal(documents.items.count, 1);
	assert_string_equal(buf_text(&document->parts.items[0].text), "new");
	documents_release(&documents);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(changes_are_made_one_after_another),
		cmocka_unit_test(line_ends_that_meet_are_one),
		cmocka_unit_test(changes_that_make_no_sense_change_nothing),
		cmocka_unit_test(cells_come_go_and_move),
		cmocka_unit_test(what_is_opened_twice_is_there_once),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
