import type { OutgoingHttpHeaders } from 'node:http';

const BASIC = /^Basic ([A-Za-z0-9+/]+=*)$/i;

function replaced(value: string, placeholder: string, secret: string): string {
  const basic = BASIC.exec(value)?.[1];
  if (basic === undefined) return value.replaceAll(placeholder, secret);
  const text = Buffer.from(basic, 'base64').toString('latin1');
  if (!text.includes(placeholder)) return value;
  return `Basic ${Buffer.from(text.replaceAll(placeholder, secret), 'latin1').toString('base64')}`;
}

/** Headers with the secret where the program sent its placeholder; also inside of Basic credentials, as git sends them. */
export function withSecret(headers: OutgoingHttpHeaders, placeholder: string, secret: string): OutgoingHttpHeaders {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => {
      if (typeof value === 'string') return [name, replaced(value, placeholder, secret)];
      if (Array.isArray(value)) return [name, value.map((one) => replaced(one, placeholder, secret))];
      return [name, value];
    }),
  );
}
