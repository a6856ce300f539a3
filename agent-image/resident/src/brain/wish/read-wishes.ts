import type { Surroundings } from '@hamlet/engine';
import { clausesOf, looksLikeCode } from './clauses.ts';
import { agentIn, placeIn, quotedIn } from './names.ts';
import type { Reading, Wish } from './wish.ts';

/** One way of asking for something; null where these words do not ask that way. */
type Pattern = (words: string, here: Surroundings) => readonly Wish[] | null;

const POLITE =
  /^(?:(?:please|now|first|next|finally|also|then|kindly)\b[,\s]*|(?:could|can|would|will) you (?:please )?|i (?:want|would like) you to |you should )+/iu;

function sentence(text: string): string {
  const trimmed = text.trim().replace(/^that\s+/iu, '');
  const first = trimmed.charAt(0).toLocaleUpperCase('en');
  const whole = `${first}${trimmed.slice(1)}`;
  return /[.!?…]$/u.test(whole) ? whole : `${whole}.`;
}

/** "tell Bob that the bread is ready", "say "hello" to Bob" */
const tell: Pattern = (words, here) => {
  const told = /^tell\s+(\S+(?:\s\S+)?)[\s,:]/iu.exec(words);
  const said = /^(?:say|shout|announce|call)\b.*\bto\s+(.+)$/iu.exec(words);
  const agentId = agentIn(told?.[1] ?? said?.[1] ?? '', here);
  if (agentId === null) return null;
  const text = quotedIn(words) ?? (told === null ? null : afterName(words, agentId, here));
  if (text !== null) return [{ kind: 'tell', agentId, text }];
  return GREETING.test(words) ? [{ kind: 'greet', agentId }] : null;
};

const GREETING = /\b(?:hello|hi|good (?:morning|day|evening|night)|welcome)\b/iu;

/** The words behind the name, where they say something and do not ask for something that only a mind could make up. */
function afterName(words: string, agentId: string, { agents }: Surroundings): string | null {
  const name = agents.find(({ id }) => id === agentId)?.name ?? agentId;
  const spoken =
    [name, agentId]
      .map((each) => words.toLowerCase().indexOf(each.toLowerCase()) + each.length)
      .find((at) => at >= Math.min(name.length, agentId.length)) ?? 0;
  const rest = words.slice(spoken).replace(/^[\s,:]+/u, '');
  if (
    rest === '' ||
    /^(?:about|what|how|why|who|where|when|whether|if|a|an|some|your|the (?:story|news|truth))\b/iu.test(rest)
  )
    return null;
  return sentence(rest);
}

/** "say "good morning"", "announce: the market is open" */
const say: Pattern = (words) => {
  if (!/^(?:say|shout|announce|call out|tell (?:everybody|everyone|all))\b/iu.test(words)) return null;
  const text =
    quotedIn(words) ??
    /^(?:say|shout|announce|call out|tell (?:everybody|everyone|all))\s*(?::|that\b)\s*(.+)$/iu.exec(words)?.[1] ??
    null;
  if (text !== null) return [{ kind: 'say', text: quotedIn(words) ?? sentence(text) }];
  const greeting = /^say\s+((?:hello|hi|good (?:morning|day|evening|night)|welcome)\b.*)$/iu.exec(words)?.[1];
  return greeting === undefined ? null : [{ kind: 'say', text: `${sentence(greeting).slice(0, -1)}!` }];
};

/** "greet Bob", "wave to Bob" */
const greet: Pattern = (words, here) => {
  if (!/^(?:greet|welcome|wave (?:to|at)|say (?:hello|hi|good \w+) to)\b/iu.test(words)) return null;
  const agentId = agentIn(words, here);
  return agentId === null ? null : [{ kind: 'greet', agentId }];
};

/** "find Bob", "go to Bob", "visit Bob" */
const find: Pattern = (words, here) => {
  if (
    !/^(?:find|look for|search for|meet|visit|seek|(?:go|walk|run|head|come)\s+(?:over )?(?:to|and see))\b/iu.test(
      words,
    )
  )
    return null;
  const agentId = placeIn(words, here) === null ? agentIn(words, here) : null;
  return agentId === null ? null : [{ kind: 'find', agentId }];
};

/** "go to the café", "walk round the square", "return home" */
const go: Pattern = (words, here) => {
  if (!/^(?:go|walk|run|head|move|come|return|stroll|travel|visit|take a walk|be at)\b/iu.test(words)) return null;
  const placeId = placeIn(words, here);
  return placeId === null ? null : [{ kind: 'go', placeId }];
};

/** "read the board", "use the workbench in the workshop", "have coffee at the café" */
const use: Pattern = (words, here) => {
  if (!/^(?:read|use|work at|work in|sit|rest|have (?:a )?coffee|fish|get (?:some )?bread)\b/iu.test(words))
    return null;
  const placeId = placeIn(words, here);
  return placeId === null ? null : [{ kind: 'use', placeId }];
};

/** "look around", "report what you see" */
const look: Pattern = (words) =>
  /^(?:look (?:around|about)|have a look|report\b|describe (?:what|where)|(?:tell|show) (?:me|us) (?:what|who|where)\b|what do you see|where are you|who is (?:here|there|near))/iu.test(
    words,
  )
    ? [{ kind: 'look' }]
    : null;

/** What is meant most narrowly comes first. */
const PATTERNS: readonly Pattern[] = [greet, tell, say, look, use, find, go];

function wishesIn(words: string, here: Surroundings): readonly Wish[] {
  const asked = words.replace(POLITE, '');
  for (const pattern of PATTERNS) {
    const wishes = pattern(asked, here);
    if (wishes !== null) return wishes;
  }
  return [];
}

/**
 * Reads a prompt as far as a list of sentence patterns can: each part of it with what it asks for, or with nothing where it could only be
 * read. A text that was written for a program asks for nothing. Pure: the same prompt in the same village reads the same.
 */
export function readWishes(prompt: string, here: Surroundings): readonly Reading[] {
  if (looksLikeCode(prompt)) return [{ words: prompt.slice(0, 200), wishes: [] }];
  return clausesOf(prompt).map((words) => ({ words, wishes: wishesIn(words, here) }));
}
