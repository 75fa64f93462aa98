; a comment that speaks to us
((comment) @comment
  (#match? @comment "(?i)#[ \\t\\f]*vramlint"))
