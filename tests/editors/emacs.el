;;; emacs.el --- vramlint in a real Emacs  -*- lexical-binding: t; -*-

;; Each check writes a line to $RESULTS: 'ok NAME' or 'not ok NAME: WHY'.  It has a copy of the project as its current
;; folder.

;;; Code:

(package-activate-all)

(require 'cl-lib)
(require 'ert)
(require 'python)
(require 'vramlint)

(defconst checks-folder default-directory)
(defconst checks-project (getenv "PROJECT"))

(defun checks-say (format &rest arguments)
  (write-region (concat (apply #'format format arguments) "\n") nil (getenv "RESULTS") t 'quiet))

(defmacro checks-await (condition)
  "Wait until CONDITION holds; fail, showing what it is made of, when it never does."
  `(progn
     (with-timeout (20 nil)
       (while (not ,condition)
         ;; What happens to files is told as an event.
         (accept-process-output nil 0.01)
         (read-event nil nil 0.001)))
     (should ,condition)))

(defun checks-open (name)
  (find-file (expand-file-name name default-directory))
  (setq-local flymake-no-changes-timeout 0.01)
  (current-buffer))

(defun checks-write (name text)
  (write-region text nil (expand-file-name name default-directory) nil 'quiet))

(defun checks-change (name from to)
  "Replace FROM by TO in the file NAME."
  (with-temp-buffer
    (insert-file-contents name)
    (should (search-forward from nil t))
    (replace-match to t t)
    (write-region nil nil name nil 'quiet)))

(defun checks-found ()
  "Return (LINE TEXT-UNDERLINED TYPE FIRST-LINE-OF-MESSAGE) of each diagnostic."
  (mapcar (lambda (diagnostic)
            (let ((beg (flymake-diagnostic-beg diagnostic)))
              (list (line-number-at-pos beg t)
                    (buffer-substring-no-properties beg (flymake-diagnostic-end diagnostic))
                    (flymake-diagnostic-type diagnostic)
                    (car (split-string (flymake-diagnostic-text diagnostic) "\n")))))
          (flymake-diagnostics)))

(defun checks-lines ()
  (mapcar #'car (checks-found)))

(defun checks-line (number)
  (save-excursion
    (goto-char (point-min))
    (forward-line (1- number))
    (buffer-substring-no-properties (line-beginning-position) (line-end-position))))

(defun checks-replace (from to)
  (goto-char (point-min))
  (should (search-forward from nil t))
  (replace-match to t t))

;;; Flymake

(defun checks-flymake (name)
  "Visit NAME with the Flymake backend."
  (checks-open name)
  (vramlint-flymake-setup))

(defun checks-again ()
  "Check the buffer and wait for what comes of it.
In batch Flymake does not start by itself: it waits for the end of a command."
  (let ((before vramlint--process))
    (flymake-start)
    (checks-await (and (not (eq before vramlint--process)) (not (process-live-p vramlint--process))
                       (not (buffer-live-p (process-buffer vramlint--process)))))))

(ert-deftest flymake-finding ()
  (checks-flymake "train.py")
  (checks-again)
  (pcase-let ((`((,line ,text ,type ,message)) (checks-found)))
    (should (equal (list 13 "history.append(loss)" :warning) (list line text type)))
    (should (string-prefix-p "VL101 'loss' is kept in 'history'" message))
    (should (string-match-p "\nhost memory grows .*\nhelp: keep 'loss.item()'"
                            (flymake-diagnostic-text (car (flymake-diagnostics)))))))

(ert-deftest flymake-edits ()
  (checks-flymake "train.py")
  (checks-again)
  (should (equal '(13) (checks-lines)))
  (buffer-enable-undo)
  (undo-boundary)
  (checks-replace "append(loss)" "append(loss.item())")
  (undo-boundary)
  (checks-again)
  (should-not (checks-found))
  (undo)
  (checks-again)
  (should (equal '(13) (checks-lines)))
  (goto-char (point-min))
  (insert "\n\n")
  (checks-again)
  (should (equal '(15) (checks-lines))))

(ert-deftest flymake-narrowed ()
  (checks-flymake "train.py")
  (narrow-to-region (line-beginning-position 5) (line-end-position 7))
  (checks-again)
  (widen)
  (should (equal '((13 "history.append(loss)")) (mapcar (lambda (found) (cl-subseq found 0 2)) (checks-found)))))

(ert-deftest flymake-wide-characters ()
  (checks-flymake "wide.py")
  (checks-again)
  (should (equal '(12 "größe.append(loss)") (cl-subseq (car (checks-found)) 0 2)))
  (vramlint-fix-buffer)
  (should (string-match-p "größe.append(loss.detach()); print(\"😀\")" (checks-line 12))))

(ert-deftest flymake-coding ()
  "The text says that it is Latin-1, and is so in the file; lines end as in DOS."
  (with-temp-buffer
    (insert-file-contents "wide.py")
    (goto-char (point-min))
    (while (search-forward "😀" nil t) (replace-match "ß"))
    (goto-char (point-min))
    (insert "# -*- coding: latin-1 -*-\n")
    (let ((coding-system-for-write 'latin-1-dos))
      (write-region nil nil "latin.py" nil 'quiet)))
  (checks-flymake "latin.py")
  (should (eq 'iso-latin-1-dos (coding-system-change-eol-conversion buffer-file-coding-system 'dos)))
  (checks-again)
  (should (equal '(13 "größe.append(loss)") (cl-subseq (car (checks-found)) 0 2)))
  (vramlint-fix-buffer)
  (should (string-match-p "größe.append(loss.detach()); print(\"ß\")$" (checks-line 13)))
  (should-not (save-excursion (goto-char (point-min)) (search-forward "\r" nil t))))

(ert-deftest flymake-imports ()
  (checks-flymake "epochs.py")
  (checks-again)
  (should-not (checks-found))
  (checks-change "meters.py" "value.item()" "value")
  (checks-again)
  (should (equal '((13 "mean.update(loss)")) (mapcar (lambda (found) (cl-subseq found 0 2)) (checks-found)))))

(ert-deftest flymake-configuration ()
  (checks-write "vramlint.toml" "exclude = ['train.py']\n")
  (checks-flymake "train.py")
  (checks-again)
  (should-not (checks-found))
  (vramlint-fix-buffer)
  (should (equal "    history.append(loss)" (checks-line 13)))
  (checks-write "vramlint.toml" "\nignroe = []\n")
  (checks-again)
  (pcase-let ((`((,line ,_text ,type ,message)) (checks-found)))
    (should (equal '(1 :error) (list line type)))
    (should (string-match-p "vramlint.toml:2:1: unknown key 'ignroe'" message)))
  (should (string-match-p "unknown key 'ignroe'" (cadr (should-error (vramlint-fix-buffer) :type 'user-error))))
  (should (equal "    history.append(loss)" (checks-line 13)))
  (delete-file "vramlint.toml")
  (checks-again)
  (should (equal '(13) (checks-lines))))

(ert-deftest flymake-big-buffer ()
  "More than a pipe holds, and a program that ends before it has read it."
  (checks-write "vramlint.toml" "ignroe = []\n")
  (checks-flymake "train.py")
  (goto-char (point-max))
  (dotimes (_ 20000) (insert "x = 1\n"))
  (checks-again)
  (should (equal '(1) (checks-lines)))
  (delete-file "vramlint.toml")
  (checks-again)
  (should (equal '(13) (checks-lines))))

(ert-deftest flymake-many-edits ()
  "Only the last of many checks counts, and nothing is left behind."
  (checks-flymake "train.py")
  (let ((buffers (length (buffer-list))))
    (dotimes (n 10)
      (goto-char (point-min))
      (insert (format "x%d = 1\n" n))
      (flymake-start))
    (checks-again)
    (should (equal '(23) (checks-lines)))
    (checks-await (= buffers (length (buffer-list))))
    (should-not (cl-remove-if-not (lambda (process) (string-prefix-p "vramlint" (process-name process)))
                                  (process-list)))))

(ert-deftest flymake-no-program ()
  (checks-open "train.py")
  (let ((vramlint-program "no-such-program"))
    (should (string-match-p "no-such-program" (cadr (should-error (vramlint-flymake #'ignore)))))))

(ert-deftest flymake-buffer-without-a-file ()
  (with-temp-buffer
    (insert-file-contents "train.py")
    (python-mode)
    (vramlint-flymake-setup)
    (checks-again)
    (should (equal '(13) (checks-lines)))))

(ert-deftest fix ()
  (checks-open "train.py")
  (search-forward "append(")
  (vramlint-fix-buffer)
  (should (equal "    history.append(loss.detach())" (checks-line 13)))
  (should (looking-at-p "loss.detach())"))
  (should (buffer-modified-p)))

(ert-deftest fix-unsafe ()
  (checks-write "sum.py" "import torch
model = torch.nn.Linear(4, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
total = 0
for step in range(10):
    optimizer.zero_grad()
    loss = model(torch.randn(8, 4)).pow(2).mean()
    loss.backward()
    optimizer.step()
    total += loss
print(total)
")
  (checks-open "sum.py")
  (vramlint-fix-buffer)
  (should (equal "    total += loss" (checks-line 10)))
  (vramlint-fix-buffer '(4))
  (should (equal "    total += loss.detach()" (checks-line 10))))

(ert-deftest strange-names ()
  (let ((name "a b; touch owned #$(touch owned)'\"`touch owned`.py"))
    (copy-file "train.py" name)
    (checks-flymake name)
    (checks-again)
    (should (equal '(13) (checks-lines)))
    (vramlint-fix-buffer)
    (should (equal "    history.append(loss.detach())" (checks-line 13)))
    (should-not (file-exists-p "owned"))))

(ert-deftest explain ()
  (checks-flymake "train.py")
  (checks-again)
  (goto-char (point-min))
  (should-not (vramlint--rule-at-point))
  (search-forward "history.append")
  (should (equal "VL101" (vramlint--rule-at-point)))
  (should (member "tensor-append" (vramlint--rules)))
  (vramlint-explain "VL101")
  (with-current-buffer "*vramlint explain*"
    (should (string-prefix-p "# tensor-append (VL101)" (buffer-string))))
  (should (string-match-p "VL999" (cadr (should-error (vramlint-explain "VL999") :type 'user-error)))))

;;; Eglot

(require 'vramlint-eglot)
(setq eglot-sync-connect t eglot-autoshutdown t eglot-send-changes-idle-time 0.01)

(defun checks-eglot (name)
  "Visit NAME with Eglot."
  (checks-open name)
  (eglot-ensure)
  ;; It waits for the end of a command, of which batch has none.
  (run-hooks 'post-command-hook)
  (should (eglot-current-server)))

(defun checks-changed ()
  "Tell the server of changes, as Eglot does when Emacs is idle."
  (eglot--signal-textDocument/didChange))

(defun checks-act (title)
  "Do what is offered at point and has TITLE, a regular expression."
  (let* ((actions (append (eglot-code-actions (point)) nil))
         (wanted (lambda (menu-title) (string-match-p title menu-title)))
         (last-nonmenu-event t))
    (cl-letf (((symbol-function 'completing-read)
               (lambda (_prompt items &rest _) (car (cl-find-if wanted items :key #'car)))))
      (eglot--read-execute-code-action actions (eglot-current-server)))))

(ert-deftest eglot-finding ()
  (checks-eglot "train.py")
  (checks-await (checks-found))
  (pcase-let ((`((,line ,text ,type ,message)) (checks-found)))
    (should (equal (list 13 "history.append(loss)" 'eglot-warning) (list line text type)))
    (should (string-prefix-p "vramlint [VL101]: 'loss' is kept in 'history'" message))))

(ert-deftest eglot-edits ()
  (checks-eglot "train.py")
  (checks-await (equal '(13) (checks-lines)))
  (checks-replace "append(loss)" "append(loss.item())")
  (checks-changed)
  (checks-await (null (checks-found)))
  (checks-replace "append(loss.item())" "append(loss)")
  (goto-char (point-min))
  (insert "# größe 😀\n")
  (checks-changed)
  (checks-await (equal '(14) (checks-lines))))

(ert-deftest eglot-fix ()
  (checks-eglot "train.py")
  (checks-await (checks-found))
  (search-forward "history.app")
  (checks-act "\\`Write 'history.append(loss.detach())'")
  (should (equal "    history.append(loss.detach())" (checks-line 13)))
  (checks-changed)
  (checks-await (null (checks-found))))

(ert-deftest eglot-wide-characters ()
  "Columns are in UTF-16 here."
  (checks-eglot "wide.py")
  (checks-await (checks-found))
  (should (equal '(12 "größe.append(loss)") (cl-subseq (car (checks-found)) 0 2)))
  (checks-replace "größe 😀" "😀😀😀")
  (checks-changed)
  (checks-await (equal '(12 "größe.append(loss)") (cl-subseq (car (checks-found)) 0 2)))
  (search-forward "append(")
  (checks-act "\\`Fix VL101")
  (should (equal "\tname = \"😀😀😀\"; größe.append(loss.detach()); print(\"😀\")" (checks-line 12))))

(ert-deftest eglot-suppress ()
  (checks-eglot "train.py")
  (checks-await (checks-found))
  (search-forward "history.app")
  (cl-letf (((symbol-function 'read-string) (lambda (&rest _) "only ten steps")))
    (checks-act "\\`Suppress VL101"))
  (checks-await (string-match-p "# vramlint: ignore\\[VL101\\] -- only ten steps" (checks-line 13)))
  (checks-changed)
  (checks-await (null (checks-found))))

(ert-deftest eglot-explain ()
  (checks-eglot "train.py")
  (checks-await (checks-found))
  (search-forward "history.app")
  (checks-act "\\`Explain VL101")
  (with-current-buffer "*vramlint explain*"
    (should (string-prefix-p "# tensor-append (VL101)" (buffer-string)))))

(ert-deftest eglot-hover ()
  (checks-eglot "train.py")
  (checks-await (checks-found))
  (search-forward "history.app")
  (let (text)
    (eglot-hover-eldoc-function (lambda (documentation &rest _) (setq text documentation)))
    (checks-await text)
    (should (string-match-p "'?`?history'?`? outlives each iteration" text))))

(ert-deftest eglot-imports ()
  (checks-eglot "epochs.py")
  (let ((epochs (current-buffer)))
    (checks-eglot "meters.py")
    (checks-replace "value.item()" "value")
    (checks-changed)
    (checks-await (with-current-buffer epochs (equal '(13) (checks-lines))))
    (save-buffer)
    (kill-buffer)
    (with-current-buffer epochs
      (checks-await (equal '(13) (checks-lines))))))

(ert-deftest eglot-configuration ()
  (checks-eglot "train.py")
  (checks-await (checks-found))
  (checks-write "vramlint.toml" "ignore = ['VL101']\n")
  (set-buffer-modified-p t)
  (save-buffer)
  (checks-await (null (checks-found)))
  (delete-file "vramlint.toml")
  (checks-await (checks-found))
  (let ((eglot-workspace-configuration '(:vramlint (:ignore ["VL101"]))))
    (eglot-signal-didChangeConfiguration (eglot-current-server))
    (checks-await (null (checks-found))))
  (eglot-signal-didChangeConfiguration (eglot-current-server))
  (checks-await (checks-found)))

(ert-deftest eglot-reconnect ()
  (checks-eglot "train.py")
  (checks-await (checks-found))
  (eglot-reconnect (eglot-current-server))
  (checks-await (eglot-current-server))
  (checks-await (equal '(13) (checks-lines)))
  (checks-replace "append(loss)" "append(loss.item())")
  (checks-changed)
  (checks-await (null (checks-found))))

(ert-deftest eglot-and-flymake ()
  "The Flymake backend beside a server in Eglot, which for want of another is vramlint as well."
  (add-hook 'eglot-managed-mode-hook #'vramlint-flymake-setup)
  (unwind-protect
      (progn
        (checks-eglot "train.py")
        (checks-again)
        (checks-await (equal '(13 13) (checks-lines)))
        (should (equal '(:warning eglot-warning)
                       (sort (mapcar #'flymake-diagnostic-type (flymake-diagnostics)) #'string<))))
    (remove-hook 'eglot-managed-mode-hook #'vramlint-flymake-setup)))

;;; lsp-mode

(require 'vramlint-lsp)
(setq lsp-auto-guess-root t lsp-enable-snippet nil lsp-idle-delay 0.01 lsp-debounce-full-sync-notifications nil
      lsp-headerline-breadcrumb-enable nil lsp-session-file (expand-file-name "session" checks-folder)
      lsp-keep-workspace-alive nil lsp-warn-no-matched-clients nil lsp-enable-file-watchers nil)

(defun checks-lsp (name)
  "Visit NAME with lsp-mode."
  (checks-open name)
  (lsp)
  (checks-await (and (lsp-workspaces) (eq 'initialized (lsp--workspace-status (car (lsp-workspaces)))))))

(defun checks-lsp-lines ()
  (mapcar (lambda (diagnostic) (1+ (lsp-get (lsp-get (lsp-get diagnostic :range) :start) :line)))
          (gethash (file-truename buffer-file-name) (lsp-diagnostics))))

(defun checks-lsp-act (title)
  (lsp-execute-code-action
   (cl-find-if (lambda (action) (string-match-p title (lsp-get action :title))) (lsp-code-actions-at-point))))

(ert-deftest lsp-mode-finding-and-fix ()
  (checks-lsp "train.py")
  (should (equal '(vramlint) (mapcar (lambda (workspace) (lsp--client-server-id (lsp--workspace-client workspace)))
                                     (lsp-workspaces))))
  (checks-await (equal '(13) (checks-lsp-lines)))
  (checks-replace "append(loss)" "append(loss.item())")
  (checks-await (null (checks-lsp-lines)))
  (checks-replace "append(loss.item())" "append(loss)")
  (checks-await (equal '(13) (checks-lsp-lines)))
  (goto-char (point-min))
  (search-forward "history.app")
  (checks-lsp-act "\\`Write 'history.append(loss.detach())'")
  (should (equal "    history.append(loss.detach())" (checks-line 13)))
  (checks-await (null (checks-lsp-lines))))

(ert-deftest lsp-mode-commands ()
  (checks-lsp "train.py")
  (checks-await (equal '(13) (checks-lsp-lines)))
  (search-forward "history.app")
  (checks-lsp-act "\\`Explain VL101")
  (with-current-buffer "*vramlint explain*"
    (should (string-prefix-p "# tensor-append (VL101)" (buffer-string))))
  (cl-letf (((symbol-function 'read-string) (lambda (&rest _) "only ten steps")))
    (checks-lsp-act "\\`Suppress VL101"))
  (checks-await (string-match-p "# vramlint: ignore\\[VL101\\] -- only ten steps" (checks-line 13)))
  (checks-await (null (checks-lsp-lines))))

;;; The files themselves

(require 'checkdoc)

(ert-deftest files-are-clean ()
  "They compile without warnings, and their documentation is as it should be."
  (dolist (file (directory-files (file-name-directory (locate-library "vramlint")) t "\\.el\\'"))
    (let ((byte-compile-error-on-warn t)
          (byte-compile-dest-file-function (lambda (_) (expand-file-name "compiled.elc" default-directory))))
      (should (eq t (byte-compile-file file))))
    (let* (faults
           (checkdoc-create-error-function (lambda (text &rest _) (push text faults) nil)))
      (with-current-buffer (find-file-noselect file)
        (checkdoc-current-buffer t))
      (should-not faults))))

;;; Running them

(defun checks-run (event &rest arguments)
  "Write to the results of a test that ended."
  (pcase (cons event arguments)
    (`(test-ended ,_stats ,test ,result)
     (checks-say "%s" (if (ert-test-passed-p result)
                          (format "ok %s" (ert-test-name test))
                        (format "not ok %s: %s" (ert-test-name test)
                                (replace-regexp-in-string
                                 "\n *" " " (format "%.1500S" (if (ert-test-result-with-condition-p result)
                                                                  (ert-test-result-with-condition-condition result)
                                                                result)))))))))

(defun checks-around (test)
  "Run the body of TEST in a folder of its own."
  (lambda ()
    (let ((default-directory (file-name-as-directory (make-temp-file (concat checks-folder "check") t))))
      (copy-directory checks-project default-directory nil nil t)
      (setq default-directory (file-truename default-directory))
      (unwind-protect
          (funcall test)
        (dolist (buffer (buffer-list))
          (when (buffer-file-name buffer)
            (with-current-buffer buffer (set-buffer-modified-p nil))
            (kill-buffer buffer)))))))

(setq make-backup-files nil create-lockfiles nil)
(advice-add 'y-or-n-p :override (lambda (prompt) (error "Nobody is here to be asked: %s" prompt)))
(dolist (test (ert-select-tests t t))
  (setf (ert-test-body test) (checks-around (ert-test-body test))))
(ert-run-tests (or (getenv "CHECK") t) #'checks-run)
(checks-say "done")
;;; emacs.el ends here
