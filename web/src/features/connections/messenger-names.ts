import type { Channel } from '@hamlet/contract';

/** The name of each messenger, as people write it. */
export const MESSENGER_NAMES: Readonly<Record<Channel, string>> = { telegram: 'Telegram', slack: 'Slack' };
