#!/bin/sh
# vramlint as the linter of a real Kakoune. Each check writes a line to $RESULTS: 'ok NAME' or 'not ok NAME: WHY'.
set -u

root=$PWD

# Has the editor of this check execute COMMANDS.
tell() { # COMMANDS
	printf 'evaluate-commands -client client0 %%{ %s }\n' "$1" | kak -p "$session"
}

# Waits until the messages in the margin match the pattern.
awaits() { # PATTERN
	tries=0
	while [ $tries -lt 400 ]; do
		tell "echo -to-file $folder/messages %opt{lint_messages}" 2>/dev/null
		if grep -q -e "$1" "$folder/messages" 2>/dev/null; then return 0; fi
		sleep 0.05
		tries=$((tries + 1))
	done
	echo "'$1' never came; there was: $(cat "$folder/messages" 2>/dev/null)"
	return 1
}

# Has the buffer checked; until the linter comes back, its messages are something else.
lints() { # [COMMANDS to have executed before]
	tell "${1:-nop}; set-option buffer lint_messages %val{timestamp} '1|waiting'; lint-buffer"
}

# Waits until the linter came back with nothing: then only the time of the text stands there.
awaits_nothing() {
	awaits '^[0-9]*$'
}

opens() { # NAME
	printf '%s' "$1" >"$folder/name"
	lints "edit %file{$folder/name}"
}

finding() {
	opens train.py
	awaits "13|VL101 tensor-append \[warning\] 'loss' is kept in 'history'.*(col 5)"
}

edits() {
	opens train.py
	awaits '13|VL101' || return
	lints "execute-keys '%sappend\(loss\)<ret>cappend(loss.item())<esc>'"
	awaits_nothing || return
	lints "execute-keys u"
	awaits '13|VL101'
}

imports() {
	sed 's/\.item()//' "$PROJECT/meters.py" >meters.py
	opens epochs.py
	awaits '13|VL102'
}

configuration() {
	echo 'ignore = ["VL101"]' >vramlint.toml
	opens train.py
	awaits_nothing || return
	rm vramlint.toml
	lints
	awaits '13|VL101'
}

other_project() {
	mkdir other
	cp train.py other
	printf '[tool.vramlint]\nignore = ["VL101"]\n' >other/pyproject.toml
	opens other/train.py
	awaits_nothing
}

broken_configuration() {
	echo 'ignroe = []' >vramlint.toml
	opens train.py
	tries=0
	while [ $tries -lt 200 ]; do
		tell "evaluate-commands -draft %{ buffer *debug*; write! $folder/debug }"
		if grep -q "vramlint.toml:1:1: unknown key 'ignroe'" debug; then return 0; fi
		sleep 0.05
		tries=$((tries + 1))
	done
	echo "the debug buffer has: $(cat debug)"
	return 1
}

strange_names() {
	name='a b; touch owned $(touch owned)"`touch owned`.py'
	cp train.py "$name"
	opens "$name"
	awaits '13|VL101' || return
	[ ! -e owned ]
}

number=0
for name in finding edits imports configuration other_project broken_configuration strange_names; do
	case $name in "$CHECK"*) ;; *) continue ;; esac
	number=$((number + 1))
	folder=$root/$number
	session=vramlint-$$-$number
	cp -R "$PROJECT" "$folder"
	cd "$folder" || exit
	kak -s "$session" -ui dummy </dev/null >"$folder/log" 2>&1 &
	editor=$!
	until echo "evaluate-commands -client client0 nop" | kak -p "$session" 2>/dev/null; do sleep 0.02; done
	if why=$("$name" 2>&1); then
		echo "ok $name" >>"$RESULTS"
	else
		echo "not ok $name: $(echo "$why" | tr '\n' ' ')" >>"$RESULTS"
	fi
	echo 'kill!' | kak -p "$session"
	wait $editor
done
echo 'done' >>"$RESULTS"
