import { withTimeout } from './with-timeout.ts';

/** Shorter than the probe's timeout: a part on a node that lost its power neither answers nor refuses. */
const CHECK_LIMIT_MS = 1_000;

/** One check; the `required` ones decide whether this replica is ready. */
export interface ReadinessCheck {
  readonly name: string;
  readonly required: boolean;
  /** Throws or returns false where the check fails. */
  readonly check: () => Promise<boolean> | boolean;
}

export interface ReadinessReport {
  readonly ready: boolean;
  readonly lines: readonly string[];
}

export type Readiness = () => Promise<ReadinessReport>;

/**
 * Reports whether this replica can serve requests. Postgres and Redis are shown but not required: without them the map stays readable, and removing
 * every replica from service would make that impossible. A check without an answer within `limitMs` fails.
 */
export function createReadiness(checks: readonly ReadinessCheck[], limitMs = CHECK_LIMIT_MS): Readiness {
  return async () => {
    const results = await Promise.all(
      checks.map(async ({ name, required, check }) => {
        const well = await withTimeout(limitMs, Promise.resolve().then(check)).catch(() => false);
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
