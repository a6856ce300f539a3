#!/bin/bash
set -e
cd /app
mkdir tools.new
python3 - <<'END'
text = open("tools.py").read()
blocks = [block.strip("\n") for block in text.split("\n\n\n")]
head, rest = blocks[0].split("\n"), {block.split("(")[0].removeprefix("def "): block for block in blocks[1:] if block.startswith("def ")}
constant = lambda name: next(line for line in head if line.startswith(name))


def write(module, title, imports, constants, names):
    parts = [f'"""{title}"""\n' + ("\n" + "\n".join(imports) + "\n" if imports else "") + "\n" + "\n".join(constants)]
    open(f"tools.new/{module}.py", "w").write("\n\n\n".join([parts[0].rstrip(), *(rest[name] for name in names)]) + "\n")


write("parsing", "Reads orders.", ["import re"], [constant("_LINE")], ["parse_line", "parse_order", "to_cents"])
write("pricing", "Prices in cents.", [], [constant("TAX_PERCENT"), "BULK_FROM = 10", "BULK_PERCENT = 5"], ["line_price", "order_price", "tax_of"])
write("printing", "Receipts.", ["from tools.pricing import line_price, order_price, tax_of"], [constant("CURRENCY"), constant("WIDTH")], ["money", "row", "receipt"])
LINES = [
    '"Tools of the shop."',
    "",
    "from tools.parsing import parse_line, parse_order, to_cents",
    "from tools.pricing import BULK_FROM, BULK_PERCENT, TAX_PERCENT, line_price, order_price, tax_of",
    "from tools.printing import CURRENCY, WIDTH, money, receipt, row",
]
open("tools.new/__init__.py", "w").write("\n".join(LINES) + "\n")
END
rm tools.py
mv tools.new tools
