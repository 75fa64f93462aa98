" Description: vramlint's safe fixes as a fixer of ALE, and what its linter needs as well

call ale#Set('python_vramlint_executable', 'vramlint')
call ale#Set('python_vramlint_options', '')
call ale#Set('python_vramlint_fix_options', '')
call ale#Set('python_vramlint_use_global', get(g:, 'ale_use_global_executables', 0))

function! ale#fixers#vramlint#GetExecutable(buffer) abort
    return ale#python#FindExecutable(a:buffer, 'python_vramlint', ['vramlint'])
endfunction

" The command that checks the buffer's text on standard input. The name of a buffer without one is the current folder.
function! ale#fixers#vramlint#Check(buffer, options) abort
    return ale#Escape(ale#fixers#vramlint#GetExecutable(a:buffer))
    \   . ' check --quiet --force-exclude'
    \   . ale#Pad(a:options)
    \   . ale#Pad(ale#Var(a:buffer, 'python_vramlint_options'))
    \   . ' --stdin-filename %s -'
endfunction

" Where it could not fix anything, nothing is printed, and ALE leaves the buffer as it is.
function! ale#fixers#vramlint#Fix(buffer) abort
    let l:options = '--fix' . ale#Pad(ale#Var(a:buffer, 'python_vramlint_fix_options'))

    return {'command': ale#fixers#vramlint#Check(a:buffer, l:options)}
endfunction
