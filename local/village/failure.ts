/** A failure that a person can act on: what failed, and how to fix it. */
export class Failure extends Error {
  override readonly name = 'Failure';
  readonly fix: string | undefined;

  constructor(message: string, fix?: string) {
    super(message);
    this.fix = fix;
  }
}

export function printFailure(error: unknown): void {
  if (error instanceof Failure) {
    console.error(`error: ${error.message}`);
    if (error.fix !== undefined) console.error(`  fix: ${error.fix}`);
    return;
  }
  console.error(error instanceof Error ? (error.stack ?? error.message) : error);
}
