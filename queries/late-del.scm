; a forward
(call) @forward
