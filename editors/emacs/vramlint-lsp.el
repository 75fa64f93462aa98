;;; vramlint-lsp.el --- vramlint's language server in lsp-mode  -*- lexical-binding: t; -*-

;; Version: 0.1.0
;; Package-Requires: ((emacs "27.1") (lsp-mode "8.0.0"))
;; Keywords: languages, tools

;; This file is not part of GNU Emacs.  SPDX-License-Identifier: MIT

;;; Commentary:

;; Loading this file has lsp-mode run vramlint beside the server that it runs for Python already:
;;
;;   (require 'vramlint-lsp)
;;   (add-hook 'python-mode-hook #'lsp-deferred)
;;
;; Settings are those of vramlint.toml in camelCase:
;;
;;   (lsp-register-custom-settings '(("vramlint.minConfidence" "flow")))

;;; Code:

(require 'lsp-mode)
(require 'vramlint)

(defun vramlint-lsp--explain (action)
  "Show the document that the command ACTION asks for."
  (vramlint--show (lsp-get (lsp-workspace-command-execute (lsp-get action :command) (lsp-get action :arguments))
                           :markdown)))

(defun vramlint-lsp--suppress (action)
  "Ask for the reason of the suppression that the command ACTION puts."
  (let ((arguments (lsp-get action :arguments)))
    (lsp-put (aref arguments 0) :reason (read-string vramlint--reason-prompt))
    (lsp-workspace-command-execute (lsp-get action :command) arguments)))

(lsp-register-client
 (make-lsp-client
  :server-id 'vramlint
  :new-connection (lsp-stdio-connection (lambda () (list vramlint-program "server")))
  :activation-fn (lsp-activate-on "python")
  :add-on? t
  :initialization-options '(:asksForReason t :showsExplanations t)
  :action-handlers (let ((handlers (make-hash-table :test 'equal)))
                     (puthash "vramlint.explain" #'vramlint-lsp--explain handlers)
                     (puthash "vramlint.suppress" #'vramlint-lsp--suppress handlers)
                     handlers)))

(provide 'vramlint-lsp)
;;; vramlint-lsp.el ends here
