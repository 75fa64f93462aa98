; calls that may release caches
(call) @call
