; a comment that may suppress something
((comment) @comment
  (#match? @comment "(?i)#[ \\t\\f]*vramlint|#[ \\t\\f]*noqa[ \\t\\f]*:.*(\\bvl[0-9]|[a-z]-[a-z])"))
