"""For the eye: PYTHON tests/confirm/look.py SCRIPT [ARGS…] prints what the agent says of it, steps left out."""
import json
import os
import sys

from harness import confirm

run = confirm(["python", *sys.argv[1:]], env={"VRAMLINT_CONFIRM_DEBUG": "1"}, shim=not os.environ.get("NO_SHIM"))
for event in run.events:
    if event["ev"] in ("step", "sample"):
        continue
    if "births" in event:
        event["births"] = "%d: %s … %s" % (len(event["births"]), event["births"][:2], event["births"][-2:])
    print(json.dumps(event)[:700])
print("steps", len(run.of("step")), "samples", len(run.of("sample")), "status", run.status, "%.1f s" % run.seconds)
print(run.out[-500:], run.err[-3000:])
