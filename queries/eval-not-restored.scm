; calls that may switch a mode
(call) @switch
