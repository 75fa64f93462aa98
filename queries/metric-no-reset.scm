; the call that updates a metric
(call) @update
