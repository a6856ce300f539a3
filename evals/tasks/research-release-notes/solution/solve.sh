#!/bin/bash
set -e
cd /app
cat > answer.json <<'END'
{
  "preheat_minutes": 15,
  "steam_firmware": 44,
  "steam_since": "3.3",
  "migrate": "3.4",
  "sources": {
    "preheat_minutes": ["http://127.0.0.1:8931/notes/3.4.html", "http://127.0.0.1:8931/notes/3.5.html"],
    "steam_firmware": ["http://127.0.0.1:8931/notes/3.4.html", "http://127.0.0.1:8931/notes/3.5.html"],
    "steam_since": ["http://127.0.0.1:8931/notes/3.3.html"],
    "migrate": ["http://127.0.0.1:8931/notes/3.5.html"]
  }
}
END
