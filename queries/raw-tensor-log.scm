; calls that may print, log or track
(call) @log
