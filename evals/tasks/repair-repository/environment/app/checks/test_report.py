import unittest

from larder.report.morning import morning
from larder.stock.store import Store


class MorningTest(unittest.TestCase):
    def test_a_new_day_has_no_reservations(self):
        page = morning(Store("north", {"milk": 8, "rye": 2}), ["milk", "rye"])
        self.assertEqual(page, "# north\nmilk: 8 there, 8 free\nrye: 2 there, 2 free\norder: rye")
