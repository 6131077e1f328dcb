UPDATE sweep SET chunks = 0
