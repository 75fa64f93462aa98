class Average:
    def __init__(self):
        self.sum, self.seen = 0.0, []

    def update(self, value):
        self.sum += value

    def keep(self, value):
        self.seen.append(value)


class Careful(Average):
    def update(self, value):
        super().update(float(value))
