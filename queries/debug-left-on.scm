; calls that may switch on a debugging aid
(call) @call
