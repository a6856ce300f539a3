#!/bin/bash
# Assembles the maps: assemble.sh start | status
cd "$(dirname "$0")" || exit 1
work() {
  for part in north east south west centre; do
    echo "working on $part" >status
    sleep 55
    if [ "$part" = west ] && [ ! -e legend.txt ]; then
      echo "west needs legend.txt with one line: the name of the mapmaker, which is in CREDITS" >>assemble.log
      echo failed >status
      return
    fi
    for number in 1 2 3 4; do echo "$part $number $(cat legend.txt 2>/dev/null)" >"tiles/$part-$number.txt"; done
  done
  echo done >status
}
case $1 in
  start) mkdir -p tiles && rm -f tiles/* && echo starting >status && (work </dev/null >/dev/null 2>&1 &) ;;
  status) cat status 2>/dev/null || echo "not started" ;;
  *) echo "usage: assemble.sh start | status" >&2; exit 2 ;;
esac
