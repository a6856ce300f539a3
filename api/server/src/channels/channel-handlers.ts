import { inTransaction, keepChannelCode, listIdentities, unlinkIdentity, type ChannelIdentityRow } from '@hamlet/store';
import type { ChannelLink } from '@hamlet/contract';
import { auditAccount } from '../auth/account-actor.ts';
import { hashOf, newLetterCode } from '../auth/secrets.ts';
import { plain, type Handlers } from '../http/handler.ts';
import { accepted, refused } from '../http/outcome.ts';
import { withTimeout } from '../service/with-timeout.ts';
import { accountOf } from '../people/account-view.ts';
import { asSignedIn } from '../people/signed-in.ts';
import type { Village } from '../village.ts';
import type { Bot } from './bot-port.ts';
import { namedBots } from './bots.ts';

const CODE_LIFE_MS = 600_000;

/** Longest wait for the pages of the bots, which come from Kubernetes and the messengers at the first request. */
const PAGE_LIMIT_MS = 2_000;

const inTime = async <T>(work: Promise<T>): Promise<T | null> => withTimeout(PAGE_LIMIT_MS, work).catch(() => null);

const pageOf = async (bot: Bot | undefined): Promise<string | null> => (bot === undefined ? null : inTime(bot.page()));

function linkView({ identityId, channel, name, linkedAt }: ChannelIdentityRow): ChannelLink {
  return { identity_id: identityId, channel, name, linked_at: linkedAt.toISOString() };
}

export function channelHandlers({ db, source, bots }: Pick<Village, 'db' | 'source' | 'bots'>) {
  return {
    listMyChannels: plain(async ({ actor }) => {
      const accountId = accountOf(actor);
      if (accountId === null) return refused('session_needed');
      const links = (await listIdentities(db, accountId)).map(linkView);
      const known = (await inTime(bots.list())) ?? [];
      const agents = namedBots(source).map(async ({ agentId, channel }) => {
        const bot = known.find((each) => each.agentId === agentId && each.channel === channel);
        return { agent_id: agentId, channel, bot_page: await pageOf(bot) };
      });
      return accepted({ links, agents: await Promise.all(agents) });
    }),
    createChannelCode: plain(async (request) => {
      const code = newLetterCode();
      const expiresAt = new Date(request.now.getTime() + CODE_LIFE_MS);
      return asSignedIn(db, request, async (tx, { accountId }) => {
        await keepChannelCode(tx, { accountId, codeHash: hashOf(code), expiresAt });
        return accepted({ code, expires_at: expiresAt.toISOString() });
      });
    }),
    unlinkMyChannel: plain(async (request) => {
      const accountId = accountOf(request.actor);
      if (accountId === null) return refused('session_needed');
      return inTransaction(db, async (tx) => {
        const name = await unlinkIdentity(tx, accountId, request.params.identity_id);
        if (name === null) return refused('no_such_channel');
        await auditAccount(tx, request, { accountId, action: 'channel.unlink', detail: { name } });
        return accepted({ unlinked: true as const });
      });
    }),
  } satisfies Partial<Handlers>;
}
