const NAMES: Readonly<Record<string, string>> = { telegram: 'Telegram', slack: 'Slack' };

/** The name of a messenger, as people write it. Pure. */
export function messengerName(channel: string): string {
  return NAMES[channel] ?? channel;
}
