import { plain, type Handlers } from '../../http/handler.ts';
import { asLeader } from '../../operator/operator-fence.ts';
import { accepted } from '../../http/outcome.ts';
import type { ComputeClaims } from './compute-claims.ts';
import type { Db } from '@hamlet/store';

export function claimHandlers({
  db,
  claims,
}: {
  readonly db: Db;
  readonly claims: ComputeClaims;
}): Pick<Handlers, 'claimCompute' | 'releaseCompute'> {
  return {
    claimCompute: plain(async ({ headers, body, traceparent }) => {
      const outcome = await asLeader(db, headers, (tx) => claims.ask(tx, { ...body, traceparent }));
      if (!outcome.ok) return outcome;
      const { granted, reason, hold, claim } = outcome.data;
      return accepted({
        granted,
        reason,
        hold_id: hold?.holdId ?? null,
        until: hold?.until.toISOString() ?? null,
        claim,
      });
    }),
    releaseCompute: plain(async ({ headers, body }) => {
      const outcome = await asLeader(db, headers, async (tx) => {
        const held = await claims.lock(tx, body.agent_id);
        if (held.row === null || held.row.uid !== body.uid || held.row.version > body.version) return false;
        return claims.end(tx, held, held.row.refused);
      });
      return outcome.ok ? accepted({ released: outcome.data }) : outcome;
    }),
  };
}
