; where a name, attribute or entry may get a value computed from its own old one
(assignment left: (_) @holder right: (_) @value) @store
(augmented_assignment left: (_) @holder right: (_) @value) @store
(named_expression name: (_) @holder value: (_) @value) @store
(call function: (_) @callee) @store
(list_comprehension) @store
(dictionary_comprehension) @store
