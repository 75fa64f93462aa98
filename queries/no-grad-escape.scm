; calls that make a grad mode or keep a value, yields, and what backward walks
(call) @place
(yield) @place
(assignment) @place
(augmented_assignment) @place
