import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';

const steps: (() => unknown)[] = [];

/** Runs a step after the tests of the calling file, the latest step first. A step that fails does not stop the others. */
export function atEnd(step: () => unknown): void {
  if (steps.push(step) > 1) return;
  after(async () => {
    const errors: unknown[] = [];
    for (const each of steps.splice(0).toReversed())
      try {
        await each();
      } catch (error) {
        errors.push(error);
      }
    if (errors.length > 0) throw new AggregateError(errors);
  });
}

type Resource =
  | { remove(): unknown }
  | { destroy(): unknown }
  | { close(): unknown }
  | { disconnect(): unknown }
  | { stop(): unknown };

/** Opens a resource and ends it after the tests of the calling file. */
export function untilEnd<T extends Resource>(resource: T): T {
  atEnd(() => {
    if ('remove' in resource) return resource.remove();
    if ('destroy' in resource) return resource.destroy();
    if ('close' in resource) return resource.close();
    return 'disconnect' in resource ? resource.disconnect() : resource.stop();
  });
  return resource;
}

/** A new folder that is deleted after the tests of the calling file. Every user may enter it, as that of Postgres must. */
export function testFolder(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), `hamlet-${name}-`));
  chmodSync(folder, 0o755);
  atEnd(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Sets variables of this process until the tests of the calling file are done. */
export function setVariables(values: Readonly<Record<string, string>>): void {
  const before = Object.keys(values).map((name) => [name, process.env[name]] as const);
  Object.assign(process.env, values);
  atEnd(() => {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  });
}
