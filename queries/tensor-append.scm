; where a value may be kept in a container: a call, a subscript, += and + on sequences, a display built from an old one
(call function: (_) @callee arguments: (argument_list . (_) @value)) @store
(call function: (_) @callee) @store
(assignment left: (subscript value: (_) @holder) right: (_) @value) @store
(augmented_assignment left: (_) @holder right: (_) @value) @store
(assignment left: (_) @holder right: (_) @value) @store
(named_expression value: (_) @value) @store
(list_comprehension) @store
(set_comprehension) @store
(dictionary_comprehension) @store
