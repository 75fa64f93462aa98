; what makes an optimizer or a writer, or gives an optimizer more parameters
(call) @made
