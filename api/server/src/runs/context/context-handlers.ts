import { RUN_EVENT_TEXT_MAX_CHARS, type RunContext, type RunContextPart } from '@hamlet/contract';
import { planContext, shorten, withEstimates, type PlannedPart } from '@hamlet/core';
import { readContextClaims, readContextTexts, type ContextText, type Db } from '@hamlet/store';
import { z } from 'zod';
import { plain, type Handlers } from '../../http/handler.ts';
import { accepted } from '../../http/outcome.ts';
import { findShownRun, type ShownRun } from '../audience/run-audience.ts';
import { outcomeInWords } from '../outcome-words.ts';
import type { Village } from '../../village.ts';

/** Shows the parts that the model read before an answer, as its agent's journal says. */
export function contextHandlers({ db }: Village) {
  return {
    readRunContext: plain(async (request) => {
      const found = await findShownRun(db, request, request.params.run_id);
      return found.ok ? accepted({ context: await contextOf(db, found.data, request.query.ask) }) : found;
    }),
  } satisfies Partial<Handlers>;
}

async function contextOf(db: Db, { row, veiled }: ShownRun, ask: number): Promise<RunContext | null> {
  const planned = planContext(await readContextClaims(db, row.runId, ask), ask);
  if (planned === null) return null;
  const refs = planned.parts.flatMap(({ ref }) => ref ?? []);
  const texts = await readContextTexts(db, row.agentUid, refs);
  const { promptTokens, parts, omitted } = planned;
  return { ask, prompt_tokens: promptTokens, parts: partsOf(parts, { texts, veiled }), omitted };
}

function partsOf(
  planned: readonly PlannedPart[],
  { texts, veiled }: { readonly texts: ReadonlyMap<string, ContextText>; readonly veiled: boolean },
): RunContextPart[] {
  const sized = planned.map((part) => ({ ...part, bytes: textOf(part, texts)?.bytes ?? null }));
  return withEstimates(sized).map(({ source, form, tokens, tool, run, ref }) => {
    const text = textOf({ ref }, texts)?.text ?? null;
    return {
      source,
      form,
      tokens,
      tool,
      run_id: z.uuid().safeParse(run).data ?? null,
      text: veiled || text === null ? null : shorten(inWords(source, text), RUN_EVENT_TEXT_MAX_CHARS),
    };
  });
}

const textOf = ({ ref }: Pick<PlannedPart, 'ref'>, texts: ReadonlyMap<string, ContextText>): ContextText | undefined =>
  ref === null ? undefined : texts.get(ref);

const Answer = z.object({ content: z.string(), toolCalls: z.array(z.object({ name: z.string() })).catch([]) });

/** Answers and results are JSON in the journal. A text that cannot be read stays as it is. */
function inWords(source: RunContextPart['source'], text: string): string {
  if (source === 'result') return outcomeInWords(text);
  if (source !== 'answer') return text;
  try {
    const { content, toolCalls } = Answer.parse(JSON.parse(text));
    return [content, ...toolCalls.map(({ name }) => `[calls ${name}]`)].filter((part) => part !== '').join('\n');
  } catch {
    return text;
  }
}
