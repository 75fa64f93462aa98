; calls that may walk a graph
(call) @walk
