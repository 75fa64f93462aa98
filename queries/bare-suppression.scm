; a comment that may suppress something
((comment) @comment
  (#match? @comment "(?i)#[ \\t\\f]*vramlint"))
