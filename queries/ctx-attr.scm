; assignments that may go to a context
(assignment) @keep
(call) @keep
