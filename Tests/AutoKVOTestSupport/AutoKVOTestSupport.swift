import AutoKVO
