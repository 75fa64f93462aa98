class Log:
    def __init__(self, path):
        self.file = open(path, "w")
        self.rows = []

    def write(self, step, loss):
        self.rows.append((step, loss))  # stored
        self.file.write("%d %f\n" % (step, float(loss)))
