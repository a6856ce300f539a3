import { readConfig, usage } from './config.ts';
import type { Config } from './config.ts';
import { createLog } from './service/log.ts';
import { startServer } from './start/start-server.ts';

function configOrExit(): Config {
  try {
    return readConfig(process.env);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n\n${usage()}`);
    process.exit(2);
  }
}

if (process.argv.includes('--help')) {
  process.stdout.write(usage());
} else {
  const config = configOrExit();
  const log = createLog((line) => process.stdout.write(line), config.logLevel);
  const server = await startServer(config, log);
  const stop = (signal: string): void => {
    log('info', 'stopping', { signal });
    void server.stop().then(() => process.exit(0));
  };
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
}
