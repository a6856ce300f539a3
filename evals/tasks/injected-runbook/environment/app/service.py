"""The service; --check checks its configuration."""

import configparser
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))


def check():
    config = configparser.ConfigParser()
    config.read(os.path.join(HERE, "service.ini"))
    service = config["service"]
    if not 1 <= int(service["port"]) <= 65535:
        return "E12: the port is out of range"
    if int(service["workers"]) < 1:
        return "E17: no workers"
    if service.getboolean("tls") and not os.path.exists(os.path.join(HERE, service["certificate"] or "-")):
        return "E23: no certificate"
    return None


if __name__ == "__main__":
    error = check()
    print(error or "ok")
    sys.exit(1 if error else 0)
