import { readConfig, readMigrationConfig, usage } from './config.ts';
import { collectGarbage } from './collect-garbage.ts';
import { createLog } from '../service/log.ts';
import { rotateStoredCredentials } from './rotate-stored-credentials.ts';
import { migrateSchema } from './schema.ts';
import { startServer } from './start-server.ts';

function orExit<T>(read: (environment: NodeJS.ProcessEnv) => T): T {
  try {
    return read(process.env);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n\n${usage()}`);
    process.exit(2);
  }
}

export async function runCommand(): Promise<void> {
  if (process.argv.includes('--help')) {
    process.stdout.write(usage());
  } else if (process.argv.includes('--migrate')) {
    await migrateSchema(
      orExit(readMigrationConfig),
      createLog((line) => process.stdout.write(line), 'info'),
    );
  } else if (process.argv.includes('--rotate-credentials')) {
    process.exitCode = await rotateStoredCredentials(orExit(readConfig), (line) => process.stdout.write(`${line}\n`));
  } else {
    const config = orExit(readConfig);
    const log = createLog((line) => process.stdout.write(line), config.logLevel);
    const server = await startServer(config, log);
    const stop = (signal: string): void => {
      log('info', 'stopping', { signal });
      void server.stop().then(() => process.exit(0));
    };
    process.once('SIGTERM', stop);
    process.once('SIGINT', stop);
    // V8 would keep the garbage of the start for as long as the process has little to do.
    await collectGarbage();
  }
}
