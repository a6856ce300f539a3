#!/bin/bash
# Rotates the logs of a folder: rotate.sh DIR KEEP
dir=$1
keep=$2
for log in $(ls $dir/*.log*); do
  base=${log%.log*}.log
  for ((i = keep - 1; i >= 1; i--)); do
    [ -e $base.$i ] && mv $base.$i $base.$((i + 1))
  done
  rm -f $base.$keep*
  mv $log $base.1
  touch $base
done
