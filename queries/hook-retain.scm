; what a hook stores, or the call that registers one
(call) @store
(assignment) @store
