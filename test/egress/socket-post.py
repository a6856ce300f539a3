"""Speaks CONNECT, TLS and HTTP over a plain socket, and never through a library for HTTP. Prints the answer."""
import base64
import os
import socket
import ssl
import sys
from urllib.parse import unquote, urlsplit

host, path, body = sys.argv[1], sys.argv[2], sys.argv[3].encode()
proxy = urlsplit(os.environ["https_proxy"])
user = base64.b64encode(f"{unquote(proxy.username)}:{proxy.password}".encode()).decode()
try:
    raw = socket.create_connection((proxy.hostname, proxy.port))
    raw.sendall(f"CONNECT {host}:443 HTTP/1.1\r\nHost: {host}:443\r\nProxy-Authorization: Basic {user}\r\n\r\n".encode())
    head = raw.recv(4096)
    if not head.startswith(b"HTTP/1.1 200"):
        sys.exit(head.decode())
    tls = ssl.create_default_context(cafile=os.environ["SSL_CERT_FILE"]).wrap_socket(raw, server_hostname=host)
    tls.sendall(f"POST {path} HTTP/1.1\r\nHost: {host}\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n".encode() + body)
    answer = b""
    while chunk := tls.recv(4096):
        answer += chunk
    print(answer.decode() or "broken")
except OSError as error:
    print("broken", error)
