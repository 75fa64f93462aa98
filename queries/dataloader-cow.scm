; what makes a list, a set or a dictionary
(list_comprehension) @made
(set_comprehension) @made
(dictionary_comprehension) @made
(call) @made
(binary_operator) @made
