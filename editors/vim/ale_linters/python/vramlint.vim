" Description: vramlint finds the code in PyTorch training scripts that eats memory

let s:types = {'error': 'E', 'warning': 'W', 'note': 'I', 'hint': 'I'}

function! ale_linters#python#vramlint#GetCommand(buffer) abort
    return ale#fixers#vramlint#Check(a:buffer, '--output-format json-lines')
endfunction

" Vim counts bytes, vramlint counts characters, both from 1. The end is the last byte in Vim and the character behind it
" in vramlint.
function! s:Byte(buffer, line, column) abort
    let l:text = get(getbufline(a:buffer, a:line), 0, '')
    let l:index = byteidxcomp(l:text, a:column - 1)

    return (l:index < 0 ? len(l:text) : l:index) + 1
endfunction

function! s:Detail(finding) abort
    let l:lines = [a:finding.code . ' ' . a:finding.name . ': ' . a:finding.message]

    for l:key in ['growth', 'help']
        if has_key(a:finding, l:key)
            call add(l:lines, l:key . ': ' . a:finding[l:key])
        endif
    endfor

    let l:number = 0

    for l:note in get(a:finding, 'trail', [])
        let l:number += 1
        call add(l:lines, printf('%d. line %d: %s', l:number, l:note.line, l:note.text))
    endfor

    return join(l:lines, "\n")
endfunction

function! ale_linters#python#vramlint#Handle(buffer, lines) abort
    let l:output = []

    for l:line in a:lines
        if l:line[0] is# '{'
            let l:finding = json_decode(l:line)
            call add(l:output, {
            \   'lnum': l:finding.line,
            \   'col': s:Byte(a:buffer, l:finding.line, l:finding.column),
            \   'end_lnum': l:finding.end_line,
            \   'end_col': s:Byte(a:buffer, l:finding.end_line, l:finding.end_column) - 1,
            \   'type': s:types[l:finding.severity],
            \   'code': l:finding.code,
            \   'text': l:finding.message,
            \   'detail': s:Detail(l:finding),
            \})
        elseif l:line =~# '^vramlint: error: '
            " The configuration is at fault, for instance. Without this nothing would be found and nobody would know why.
            call add(l:output, {'lnum': 1, 'type': 'E', 'text': matchstr(l:line, '^vramlint: error: \zs.*')})
        endif
    endfor

    return l:output
endfunction

call ale#linter#Define('python', {
\   'name': 'vramlint',
\   'executable': function('ale#fixers#vramlint#GetExecutable'),
\   'command': function('ale_linters#python#vramlint#GetCommand'),
\   'callback': 'ale_linters#python#vramlint#Handle',
\   'output_stream': 'both',
\})
