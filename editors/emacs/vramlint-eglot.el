;;; vramlint-eglot.el --- vramlint's language server in Eglot  -*- lexical-binding: t; -*-

;; Version: 0.1.0
;; Package-Requires: ((emacs "27.1") (eglot "1.9"))
;; Keywords: languages, tools

;; This file is not part of GNU Emacs.  SPDX-License-Identifier: MIT

;;; Commentary:

;; Loading this file makes vramlint the server for Python:
;;
;;   (require 'vramlint-eglot)
;;   (add-hook 'python-mode-hook #'eglot-ensure)
;;
;; Eglot runs one server in a buffer.  Beside another one, take the Flymake backend of vramlint.el instead:
;;
;;   (require 'vramlint)
;;   (add-hook 'eglot-managed-mode-hook #'vramlint-flymake-setup)
;;
;; Settings are those of vramlint.toml in camelCase:
;;
;;   (setq-default eglot-workspace-configuration '(:vramlint (:minConfidence "flow")))

;;; Code:

(require 'eglot)
(require 'vramlint)

(defclass vramlint-eglot-server (eglot-lsp-server) ()
  :documentation "The language server of vramlint.")

(defun vramlint-eglot--contact (&rest _)
  "Return how to start the server."
  (list 'vramlint-eglot-server vramlint-program "server"))

(cl-defmethod eglot-initialization-options ((_server vramlint-eglot-server))
  "Tell the server what is asked and shown here."
  '(:asksForReason t :showsExplanations t))

(cl-defmethod eglot-handle-request ((_server vramlint-eglot-server) (_method (eql workspace/applyEdit)) &rest _)
  "Make the edits that the server asks for, all of which a person asked for first."
  (let ((eglot-confirm-server-initiated-edits nil))
    (cl-call-next-method)))

(defun vramlint-eglot--request (server command arguments)
  "Have SERVER execute COMMAND with ARGUMENTS and return what it answers."
  (jsonrpc-request server :workspace/executeCommand (list :command command :arguments arguments)))

(defun vramlint-eglot--execute (server command arguments)
  "Have SERVER execute COMMAND with ARGUMENTS, if it is one that needs a person.
Return nil if it is not."
  (pcase command
    ("vramlint.explain"
     (vramlint--show (plist-get (vramlint-eglot--request server command arguments) :markdown))
     t)
    ("vramlint.suppress"
     (let ((reason (read-string vramlint--reason-prompt)))
       (vramlint-eglot--request server command
                                (vector (plist-put (copy-sequence (aref arguments 0)) :reason reason))))
     t)))

;; Before 1.13 Eglot asks for commands to be executed with this.
(cl-defmethod eglot-execute-command ((server vramlint-eglot-server) command arguments)
  "Have SERVER execute COMMAND with ARGUMENTS."
  (or (vramlint-eglot--execute server (format "%s" command) arguments)
      (cl-call-next-method)))

;; Since 1.13 it does so with this.
(cl-defmethod eglot-execute ((server vramlint-eglot-server) action)
  "Have SERVER execute ACTION, which may be a code action or a command."
  (or (and (stringp (plist-get action :command))
           (vramlint-eglot--execute server (plist-get action :command) (plist-get action :arguments)))
      (cl-call-next-method)))

(add-to-list 'eglot-server-programs '((python-mode python-ts-mode) . vramlint-eglot--contact))

(provide 'vramlint-eglot)
;;; vramlint-eglot.el ends here
