def keep(holder, value:
    return ((

def keep(holder, value):
    holder.append(value)
