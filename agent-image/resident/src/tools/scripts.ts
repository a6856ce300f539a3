import type { Script, ScriptDetail } from '@hamlet/contract';
import { answered } from './reading.ts';
import { fromOutside, okay, type ToolKit, type ToolResult } from './tool-kit.ts';

type Kit = Pick<ToolKit, 'work' | 'rest' | 'random'>;

/** The agent's scripts in words, or one of them with its source. */
export async function listScripts(kit: Kit, name: string | undefined, signal: AbortSignal): Promise<ToolResult> {
  if (name !== undefined) return inWords(await answered(kit, signal, () => kit.work.script(name, null)));
  const scripts = await answered(kit, signal, () => kit.work.scripts());
  const text = scripts.map(lineOf).join('\n');
  if (scripts.some(({ tainted }) => tainted)) return fromOutside(text);
  return okay(text === '' ? 'You have no scripts. save_script keeps one.' : text);
}

function lineOf({ name, language, version, description, tainted, adopted_from: from, runs, last_run: last }: Script) {
  const origin = from === null ? (tainted ? ', counts as text from outside' : '') : `, from ${from}`;
  const ran = last === null ? 'never run' : `run ${runs} times, last ${last.outcome?.kind ?? 'with an unknown end'}`;
  return `- ${name} (${language}), version ${version}${origin}, ${ran}: ${description ?? ''}`;
}

/** A source that may hold text of strangers is data for the model. */
function inWords({ script, parameters, source, versions }: ScriptDetail): ToolResult {
  const earlier = versions.slice(1).map(({ version }) => version);
  const text = [
    lineOf(script),
    `Parameters: ${JSON.stringify(parameters)}`,
    `Earlier versions: ${earlier.join(', ') || 'none'}`,
    `Source:\n${source}`,
  ].join('\n');
  return script.tainted ? fromOutside(text) : okay(text);
}
