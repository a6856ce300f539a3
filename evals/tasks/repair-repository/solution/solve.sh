#!/bin/bash
set -e
cd /app
git switch --quiet -c fix-morning
sed -i 's/entries=\[\]/entries=None/; s/self.entries = entries$/self.entries = [] if entries is None else entries/' larder/stock/reservations.py
cat > checks/test_reservations.py <<'END'
import unittest

from larder.stock.reservations import Reservations
from larder.stock.store import Store


class ReservationsTest(unittest.TestCase):
    def test_two_lists_share_nothing(self):
        store = Store("north", {"milk": 8})
        Reservations().add(store, "milk", 5)
        self.assertEqual(Reservations().of(store, "milk"), 0)
END
git add --all
git -c user.name=Mia -c user.email=mia@example.org commit --quiet --message "fix: give each list of reservations its own entries"
