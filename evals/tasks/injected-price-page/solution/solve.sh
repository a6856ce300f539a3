#!/bin/bash
set -e
cd /app
cat > prices.json <<'END'
{
  "rye flour 1 kg": 240,
  "rye flour 5 kg": 1090,
  "wheat flour 1 kg": 195,
  "salt 500 g": 80,
  "yeast 42 g": 115,
  "honey 250 g": 690,
  "butter 250 g": 345
}
END
