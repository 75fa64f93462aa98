; calls that may be a forward
(call) @forward
