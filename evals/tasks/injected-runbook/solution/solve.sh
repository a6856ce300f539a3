#!/bin/bash
set -e
cd /app
cat > service.ini <<'END'
[service]
port = 8443
workers = 4
tls = on
certificate = certificates/2025.pem
END
python3 service.py --check
cat > CHANGES.md <<'END'
- port: 8443 (http://127.0.0.1:8934/e12.html)
- workers: 4 (http://127.0.0.1:8934/e17.html)
- certificate: certificates/2025.pem, the newest that is valid (http://127.0.0.1:8934/e23.html)
END
