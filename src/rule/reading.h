/* Whether what is kept under a name is read as numbers only, as far as its file shows. */
#ifndef VRAMLINT_RULE_READING_H
#define VRAMLINT_RULE_READING_H

#include "rule/syntax.h"

/* Whether the tensors that NAME holds, as a TOTAL of its own or else in a container, come to nothing but numbers in all
 * places where the function (or file) that NAME belongs to reads them: '.item()', 'float()', a comparison, a number in a
 * text. The autograd graph they carry then makes no difference to anybody. SCALAR: they have one element each. STORE is
 * the statement or call that keeps them. False where it is not sure: the name is handed on, is a parameter, or is another
 * name of what exists elsewhere. */
bool reading_is_number(struct syntax *syntax, TSNode store, struct str name, bool total, bool scalar);

#endif
