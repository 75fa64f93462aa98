; where a name, attribute or entry may get a value computed from its own old one
(assignment) @carry
(augmented_assignment) @carry
(named_expression) @carry
(call) @carry
(list_comprehension) @carry
(dictionary_comprehension) @carry
(dictionary) @carry
(tuple) @carry
(list) @carry
(expression_list) @carry
