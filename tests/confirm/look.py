"""For the eye: PYTHON tests/confirm/look.py SCRIPT [ARGS…] prints what the agent says of it: what it said last of each thing."""
import json
import os
import sys

from harness import confirm

run = confirm(["python", *sys.argv[1:]], env={"VRAMLINT_CONFIRM_DEBUG": "1"}, shim=not os.environ.get("NO_SHIM"))
last = {}
for event in run.events:
    name = event["ev"]
    if name not in ("step", "sample"):
        key = (event["pid"], name, event.get("key"), event.get("kind"), event.get("id"), event.get("path"), event.get("line"))
        last[key if name in ("probe", "cover") else key[:3] if name in ("holder", "store", "bounded") else id(event)] = event
for event in last.values():
    if "births" in event:
        event["births"] = "%d: %s" % (len(event["births"]), " ".join("%d:%s" % (b[0], "/".join(map(str, b[1:]))) for b in event["births"]))
    print(json.dumps(event)[:1200])
print("steps", len(run.of("step")), "samples", len(run.of("sample")), "status", run.status, "%.1f s" % run.seconds)
print(run.out[-500:], run.err[-3000:])
