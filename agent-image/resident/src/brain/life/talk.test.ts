/** Conversations of agents whose model is a wire server: they end, and each agent receives only words to it or to all nearby. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TICKS_PER_DAY, type WorldEventOf } from '@hamlet/contract';
import type { AskedOfModel, ThinkingVillage } from '../../testing/thinking-village.ts';
import { startThinkingModel, thinkingVillage } from '../../testing/thinking-village.ts';
import { LINES_A_DAY, OWN_LINES_MAX, TALK_REST_TICKS } from './talk.ts';

const MORNING_TICKS = 3_000;
const PLENTY = 1_000_000;

const speakerOf = ({ system }: AskedOfModel): string => /agent_id (\S+)\)/.exec(system)?.[1] ?? '';
const linesIn = ({ user }: AskedOfModel): readonly string[] => user.split('\n').filter((line) => /: “/u.test(line));

/** Everyone goes to the café and stays there; `say` gives the next line. */
async function lived(
  names: readonly string[],
  {
    ticks,
    tokensPerHour = PLENTY,
    say,
  }: { ticks: number; tokensPerHour?: number; say: (asked: AskedOfModel) => object },
): Promise<ThinkingVillage & { readonly asked: readonly AskedOfModel[] }> {
  const asked: AskedOfModel[] = [];
  const wire = await startThinkingModel((question) => {
    asked.push(question);
    if (question.options === null) return say(question);
    const option = question.options.includes('go:cafe') ? 'go:cafe' : 'stay';
    return { option, why: 'I like company', purpose: 'company' };
  });
  const village = thinkingVillage(names, { seed: 7, wire, tokensPerHour });
  await village.live(ticks);
  await wire.close();
  return { ...village, asked };
}

type Talk = WorldEventOf<'talk'>;

function talksIn({ events }: ThinkingVillage): readonly Talk[] {
  return events.filter((event): event is Talk => event.kind === 'talk' && event.to !== null);
}

/** The conversations of two agents, split where both were silent. */
function conversations(talks: readonly Talk[]): readonly (readonly Talk[])[] {
  const found: Talk[][] = [];
  for (const talk of talks) {
    const last = found.at(-1);
    if (last === undefined || talk.tick - (last.at(-1)?.tick ?? 0) > TALK_REST_TICKS) found.push([talk]);
    else last.push(talk);
  }
  return found;
}

test('two agents greet, talk while both have something to say, and either may end the conversation', async () => {
  let lines = 0;
  const village = await lived(['ada', 'bob'], {
    ticks: MORNING_TICKS,
    say: () => {
      lines += 1;
      return { say: lines === 4 ? 'I must go, goodbye.' : `Sentence ${lines}.`, over: lines === 4, why: 'we talk' };
    },
  });
  const [first = []] = conversations(talksIn(village));
  const words = first.map(({ text }) => text).filter((text) => /^Sentence|^I must/.test(text));
  assert.deepEqual(words.slice(0, 4), ['Sentence 1.', 'Sentence 2.', 'Sentence 3.', 'I must go, goodbye.']);
  const closer = first.find(({ text }) => text.startsWith('I must'));
  assert.ok(closer !== undefined);
  const after = first.slice(first.indexOf(closer) + 1);
  assert.ok(after.length <= 1 && after.every(({ agent_id }) => agent_id !== closer.agent_id), 'only a last answer');
  const next = village.asked.find((asked) => linesIn(asked).some((line) => line.includes('Sentence 2.')));
  assert.match(next?.user ?? '', /You: “Sentence 1\.”\n(ada|bob): “Sentence 2\.”/u);
  const turn = village.villagers.flatMap(({ turns }) => turns).find(({ decided }) => decided['why'] === 'we talk');
  assert.match(
    JSON.stringify(turn?.decided),
    /"choice":\{"option":"talk:(ada|bob)","purpose":"talking with (ada|bob)","model":"small"/,
  );
});

test('the limits of lines per conversation and per day stop two models that never stop', async () => {
  const say = (): object => ({
    say: 'And what is more, I have something else to add.',
    over: false,
    why: 'I like to talk',
  });
  const village = await lived(['ada', 'bob'], { ticks: TICKS_PER_DAY, say });
  for (const name of ['ada', 'bob']) {
    const own = talksIn(village).filter(({ agent_id }) => agent_id === name);
    assert.ok(own.length <= LINES_A_DAY, `${name} spoke ${own.length} times in a day`);
    assert.ok(own.length > OWN_LINES_MAX, `${name} had only one conversation`);
    for (const talk of conversations(talksIn(village)))
      assert.ok(talk.filter(({ agent_id }) => agent_id === name).length <= OWN_LINES_MAX);
  }
});

test("a conversation ends when a quarter of the tier's tokens is used", async () => {
  const say = (): object => ({ say: 'And then?', over: false, why: 'I like to talk' });
  const village = await lived(['ada', 'bob'], { ticks: MORNING_TICKS, tokensPerHour: 3_999, say });
  assert.equal(village.asked.length, 0);
  const byModel = talksIn(village).filter(({ text }) => text === 'And then?');
  assert.deepEqual(byModel, []);
});

test('the prompt of an agent out of earshot contains no words of a conversation', async () => {
  const secret = (asked: AskedOfModel): string => `The word of ${speakerOf(asked)} is for you alone.`;
  const village = await lived(['ada', 'bob', 'cleo'], {
    ticks: 2 * MORNING_TICKS,
    say: (asked) => ({ say: secret(asked), over: false, why: 'it is a secret' }),
  });
  const addressed = new Set(talksIn(village).map(({ agent_id, to }) => `${agent_id} ${to}`));
  assert.ok(addressed.size >= 4, `only ${[...addressed].join(', ')} spoke`);
  let read = 0;
  for (const asked of village.asked) {
    const reader = speakerOf(asked);
    for (const name of ['ada', 'bob', 'cleo'].filter((each) => each !== reader)) {
      if (!asked.user.includes(`The word of ${name} `)) continue;
      read += 1;
      assert.ok(addressed.has(`${name} ${reader}`), `${reader} read the words of ${name}`);
      assert.ok(
        asked.options === null && asked.user.includes(`You talk with ${name}:`),
        'only in the talk with its speaker',
      );
    }
  }
  assert.ok(read > 0);
});
