" vramlint through ALE in a real Vim. Each check writes a line to $RESULTS: 'ok NAME' or 'not ok NAME: WHY'.

let s:folder = getcwd()

function! s:Say(line) abort
    call writefile([a:line], $RESULTS, 'a')
endfunction

" Waits until the expression is true; 0 when it never was.
function! s:Await(expression) abort
    let l:start = reltime()

    while !eval(a:expression)
        if reltimefloat(reltime(l:start)) > 20
            return 0
        endif

        sleep 5m
    endwhile

    return 1
endfunction

function! s:Found() abort
    return get(get(g:ale_buffer_info, bufnr(''), {}), 'loclist', [])
endfunction

function! s:Codes() abort
    return map(copy(s:Found()), 'get(v:val, "code", "")')
endfunction

function! s:AwaitCodes(codes) abort
    call assert_true(s:Await('s:Codes() == ' . string(a:codes)), string(s:Found()))
endfunction

" What ALE did last came back, whatever it was.
function! s:Lint() abort
    let s:done = 0
    autocmd User ALELintPost ++once let s:done = 1
    ALELint
    call assert_true(s:Await('s:done'), 'nothing came back')
endfunction

function! s:Fix() abort
    let s:done = 0
    autocmd User ALEFixPost ++once let s:done = 1
    ALEFix
    call assert_true(s:Await('s:done'), 'the fixer did not end')
endfunction

function! Check_finding() abort
    edit train.py
    call s:AwaitCodes(['VL101'])
    let l:item = s:Found()[0]
    call assert_equal([13, 5, 13, 24, 'W'], [l:item.lnum, l:item.col, l:item.end_lnum, l:item.end_col, l:item.type])
    call assert_match("^'loss' is kept in 'history' with its autograd graph", l:item.text)
    call assert_match("^VL101 tensor-append: .*\ngrowth: host memory .*\nhelp: keep 'loss.item()'", l:item.detail)
    call assert_match("\n1. line 10: 'loss' is computed here .*\n4. line 8: 'history' outlives", l:item.detail)
    call assert_true(s:Await('len(getloclist(0)) == 1'), string(getloclist(0)))
    call assert_true(s:Await('len(sign_getplaced(bufnr(""), {"group": "*"})[0].signs) == 1'), 'no sign')
    call cursor(13, 6)
    ALEDetail
    call assert_match('4. line 8', join(getbufline(bufnr('ALEPreviewWindow'), 1, '$'), "\n"))
    pclose
endfunction

function! Check_edits() abort
    edit train.py
    call s:AwaitCodes(['VL101'])
    %s/append(loss)/append(loss.item())/
    doautocmd TextChanged
    call s:AwaitCodes([])
    undo
    doautocmd TextChanged
    call s:AwaitCodes(['VL101'])
    13delete
    doautocmd TextChanged
    call s:AwaitCodes([])
endfunction

function! Check_fix() abort
    edit train.py
    call s:AwaitCodes(['VL101'])
    call s:Fix()
    call assert_equal('    history.append(loss.detach())', getline(13))
    call assert_equal(13, line('$'))
    call s:AwaitCodes([])
endfunction

function! Check_unsafe_fix() abort
    edit epochs.py
    let b:ale_python_vramlint_options = '--isolated'
    call setline(7, ['mean = 0', 'for step in range(10):'])
    call setline(13, '    mean += loss')
    call append(13, 'print(mean)')
    call s:Lint()
    call s:AwaitCodes(['VL102'])
    call s:Fix()
    call assert_equal('    mean += loss', getline(13))
    let b:ale_python_vramlint_fix_options = '--unsafe-fixes'
    call s:Fix()
    call assert_equal('    mean += loss.detach()', getline(13))
endfunction

function! Check_wide_characters() abort
    edit wide.py
    call s:AwaitCodes(['VL101'])
    let l:item = s:Found()[0]
    call assert_equal("größe.append(loss)", strpart(getline(12), l:item.col - 1, l:item.end_col - l:item.col + 1))
    call s:Fix()
    call assert_match("größe.append(loss.detach()); print(\"😀\")", getline(12))
endfunction

function! Check_imports() abort
    edit epochs.py
    call s:Lint()
    call s:AwaitCodes([])
    call writefile(map(readfile('meters.py'), {_, line -> substitute(line, '\.item()', '', '')}), 'meters.py')
    call s:Lint()
    call s:AwaitCodes(['VL102'])
endfunction

function! Check_configuration() abort
    call writefile(['ignore = ["VL101"]'], 'vramlint.toml')
    edit train.py
    call s:Lint()
    call s:AwaitCodes([])
    call writefile(['exclude = ["train.py"]'], 'vramlint.toml')
    call s:Lint()
    call s:AwaitCodes([])
    call delete('vramlint.toml')
    call s:Lint()
    call s:AwaitCodes(['VL101'])
endfunction

function! Check_broken_configuration() abort
    call writefile(['', 'ignroe = []'], 'vramlint.toml')
    edit train.py
    call s:AwaitCodes([''])
    call assert_equal([1, 'E'], [s:Found()[0].lnum, s:Found()[0].type])
    call assert_match("vramlint.toml:2:1: unknown key 'ignroe'", s:Found()[0].text)
    let l:before = getline(1, '$')
    call s:Fix()
    call assert_equal(l:before, getline(1, '$'))
endfunction

function! Check_broken_code() abort
    edit train.py
    call append(13, ['def f(:', '    )]'])
    doautocmd TextChanged
    call s:Lint()
    call s:AwaitCodes(['VL101'])
endfunction

function! Check_buffer_without_a_name() abort
    enew
    setfiletype python
    call setline(1, readfile('train.py'))
    call s:Lint()
    call s:AwaitCodes(['VL101'])
endfunction

function! Check_strange_names() abort
    let l:name = 'a b; touch owned #%$(touch owned)''"`touch owned`.py'
    call writefile(readfile('train.py'), l:name)
    execute 'edit' fnameescape(l:name)
    call s:AwaitCodes(['VL101'])
    call s:Fix()
    call assert_equal('    history.append(loss.detach())', getline(13))
    call assert_false(filereadable('owned'))
endfunction

function! Check_environment() abort
    " What is installed in the project's virtual environment comes first.
    call mkdir('.venv/bin', 'p')
    call writefile([], '.venv/bin/activate')
    call writefile(['#!/bin/sh', 'echo ran >ran', 'exec ' . shellescape(exepath('vramlint')) . ' "$@"'], '.venv/bin/vramlint')
    call setfperm('.venv/bin/vramlint', 'rwxr-xr-x')
    edit train.py
    call s:AwaitCodes(['VL101'])
    call assert_true(filereadable('ran'))
endfunction

" Each check has a folder of its own, which is the current one, and no buffers.
function! s:Run(name, number) abort
    let l:errors = []
    let v:errors = []

    try
        let l:folder = s:folder . '/' . a:number
        call system('cp -R ' . shellescape($PROJECT) . ' ' . shellescape(l:folder))
        execute 'cd' fnameescape(l:folder)
        call call(a:name, [])
        let l:errors = v:errors
    catch
        let l:errors = [v:exception . ' at ' . v:throwpoint]
    endtry

    silent! %bwipeout!
    call s:Say(empty(l:errors) ? 'ok ' . a:name : 'not ok ' . a:name . ': ' . join(l:errors, ' | '))
endfunction

let s:number = 0

for s:name in sort(getcompletion('Check_' . $CHECK . '*', 'function'))
    let s:number += 1
    call s:Run(trim(s:name, '()'), s:number)
endfor

call s:Say('done')
qall!
