; where a value may be kept in a container: a call, a subscript, += and + on sequences, a display built from an old one
(call arguments: (argument_list . (_) @value .)) @store
(call arguments: (argument_list . (comment)* . (_) @value . (comment)+ .)) @store
(call arguments: (argument_list . (comment)+ . (_) @value .)) @store
(call) @store
(assignment right: (_) @value) @store
(augmented_assignment right: (_) @value) @store
(named_expression value: (_) @value) @store
(list_comprehension) @store
(set_comprehension) @store
(dictionary_comprehension) @store
