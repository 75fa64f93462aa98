; a retry, or what keeps the exception
(call) @retry
(assignment) @retry
