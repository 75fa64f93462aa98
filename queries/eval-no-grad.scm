; calls that may be a forward
(call function: (_) @callee) @forward
