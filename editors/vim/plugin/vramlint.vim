" Tells ALE, where it is installed, of the fixer 'vramlint'. The linter it finds by itself.

function! s:Register() abort
    try
        call ale#fix#registry#Add('vramlint', 'ale#fixers#vramlint#Fix', ['python'], 'Fix what keeps GPU or host memory.')
    catch /^Vim\%((\a\+)\)\=:E117:/
        " No ALE.
    endtry
endfunction

augroup vramlint
    autocmd!
    autocmd FileType python ++once call s:Register()
augroup END
