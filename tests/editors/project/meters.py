class Mean:
    def __init__(self):
        self.sum = 0.0

    def update(self, value):
        self.sum += value.item()
