interface BrowserFacts {
  readonly userAgent: string;
  readonly touchPoints: number;
  /** True over HTTPS, and at localhost. */
  readonly isSecure: boolean;
  /** True if it has service workers, web push and notifications. */
  readonly hasPush: boolean;
  readonly permission: NotificationPermission;
}

/** `home_screen`: on an iPhone or iPad, only a web app of the home screen has push. */
export type PushAbility = 'able' | 'blocked' | 'home_screen' | 'insecure' | 'unable';

/** An iPad names itself a Mac with a touch screen. */
const isApplePhone = ({ userAgent, touchPoints }: BrowserFacts): boolean =>
  /iPhone|iPad|iPod/.test(userAgent) || (userAgent.includes('Macintosh') && touchPoints > 1);

/** The ability of a browser to show notices, or the reason why it cannot. Pure. */
export function pushAbility(facts: BrowserFacts): PushAbility {
  if (!facts.isSecure) return 'insecure';
  if (!facts.hasPush) return isApplePhone(facts) ? 'home_screen' : 'unable';
  return facts.permission === 'denied' ? 'blocked' : 'able';
}

const first = (text: string, names: readonly (readonly [mark: RegExp, name: string])[]): string | undefined =>
  names.find(([mark]) => mark.test(text))?.[1];

/** A name for a browser that its person recognizes, such as `Firefox on Linux`. Pure. */
export function browserName({ userAgent, touchPoints }: Pick<BrowserFacts, 'userAgent' | 'touchPoints'>): string {
  const browser = first(userAgent, [
    [/Edg(e|A|iOS)?\//, 'Edge'],
    [/OPR\//, 'Opera'],
    [/SamsungBrowser\//, 'Samsung Internet'],
    [/Firefox\/|FxiOS\//, 'Firefox'],
    [/Chrome\/|CriOS\//, 'Chrome'],
    [/Safari\//, 'Safari'],
  ]);
  const system = first(userAgent, [
    [/iPhone|iPod/, 'iPhone'],
    [/iPad/, 'iPad'],
    [/Android/, 'Android'],
    [/Windows/, 'Windows'],
    [/Macintosh/, touchPoints > 1 ? 'iPad' : 'Mac'],
    [/Linux|CrOS/, 'Linux'],
  ]);
  return `${browser ?? 'Browser'}${system === undefined ? '' : ` on ${system}`}`;
}
