import unittest

from larder.orders.basket import Basket
from larder.orders.checkout import check_out
from larder.stock.available import Availability
from larder.stock.store import Store


class OrdersTest(unittest.TestCase):
    def test_a_basket_reserves(self):
        store = Store("north", {"milk": 8})
        availability = Availability(store)
        self.assertTrue(Basket(store, availability).add("milk", 6))
        self.assertFalse(Basket(store, availability).add("milk", 3))

    def test_six_cost_as_much_as_five(self):
        store = Store("south", {"milk": 8})
        basket = Basket(store, Availability(store))
        basket.add("milk", 6)
        self.assertEqual(check_out(basket), 5 * 150)
