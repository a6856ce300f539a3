import { PERSONALITY_VERSIONS_A_DAY, PERSONALITY_VERSIONS_SHOWN } from '@hamlet/contract';
import type { amendPersonality, PersonalityVersion } from '@hamlet/contract';
import { findPersonality, insertPersonality, lockPersonality, readPersonality } from '@hamlet/store';
import type { NewPersonality, PersonalityRow, Tx } from '@hamlet/store';
import { recordAct } from '../audit/record-act.ts';
import { inTx, plain, type Handlers, type RequestOf } from '../http/handler.ts';
import { accepted, refused } from '../http/outcome.ts';
import type { Village } from '../village.ts';

type Acting = Pick<RequestOf<typeof amendPersonality>, 'actor' | 'requestId' | 'traceparent' | 'call'>;

function versionView({ version, text, reason, restores, byRole, byId, at }: PersonalityRow): PersonalityVersion {
  return { version, text, reason, restores, by: { role: byRole, id: byId }, at: at.toISOString() };
}

async function insert(tx: Tx, acting: Acting, made: Omit<NewPersonality, 'by'>): Promise<PersonalityVersion> {
  const { role, id } = acting.actor;
  const row = await insertPersonality(tx, { ...made, by: { role, id } });
  await recordAct(tx, acting, {
    action: made.restores === null ? 'personality.amend' : 'personality.undo',
    object: made.agentId,
    detail: { version: row.version, restores: made.restores, reason: made.reason },
  });
  return versionView(row);
}

export function personalityHandlers({ db, source }: Village) {
  return {
    listPersonality: plain(async ({ params }) => {
      const record = source.get(params.agent_id);
      if (record === null) return refused('no_such_agent');
      const rows = await readPersonality(db, record.uid, PERSONALITY_VERSIONS_SHOWN);
      const history = rows.map(versionView);
      return accepted({ current: history[0] ?? null, history });
    }),
    amendPersonality: inTx(async (request, tx) => {
      const { params, body } = request;
      const record = source.get(params.agent_id);
      if (record === null) return refused('no_such_agent');
      if ((await lockPersonality(tx, record.uid)) >= PERSONALITY_VERSIONS_A_DAY) return refused('personality_limited');
      const made = { agentUid: record.uid, agentId: record.agentId, ...body, restores: null };
      return accepted({ current: await insert(tx, request, made) });
    }),
    undoPersonality: inTx(async (request, tx) => {
      const { params, body } = request;
      const record = source.get(params.agent_id);
      if (record === null) return refused('no_such_agent');
      await lockPersonality(tx, record.uid);
      const [newest] = await readPersonality(tx, record.uid, 1);
      if (newest === undefined || body.version > newest.version) return refused('no_such_version');
      const earlier = body.version === 0 ? null : await findPersonality(tx, record.uid, body.version);
      if (body.version !== 0 && earlier === null) return refused('no_such_version');
      const made = {
        agentUid: record.uid,
        agentId: record.agentId,
        text: earlier?.text ?? '',
        reason: body.reason,
        restores: body.version,
      };
      return accepted({ current: await insert(tx, request, made) });
    }),
  } satisfies Partial<Handlers>;
}
