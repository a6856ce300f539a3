"""Posts a body with urllib, as a program of an agent does. Prints the status and the answer."""
import sys
import urllib.error
import urllib.request

url, body = sys.argv[1], sys.argv[2].encode()
try:
    with urllib.request.urlopen(urllib.request.Request(url, data=body, method="POST")) as answer:
        print(answer.status, answer.read().decode())
except urllib.error.HTTPError as refused:
    print(refused.code, refused.read().decode())
except OSError as error:
    print("broken", error)
