#!/bin/bash
set -e
cd /app
cat > bridge.md <<'END'
On 15 January 2026 a lorry may weigh at most 18 t on the mill bridge. It is closed from 12 January to 27 February 2026.

It follows from:

- http://127.0.0.1:8932/orders/2025-41.html (the weight)
- http://127.0.0.1:8932/orders/2026-03.html (the dates, which replace those of order 41)

These pages say something else:

- http://127.0.0.1:8932/news/bridge.html: an article from November, before order 2026-03; its weight is that of the old bridge.
- http://127.0.0.1:8932/visit/lorries.html: last changed in 2022, before the weight was lowered.
END
