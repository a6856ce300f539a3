import { withTimeout } from './with-timeout.ts';

/** Timeout of a check, shorter than that of the probe: a part on a node without power neither answers nor refuses. */
const CHECK_LIMIT_MS = 1_000;

/** A check. Only the `required` ones decide whether this replica is ready. */
interface ReadinessCheck {
  readonly name: string;
  readonly required: boolean;
  /** Throws or returns false if the check fails. */
  readonly check: () => Promise<boolean> | boolean;
}

export type Readiness = () => Promise<{ readonly ready: boolean; readonly lines: readonly string[] }>;

/**
 * Reports whether this replica can serve requests. Postgres and Redis are shown but not required: without them the map
 * can still be read, unless Kubernetes took every replica out of service. A check without an answer within `limitMs`
 * fails.
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
