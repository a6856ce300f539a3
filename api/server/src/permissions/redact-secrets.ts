/** Forms of secrets that people and programs print by mistake. Each pattern takes time linear in the text. */
const FORMS: readonly RegExp[] = [
  /-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----(?:[A-Za-z0-9+/=\s]|\\[nr]){1,20000}(?:-----END [A-Z ]{0,30}PRIVATE KEY-----)?/g,
  /\b(?:gh[opsur]_[A-Za-z0-9]{30,255}|github_pat_[A-Za-z0-9_]{30,255}|glpat-[\w-]{16,64})\b/g,
  /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g,
  /\bsk-[A-Za-z0-9_-]{20,200}/g,
  /\bxox[abposr]-[A-Za-z0-9-]{10,200}/g,
  /\bnpm_[A-Za-z0-9]{30,64}\b/g,
  /\bpypi-[\w-]{40,400}/g,
  /\beyJ[\w-]{10,4000}\.[\w-]{10,8000}\.[\w-]{10,2000}/g,
];
/** `Authorization: Bearer …`, `password=…`, and a password in an address. */
const NAMED: readonly RegExp[] = [
  /((?:authorization|proxy-authorization)["']?\s{0,4}[:=]\s{0,4}["']?(?:basic|bearer|token)\s{1,4})[^\s"'\\]{6,4000}/gi,
  /((?:password|passwd|secret|api_?key|access_?token|auth_?token)["']?\s{0,4}[:=]\s{0,4}["']?)[^\s"'\\,;&]{6,400}/gi,
  /(:\/\/[^\s/:@]{0,100}:)[^\s/:@]{3,400}(?=@)/g,
];
const HIDDEN = '[secret]';

export function redactSecrets(text: string): string {
  const shapeless = FORMS.reduce((left, form) => left.replaceAll(form, HIDDEN), text);
  return NAMED.reduce((left, form) => left.replaceAll(form, `$1${HIDDEN}`), shapeless);
}
