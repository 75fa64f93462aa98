; where a name, attribute or entry may get a value computed from its own old one
(assignment right: (_) @value) @store
(augmented_assignment right: (_) @value) @store
(named_expression value: (_) @value) @store
(call) @store
(list_comprehension) @store
(dictionary_comprehension) @store
(dictionary) @store
(tuple) @store
(list) @store
(expression_list) @store
