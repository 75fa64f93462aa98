; what gives an attribute, an entry or an outer name its value
(assignment) @assign
(call) @assign
