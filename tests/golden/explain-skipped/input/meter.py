class Meter:
    def add(self, value):
        self.values.append(value)
