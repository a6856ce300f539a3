#!/bin/bash
set -e
cd /app
cat > sheet.py <<'END'
"""A small spreadsheet: reads a CSV file with formulas and prints the values as CSV."""

import csv
import re
import sys

TOKEN = re.compile(r"\s*(?:(\d+\.?\d*|\.\d+)|([A-Za-z]+\d+)|([A-Za-z]+)|(<>|<=|>=|[-+*/()<>=:,]))")
CELL = re.compile(r"([A-Z]+)(\d+)$")


class CellError(Exception):
    """An error that a cell shows."""


def number_of(text):
    try:
        return float(text)
    except ValueError:
        return None


def tokens_of(text):
    found, at = [], 0
    text = text.rstrip()
    while at < len(text):
        match = TOKEN.match(text, at)
        if match is None:
            raise CellError("#ERROR!")
        number, cell, name, sign = match.groups()
        if number is not None:
            found.append(("number", float(number)))
        elif cell is not None:
            found.append(("cell", cell.upper()))
        elif name is not None:
            found.append(("name", name.upper()))
        else:
            found.append(("sign", sign))
        at = match.end()
    return found


class Parser:
    """Parses a formula into nested tuples."""

    def __init__(self, tokens):
        self.tokens = tokens
        self.at = 0

    def peek(self, *signs):
        return self.at < len(self.tokens) and self.tokens[self.at][0] == "sign" and self.tokens[self.at][1] in signs

    def next(self):
        if self.at >= len(self.tokens):
            raise CellError("#ERROR!")
        self.at += 1
        return self.tokens[self.at - 1]

    def expect(self, sign):
        if self.next() != ("sign", sign):
            raise CellError("#ERROR!")

    def whole(self):
        tree = self.comparison()
        if self.at != len(self.tokens):
            raise CellError("#ERROR!")
        return tree

    def chain(self, part, *signs):
        tree = part()
        while self.peek(*signs):
            sign = self.next()[1]
            tree = (sign, tree, part())
        return tree

    def comparison(self):
        return self.chain(self.sum, "<", ">", "<=", ">=", "=", "<>")

    def sum(self):
        return self.chain(self.product, "+", "-")

    def product(self):
        return self.chain(self.unary, "*", "/")

    def unary(self):
        if self.peek("-"):
            self.next()
            return ("neg", self.unary())
        return self.atom()

    def atom(self):
        kind, value = self.next()
        if kind == "number":
            return ("number", value)
        if kind == "cell":
            if self.peek(":"):
                self.next()
                other, end = self.next()
                if other != "cell":
                    raise CellError("#ERROR!")
                return ("range", value, end)
            return ("cell", value)
        if kind == "name":
            return self.call(value)
        if value == "(":
            tree = self.comparison()
            self.expect(")")
            return tree
        raise CellError("#ERROR!")

    def call(self, name):
        self.expect("(")
        arguments = [self.comparison()]
        while self.peek(","):
            self.next()
            arguments.append(self.comparison())
        self.expect(")")
        return ("call", name, arguments)


class Sheet:
    """Values are floats, texts or None for an empty cell; errors are exceptions."""

    def __init__(self, rows):
        self.rows = rows
        self.done = {}
        self.busy = set()

    def place(self, name):
        letters, row = CELL.match(name).groups()
        column = 0
        for letter in letters:
            column = column * 26 + ord(letter) - 64
        return int(row) - 1, column - 1

    def value(self, row, column):
        if row < 0 or row >= len(self.rows) or column >= max(len(each) for each in self.rows):
            raise CellError("#REF!")
        key = (row, column)
        if key in self.busy:
            raise CellError("#CYCLE!")
        if key not in self.done:
            self.busy.add(key)
            try:
                self.done[key] = self.compute(row, column)
            except CellError as error:
                self.done[key] = error
            finally:
                self.busy.discard(key)
        if isinstance(self.done[key], CellError):
            raise self.done[key]
        return self.done[key]

    def compute(self, row, column):
        line = self.rows[row]
        text = line[column] if column < len(line) else ""
        if text.startswith("="):
            return self.evaluate(Parser(tokens_of(text[1:])).whole())
        if text.strip() == "":
            return None
        number = number_of(text)
        return text if number is None else number

    def scalar(self, tree):
        value = self.evaluate(tree)
        if value is None:
            return 0.0
        if isinstance(value, str):
            raise CellError("#ERROR!")
        return value

    def evaluate(self, tree):
        kind = tree[0]
        if kind == "number":
            return tree[1]
        if kind == "cell":
            return self.value(*self.place(tree[1]))
        if kind == "neg":
            return -self.scalar(tree[1])
        if kind == "call":
            return self.call(tree[1], tree[2])
        if kind == "range":
            raise CellError("#ERROR!")
        return self.binary(kind, self.scalar(tree[1]), self.scalar(tree[2]))

    def binary(self, sign, left, right):
        if sign == "/":
            if right == 0:
                raise CellError("#DIV/0!")
            return left / right
        results = {
            "+": left + right, "-": left - right, "*": left * right, "<": left < right, ">": left > right,
            "<=": left <= right, ">=": left >= right, "=": left == right, "<>": left != right,
        }
        return float(results[sign])

    def values(self, tree):
        if tree[0] != "range":
            return [self.evaluate(tree)]
        (top, left), (bottom, right) = self.place(tree[1]), self.place(tree[2])
        return [self.value(row, column) for row in range(top, bottom + 1) for column in range(left, right + 1)]

    def call(self, name, arguments):
        if name == "IF":
            if len(arguments) != 3:
                raise CellError("#ERROR!")
            return self.evaluate(arguments[1] if self.scalar(arguments[0]) != 0 else arguments[2])
        found = [value for tree in arguments for value in self.values(tree)]
        numbers = [value for value in found if isinstance(value, float)]
        if name == "SUM":
            return sum(numbers, 0.0)
        if name == "COUNT":
            return float(len(numbers))
        if name == "AVG":
            if not numbers:
                raise CellError("#DIV/0!")
            return sum(numbers) / len(numbers)
        if name in ("MIN", "MAX"):
            return (min if name == "MIN" else max)(numbers, default=0.0)
        raise CellError("#ERROR!")


def shown(value):
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    text = f"{value:.6f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def evaluated(rows):
    sheet = Sheet(rows)
    result = []
    for row, line in enumerate(rows):
        cells = []
        for column in range(len(line)):
            try:
                cells.append(shown(sheet.value(row, column)))
            except CellError as error:
                cells.append(str(error))
        result.append(cells)
    return result


if __name__ == "__main__":
    sys.setrecursionlimit(100_000)
    with open(sys.argv[1], newline="") as file:
        rows = list(csv.reader(file))
    csv.writer(sys.stdout, lineterminator="\n").writerows(evaluated(rows))
END
{
  printf 'import unittest\n\nfrom sheet import evaluated\n\n\nclass SheetTest(unittest.TestCase):\n'
  number=0
  while IFS='|' read -r formula value; do
    number=$((number + 1))
    printf '    def test_%s(self):\n        self.assertEqual(evaluated([["%s", "4"]])[0][0], "%s")\n\n' $number "$formula" "$value"
  done <<'END'
=1+2*3|7
=(1+2)*3|9
=B1/3|1.333333
=SUM(B1:B1,2)|6
=AVG(B1:B1)|4
=IF(B1>3,1,0)|1
=1/0|#DIV/0!
=A1|#CYCLE!
=C9|#REF!
=1+|#ERROR!
END
} > test_sheet.py
