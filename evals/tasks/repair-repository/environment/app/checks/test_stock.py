import unittest

from larder.stock.moves import move
from larder.stock.store import Store


class StockTest(unittest.TestCase):
    def test_move(self):
        north, south = Store("north", {"milk": 8}), Store("south", {})
        move(north, south, "milk", 3)
        self.assertEqual((north.level("milk"), south.level("milk")), (5, 3))
