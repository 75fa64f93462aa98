; calls that may walk a graph or zero gradients
(call) @place
