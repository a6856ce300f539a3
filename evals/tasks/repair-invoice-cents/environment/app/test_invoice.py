import unittest

from invoice import total


class TotalTest(unittest.TestCase):
    def test_plain(self):
        self.assertEqual(total([("2", "10.00"), ("1", "5.50")]), "25.50")

    def test_half_a_cent_is_rounded_up(self):
        self.assertEqual(total([("1", "1.005")]), "1.01")

    def test_tax(self):
        self.assertEqual(total([("1", "0.50")], tax=5), "0.53")


if __name__ == "__main__":
    unittest.main()
