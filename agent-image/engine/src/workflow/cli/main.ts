#!/usr/bin/env node
import { performCommand } from './perform-command.ts';

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

process.exitCode = await performCommand(process.argv.slice(2), {
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(text),
  onStop: (stop) => {
    // A second signal ends the process at once, as usual: a task survives that too.
    for (const signal of SIGNALS) process.once(signal, stop);
    return () => {
      for (const signal of SIGNALS) process.off(signal, stop);
    };
  },
});
