; wandb.log(…) and run.log(…), whatever the run is kept in
(call
  function: (attribute object: (_) @tracker attribute: (identifier) @method)
  (#match? @tracker "(^|\\.)(wandb|run)$")
  (#any-of? @method "log" "log_metrics")) @log
