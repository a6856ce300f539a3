import type { Script, ScriptDetail } from '@hamlet/contract';

type Given = Pick<Script, 'name' | 'description' | 'version' | 'language'> & { readonly source: string };

/** A script of ada as the API returns it, with one version and without parameters. */
export const aScript = ({ source, ...given }: Given): ScriptDetail => ({
  script: {
    ...given,
    agent_id: 'ada',
    versions: 1,
    bytes: source.length,
    tainted: false,
    adopted_from: null,
    saved_at: '2026-11-25T10:00:00.000Z',
    saved_in: null,
    runs: 0,
    last_run: null,
  },
  parameters: { type: 'object', properties: {}, required: [] },
  source,
  versions: [],
});
