; what keeps something in a cache, or the decorator that is one
(call) @keep
(assignment) @keep
(decorator (_) @keep) @decorator
