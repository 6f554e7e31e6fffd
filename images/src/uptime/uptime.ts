import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, Server } from 'node:http';
import { type Answer, html, json, seeOther, text } from '../runtime/answer.ts';
import { log } from '../runtime/log.ts';
import { isForm, readFields } from '../runtime/read-body.ts';
import { isSameOrigin } from '../runtime/same-origin.ts';
import { type AppRequest, createWebApp } from '../runtime/web-app.ts';
import { type CheckResult, parseResult } from './check.ts';
import { uptimePage } from './page.ts';
import type { ResultFile } from './result-file.ts';

export interface UptimeOptions {
  address: string;
  everyMinutes: number;
  token: string;
  results: ResultFile;
  check: () => Promise<CheckResult>;
  clock: () => number;
}

const SHOWN = 100;
const REST_MILLISECONDS = 10_000;

/** `/` page, `/results` JSON, `POST /results` for the job that has the token, `POST /check` for anybody now and then. */
export function createUptime(options: UptimeOptions): Server {
  const { results, clock } = options;
  let lastAsked = Number.NEGATIVE_INFINITY;

  async function checkNow(raw: IncomingMessage): Promise<Answer> {
    if (!isSameOrigin(raw.headers)) return json(403, { error: 'This came from another site.' });
    if (clock() - lastAsked < REST_MILLISECONDS)
      return json(429, { error: 'It was asked just now. Wait some seconds.' });
    lastAsked = clock();
    const result = await options.check();
    await results.add(result);
    return isForm(raw) ? seeOther('/') : json(201, result);
  }

  return createWebApp(async ({ method, path, raw }: AppRequest) => {
    switch (`${method} ${path}`) {
      case 'GET /':
        return html(200, uptimePage({ ...options, results: results.latest(SHOWN) }));
      case 'GET /results':
        return json(200, { address: options.address, results: results.latest(SHOWN) });
      case 'POST /results':
        return takeResult(options, raw);
      case 'POST /check':
        return checkNow(raw);
      case 'GET /healthz':
        return text(200, 'ok');
      default:
        return text(404, 'there are /, /results and /check');
    }
  });
}

async function takeResult({ token, results }: UptimeOptions, raw: IncomingMessage): Promise<Answer> {
  if (!isSame(raw.headers.authorization ?? '', `Bearer ${token}`))
    return json(401, { error: 'Only the job hands in results.' });
  const result = parseResult(await readFields(raw));
  if (!result) return json(422, { error: 'This is no result.' });
  await results.add(result);
  log.info(`the job hands in ${result.good ? 'a good check' : `a bad check: ${result.problem ?? result.status}`}`);
  return json(201, result);
}

function isSame(given: string, expected: string): boolean {
  const digest = (value: string): Buffer => createHash('sha256').update(value).digest();
  return timingSafeEqual(digest(given), digest(expected));
}
