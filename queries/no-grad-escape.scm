; calls that make a grad mode or keep a value, yields, and backward
(call function: (_) @callee) @place
(yield) @place
(assignment right: (_) @value) @place
(augmented_assignment right: (_) @value) @place
