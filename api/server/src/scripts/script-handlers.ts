import {
  deleteScriptRow,
  findScriptRow,
  findScriptText,
  lockScripts,
  readScripts,
  readScriptVersions,
} from '@hamlet/store';
import { recordAct } from '../audit/record-act.ts';
import { callerOf, inTx, plain, type Handlers } from '../http/handler.ts';
import { accepted, refused } from '../http/outcome.ts';
import { adoptScript, saveScript } from './save-script.ts';
import { scriptView } from './script-view.ts';
import type { Village } from '../village.ts';

function getScript({ db, source }: Village): Handlers['getScript'] {
  return plain(async ({ actor, params, query }) => {
    const record = source.get(params.agent_id);
    if (record === null) return refused('no_such_agent');
    const { name } = params;
    const asked = { agentUid: record.uid, name, version: query.version ?? null };
    const row = await findScriptRow(db, asked, actor);
    // A reader who may not see its texts gets the same answer as for an unknown script.
    const text = row?.shown === true ? await findScriptText(db, { ...asked, version: row.version }) : null;
    if (row === null || text === null) return refused('no_such_script');
    const versions = await readScriptVersions(db, record.uid, name);
    return accepted({
      script: scriptView(row),
      parameters: text.parameters,
      source: text.source,
      versions: versions.map(({ version, savedAt, tainted }) => ({
        version,
        saved_at: savedAt.toISOString(),
        tainted,
      })),
    });
  });
}

function deleteScript({ source }: Village): Handlers['deleteScript'] {
  return inTx(async (request, tx) => {
    const { agent_id: agentId, name } = request.params;
    const record = source.get(agentId);
    if (record === null) return refused('no_such_agent');
    await lockScripts(tx, record.uid);
    if (!(await deleteScriptRow(tx, record.uid, name))) return refused('no_such_script');
    await recordAct(tx, callerOf(request), { action: 'script.delete', object: agentId, detail: { name } });
    return accepted({ deleted: true as const });
  });
}

export function scriptHandlers(village: Village) {
  const { db, source } = village;
  return {
    listScripts: plain(async ({ actor, params }) => {
      const record = source.get(params.agent_id);
      if (record === null) return refused('no_such_agent');
      const rows = await readScripts(db, record.uid, actor);
      return accepted({ scripts: rows.map(scriptView) });
    }),
    getScript: getScript(village),
    saveScript: saveScript(village),
    adoptScript: adoptScript(village),
    deleteScript: deleteScript(village),
  } satisfies Partial<Handlers>;
}
