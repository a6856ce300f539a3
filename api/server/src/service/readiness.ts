import { within } from './within.ts';

/** Shorter than the probe's timeout: a part on a node that lost its power neither answers nor refuses. */
const CHECK_LIMIT_MS = 1_000;

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
 * replica out of service would help nobody. A check that does not answer within `limitMs` has failed.
 */
export function createReadiness(checks: readonly ReadinessCheck[], limitMs = CHECK_LIMIT_MS): Readiness {
  return async () => {
    const results = await Promise.all(
      checks.map(async ({ name, required, check }) => {
        const well = await within(limitMs, Promise.resolve().then(check)).catch(() => false);
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
