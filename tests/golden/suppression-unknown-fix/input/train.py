import torch

kept = []
kept.append(1)  # vramlint: ignore[zzzzzz] -- one that is near to none
kept.append(2)  # vramlint: ignore[zzzzzz, VL101, qqqqqq] -- between others
kept.append(3)  # vramlint: ignore[tensor-apend] -- a misspelt one
kept.append(4)  # noqa: E501, VL999
kept.append(5)  # type: ignore  # vramlint: ignore[qqqqqq, zzzzzz]
