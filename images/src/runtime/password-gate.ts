import { createHmac, scryptSync, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { type Answer, html, json, seeOther, text } from './answer.ts';
import { escapeHtml } from './escape-html.ts';
import { log } from './log.ts';
import { pageStyle } from './page-style.ts';
import { readFields } from './read-body.ts';
import { isSameOrigin } from './same-origin.ts';
import { type AppRequest, wantsHtml } from './web-app.ts';

/**
 * One password in front of a program. People sign in on a page and carry a cookie that proves it for a day; programs send the
 * password as `Authorization: Basic` (any user name) or `Bearer`. Nothing is kept: the cookie is signed with a key made of
 * the password, so a changed password signs everybody out.
 */
export interface PasswordGate {
  /** What to answer instead, or undefined when the request may pass. Also answers `/sign-in` and `/sign-out`. */
  guard(request: AppRequest): Promise<Answer | undefined>;
  /** For what is no HTTP request, such as a WebSocket's handshake: proven and from this page. */
  admits(request: IncomingMessage): boolean;
}

const DAY_MILLISECONDS = 24 * 60 * 60 * 1000;
const TRIES_A_MINUTE = 10;
const COOKIE = 'session';

export function createPasswordGate(options: { password: string; title: string; clock: () => number }): PasswordGate {
  const { title, clock } = options;
  const key = scryptSync(options.password, 'session of one password', 32);
  const digest = (value: string): Buffer => createHmac('sha256', key).update(value).digest();
  const right = digest(options.password);
  const isPassword = (given: string): boolean => timingSafeEqual(digest(given), right);
  let tries = new Map<string, number>();
  let triesSince = 0;

  /** Undefined when this address has tried too often. */
  function tryPassword(given: string, request: IncomingMessage): boolean | undefined {
    if (clock() - triesSince > 60_000) {
      tries = new Map();
      triesSince = clock();
    }
    const address = [request.headers['x-forwarded-for']].flat().at(-1) ?? request.socket.remoteAddress ?? '';
    const wrong = tries.get(address) ?? 0;
    if (wrong >= TRIES_A_MINUTE) return undefined;
    if (isPassword(given)) return true;
    tries.set(address, wrong + 1);
    log.warn(`a wrong password from ${address}`);
    return false;
  }

  function cookieIsGood(request: IncomingMessage): boolean {
    const [expires = '', proof = ''] = (cookies(request).get(COOKIE) ?? '').split('.');
    const expected = digest(`until ${expires}`).toString('base64url');
    const same = proof.length === expected.length && timingSafeEqual(Buffer.from(proof), Buffer.from(expected));
    return same && Number(expires) > clock();
  }

  function verdict(request: IncomingMessage): boolean | undefined {
    if (cookieIsGood(request)) return true;
    const given = passwordOf(request.headers.authorization ?? '');
    return given === undefined ? false : tryPassword(given, request);
  }

  async function signIn({ raw }: AppRequest): Promise<Answer> {
    if (!isSameOrigin(raw.headers)) return text(403, 'This form was sent from another site.');
    const { password } = await readFields(raw);
    const outcome = tryPassword(String(password ?? ''), raw);
    if (outcome === undefined) return html(429, signInPage(title, 'Too many tries. Wait a minute.'));
    if (!outcome) return html(401, signInPage(title, 'That is not the password.'));
    const expires = clock() + DAY_MILLISECONDS;
    const value = `${expires}.${digest(`until ${expires}`).toString('base64url')}`;
    return { ...seeOther('/'), headers: { location: '/', 'set-cookie': cookie(raw, value, DAY_MILLISECONDS / 1000) } };
  }

  return {
    async guard(request) {
      const { method, path, raw } = request;
      if (method === 'POST' && path === '/sign-in') return signIn(request);
      if (method === 'POST' && path === '/sign-out' && isSameOrigin(raw.headers))
        return { ...seeOther('/'), headers: { location: '/', 'set-cookie': cookie(raw, '', 0) } };
      const outcome = verdict(raw);
      if (outcome === undefined) return json(429, { error: 'Too many wrong passwords. Wait a minute.' });
      if (!outcome) return refusal(title, raw);
      if (method !== 'GET' && !isSameOrigin(raw.headers)) return json(403, { error: 'This came from another site.' });
      return undefined;
    },
    admits: (request) => isSameOrigin(request.headers) && verdict(request) === true,
  };
}

function refusal(title: string, request: IncomingMessage): Answer {
  if (wantsHtml(request)) return html(401, signInPage(title));
  const answer = json(401, { error: 'Send the password as Authorization: Basic or Bearer.' });
  return { ...answer, headers: { 'www-authenticate': `Basic realm="app", charset="UTF-8"` } };
}

function passwordOf(authorization: string): string | undefined {
  const [scheme = '', value = ''] = authorization.split(' ');
  if (scheme.toLowerCase() === 'bearer') return value;
  if (scheme.toLowerCase() !== 'basic') return undefined;
  const pair = Buffer.from(value, 'base64').toString('utf8');
  return pair.slice(pair.indexOf(':') + 1);
}

function cookies(request: IncomingMessage): Map<string, string> {
  const pairs = (request.headers.cookie ?? '').split(';').map((pair) => pair.trim().split('='));
  return new Map(pairs.map(([name = '', ...value]) => [name, value.join('=')]));
}

function cookie(request: IncomingMessage, value: string, seconds: number): string {
  const secure = request.headers['x-forwarded-proto'] === 'https' ? '; Secure' : '';
  return `${COOKIE}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Strict${secure}`;
}

function signInPage(title: string, problem?: string): string {
  const alert = problem ? `<p class="problem" role="alert">${escapeHtml(problem)}</p>` : '';
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}: sign in</title>
<style>${pageStyle({ light: '#3451d1', dark: '#93a8ff' })}
main { max-width: 24rem; padding-top: 14vh; } form { display: grid; gap: 1rem; }</style>
</head>
<body>
<main>
<h1>${escapeHtml(title)}</h1>
<form class="card" method="post" action="/sign-in">
${alert}<label>Password<input type="password" name="password" autocomplete="current-password" required autofocus></label>
<button type="submit">Sign in</button>
</form>
</main>
</body>
</html>
`;
}
