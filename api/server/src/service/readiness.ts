/** One thing that is looked at; `required` ones decide whether this replica is ready. */
export interface ReadinessCheck {
  readonly name: string;
  readonly required: boolean;
  /** Throws, or is false, where it is not well. */
  readonly check: () => Promise<boolean> | boolean;
}

export interface ReadinessReport {
  readonly ready: boolean;
  readonly lines: readonly string[];
}

export type Readiness = () => Promise<ReadinessReport>;

/**
 * Says whether requests can be served. Postgres and Redis are shown and not required: while they are away the map stays readable, and taking every
 * replica out of service would help nobody.
 */
export function createReadiness(checks: readonly ReadinessCheck[]): Readiness {
  return async () => {
    const results = await Promise.all(
      checks.map(async ({ name, required, check }) => {
        const well = await Promise.resolve()
          .then(check)
          .catch(() => false);
        return {
          well,
          required,
          line: `[${well ? '+' : '-'}]${name} ${well ? 'ok' : required ? 'failed' : 'failed (not required)'}`,
        };
      }),
    );
    const ready = results.every(({ well, required }) => well || !required);
    return { ready, lines: [...results.map(({ line }) => line), ready ? 'ready' : 'not ready'] };
  };
}
