#!/bin/bash
set -e
cd /app
cat > invoice.txt <<'END'
INV-0117 / Alder Inn

cider  3 x 3,50   10,50
rye   12 x 4,20   50,40

total             60,90

Thank you from the mill.
END
