from tools import parse_order, receipt

ORDER = """
# for Saturday
12x rye @ 4.20
3 apple pie @ 12.5
1 salt @ 2
"""

print(receipt(parse_order(ORDER)))
