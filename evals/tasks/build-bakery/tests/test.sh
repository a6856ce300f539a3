#!/bin/bash
mkdir -p /logs/verifier
cd /app || exit 1
if python3 /tests/check.py >/logs/verifier/output.txt 2>&1; then echo 1; else echo 0; fi >/logs/verifier/reward.txt
