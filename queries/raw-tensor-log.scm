; calls that may print, log or track
(call function: (_) @callee) @log
