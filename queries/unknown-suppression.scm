; a comment with a list of rules
((comment) @comment
  (#match? @comment "(?i)#[ \\t\\f]*vramlint.*\\[|#[ \\t\\f]*noqa[ \\t\\f]*:.*\\bvl[0-9]"))
