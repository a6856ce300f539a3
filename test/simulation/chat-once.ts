/** A development village with a model and its residents, and one message to Ada in a chat. */
import type { SessionMessage } from '@hamlet/contract';
import { openDevFolder, startDevVillage } from '@hamlet/dev';
import { chooseModel } from '@hamlet/dev/model';
import { until } from '@hamlet/test/env/until';
import { testFolder } from '../env/at-end.ts';
import { testClient } from '../env/client.ts';

/** Returns the answer, or the failed message of the person. Ends the village. */
export async function chatOnce(env: Readonly<Record<string, string>>, text: string): Promise<SessionMessage> {
  const village = await startDevVillage(openDevFolder(testFolder('chat')), {
    port: null,
    residents: true,
    model: await chooseModel(env),
  });
  try {
    const { url, adminToken } = village.file;
    const admin = testClient({ baseUrl: url, token: adminToken });
    const session_id = await until('a session', async () => {
      const opened = await admin.raw.createSession({ agent_id: 'ada' });
      return opened.ok ? opened.data.session.session_id : undefined;
    });
    await admin.raw.sendMessage({ session_id, text });
    return await until('the answer', async () => {
      const answer = await admin.raw.listMessages({ session_id });
      if (!answer.ok) return undefined;
      const { messages } = answer.data;
      return messages.find(({ author, state }) => author.role === 'agent' || state === 'failed');
    });
  } finally {
    await village.stop();
  }
}
