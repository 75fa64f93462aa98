;;; vramlint.el --- Find what keeps GPU or host memory in PyTorch code  -*- lexical-binding: t; -*-

;; Version: 0.1.0
;; Package-Requires: ((emacs "27.1"))
;; Keywords: languages, tools

;; This file is not part of GNU Emacs.  SPDX-License-Identifier: MIT

;;; Commentary:

;; vramlint is a linter for PyTorch training scripts: it reports the lines that keep GPU or host memory.
;;
;; This file is its Flymake backend, beside whatever else checks the buffer:
;;
;;   (require 'vramlint)
;;   (add-hook 'python-mode-hook #'vramlint-flymake-setup)
;;
;; and the commands `vramlint-fix-buffer' and `vramlint-explain'.
;;
;; vramlint-eglot.el and vramlint-lsp.el are for its language server in Eglot and in lsp-mode.

;;; Code:

(require 'flymake)
(require 'subr-x)

(defgroup vramlint nil
  "Find what keeps GPU or host memory in PyTorch code."
  :group 'tools)

(defcustom vramlint-program "vramlint"
  "The program, by name or by path."
  :type 'string)

(defcustom vramlint-arguments nil
  "More arguments for vramlint, as in (\"--min-confidence\" \"flow\")."
  :type '(repeat string))

;;; Running it

(defun vramlint--command (&rest options)
  "Return the command to check the buffer's text on standard input.
OPTIONS come before the user's `vramlint-arguments'."
  `(,vramlint-program "check" "--quiet" "--force-exclude" ,@options ,@vramlint-arguments
                      ,@(and buffer-file-name (list "--stdin-filename" (expand-file-name buffer-file-name)))
                      "-"))

(defun vramlint--coding ()
  "Return the coding system in which vramlint gets the text, and gives it fixed.
It is the file's, because vramlint believes what the text says of its coding."
  (or buffer-file-coding-system 'utf-8))

(defun vramlint--errors ()
  "Return the errors among the messages in the current buffer."
  (let (errors)
    (goto-char (point-min))
    (while (re-search-forward "^vramlint: error: \\(.*\\)$" nil t)
      (push (match-string 1) errors))
    (nreverse errors)))

(defun vramlint--call (input &rest command)
  "Run COMMAND on nothing, or on the text INPUT, and return what it prints.
An error of its own is one here as well."
  (let ((errors (make-temp-file "vramlint"))
        (coding-system-for-write (vramlint--coding))
        (coding-system-for-read (if input (vramlint--coding) 'utf-8)))
    (unwind-protect
        (with-temp-buffer
          (let ((status (apply #'call-process-region (or input "") nil (car command) nil (list t errors) nil
                               (cdr command))))
            (unless (memq status '(0 1))
              (let ((messages (with-temp-buffer
                                (insert-file-contents errors)
                                (vramlint--errors))))
                (user-error "%s" (if messages
                                     (string-join messages "\n")
                                   (format "%s: %s" (car command) status)))))
            (buffer-string)))
      (delete-file errors))))

;;; Flymake

(defvar-local vramlint--process nil
  "The check of this buffer that runs.")

(defun vramlint--position (line column)
  "Return the position of COLUMN in LINE, both counted from 1."
  (save-excursion
    (save-restriction
      (widen)
      (goto-char (point-min))
      (forward-line (1- line))
      (min (+ (point) (1- column)) (line-end-position)))))

(defun vramlint--text (finding)
  "Return what to tell of FINDING: what it is, what it costs, what to write."
  (let ((growth (alist-get 'growth finding))
        (help (alist-get 'help finding)))
    (concat (alist-get 'code finding) " " (alist-get 'message finding)
            (and growth (concat "\n" growth))
            (and help (concat "\nhelp: " help)))))

(defun vramlint--diagnostic (finding)
  "Return the diagnostic of FINDING, which is in the current buffer."
  (flymake-make-diagnostic
   (current-buffer)
   (vramlint--position (alist-get 'line finding) (alist-get 'column finding))
   (vramlint--position (alist-get 'end_line finding) (alist-get 'end_column finding))
   (pcase (alist-get 'severity finding)
     ("error" :error)
     ("warning" :warning)
     (_ :note))
   (vramlint--text finding)))

(defun vramlint--findings (output)
  "Return the findings in the buffer OUTPUT, one in a line."
  (with-current-buffer output
    (goto-char (point-min))
    (let (findings)
      (while (looking-at "{")
        (push (json-parse-buffer :object-type 'alist) findings)
        (forward-line))
      (nreverse findings))))

(defun vramlint--fault (message)
  "Return a diagnostic with MESSAGE at the top of the buffer.
Without it nothing would be found, and nobody would know why."
  (save-restriction
    (widen)
    (flymake-make-diagnostic (current-buffer) (point-min)
                             (save-excursion (goto-char (point-min)) (line-end-position))
                             :error (concat "vramlint: " message))))

(defun vramlint--report (process errors report)
  "Give what PROCESS found to REPORT; ERRORS is the process of its messages."
  (if (memq (process-exit-status process) '(0 1))
      (funcall report (mapcar #'vramlint--diagnostic (vramlint--findings (process-buffer process))))
    (while (accept-process-output errors 1))
    (funcall report (mapcar #'vramlint--fault
                            (or (with-current-buffer (process-buffer errors)
                                  (vramlint--errors))
                                (list (string-trim (format "%s" (process-exit-status process)))))))))

(defun vramlint-flymake (report &rest _)
  "Check the buffer and give what is found to REPORT: a backend for Flymake."
  (unless (executable-find vramlint-program)
    (error "Cannot find the program `%s'" vramlint-program))
  (let ((older vramlint--process))
    (setq vramlint--process nil)
    (when (process-live-p older)
      (delete-process older)))
  (let* ((source (current-buffer))
         (errors (make-pipe-process :name "vramlint errors" :buffer (generate-new-buffer " *vramlint errors*")
                                    :noquery t :sentinel #'ignore)))
    (setq vramlint--process
          (make-process
           :name "vramlint" :noquery t :connection-type 'pipe :coding (cons 'utf-8 (vramlint--coding))
           :buffer (generate-new-buffer " *vramlint*") :stderr errors
           :command (vramlint--command "--output-format" "json-lines")
           :sentinel
           (lambda (process _event)
             (unless (process-live-p process)
               (unwind-protect
                   (when (buffer-live-p source)
                     (with-current-buffer source
                       ;; What an older check says may be about text that is gone.
                       (when (eq process vramlint--process)
                         (vramlint--report process errors report))))
                 (kill-buffer (process-buffer process))
                 (delete-process errors)
                 (kill-buffer (process-buffer errors)))))))
    ;; It may end before it has read all: the sentinel reports why.
    (ignore-errors
      (save-restriction
        (widen)
        (process-send-region vramlint--process (point-min) (point-max)))
      (process-send-eof vramlint--process))))

;;;###autoload
(defun vramlint-flymake-setup ()
  "Have Flymake check this buffer with vramlint as well, if it is Python.
Put it on `python-mode-hook' (in Emacs 29 and later `python-base-mode-hook'),
or on `eglot-managed-mode-hook' where Eglot runs another server: Eglot takes
away the backends that were there before."
  (interactive)
  (when (derived-mode-p 'python-mode 'python-base-mode)
    (add-hook 'flymake-diagnostic-functions #'vramlint-flymake nil t)
    (if (bound-and-true-p flymake-mode)
        (flymake-start)
      (flymake-mode 1))))

;;; Commands

(defconst vramlint--reason-prompt "Why is it right here? "
  "What the language servers' clients ask before they suppress a finding.")

;;;###autoload
(defun vramlint-fix-buffer (&optional unsafe)
  "Make the fixes that are safe: what the code does stays the same.
With a prefix argument, UNSAFE, make those as well after which the code may do
something else."
  (interactive "*P")
  (let* ((options (if unsafe '("--fix" "--unsafe-fixes") '("--fix")))
         (before (save-restriction (widen) (buffer-string)))
         (after (apply #'vramlint--call before (apply #'vramlint--command options))))
    ;; A file that is excluded comes back as nothing.
    (if (or (string-empty-p after) (string= before after))
        (message "Nothing to fix")
      (let ((fixed (generate-new-buffer " *vramlint fixed*")))
        (unwind-protect
            (progn
              (with-current-buffer fixed (insert after))
              (save-restriction (widen) (replace-buffer-contents fixed)))
          (kill-buffer fixed))))))

(defun vramlint--rules ()
  "Return the codes and names of all rules."
  (mapcan (lambda (rule) (list (alist-get 'code rule) (alist-get 'name rule)))
          (append (json-parse-string (vramlint--call nil vramlint-program "rules" "--output-format" "json")
                                     :object-type 'alist)
                  nil)))

(defun vramlint--rule-at-point ()
  "Return the code of a rule that is reported or named at point."
  (let ((told (mapconcat #'flymake-diagnostic-text (flymake-diagnostics (point)) "\n"))
        (word (or (thing-at-point 'symbol) "")))
    (cond ((string-match "\\<VL[0-9]\\{3\\}\\>" told) (match-string 0 told))
          ((string-match "\\`VL[0-9]\\{3\\}\\'" word) word))))

(defun vramlint--show (markdown)
  "Show the document MARKDOWN in a window of its own."
  (with-current-buffer (get-buffer-create "*vramlint explain*")
    (let ((inhibit-read-only t))
      (erase-buffer)
      (insert markdown)
      (goto-char (point-min)))
    (if (fboundp 'markdown-view-mode)
        (markdown-view-mode)
      (special-mode))
    (display-buffer (current-buffer))))

;;;###autoload
(defun vramlint-explain (rule)
  "Show what RULE, a code or a name, is about and what to write instead."
  (interactive
   (let ((default (vramlint--rule-at-point)))
     (list (completing-read (if default (format "Rule (default %s): " default) "Rule: ")
                            (vramlint--rules) nil t nil nil default))))
  (vramlint--show (vramlint--call nil vramlint-program "explain" rule)))

(provide 'vramlint)
;;; vramlint.el ends here
