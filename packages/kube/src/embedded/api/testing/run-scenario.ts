import { request } from 'node:https';
import { normalise } from './normalise.ts';
import type { ScenarioStep } from './scenario.ts';

export interface Endpoint {
  url: string;
  ca: string;
  certificate: string;
  key: string;
}

export interface Answer {
  status: number;
  body: unknown;
  warnings?: string[];
}

export async function answerOf(endpoint: Endpoint, step: ScenarioStep): Promise<Answer> {
  const { status, text, warnings } = await send(endpoint, step);
  return { status, body: normalise(parse(text)), ...(warnings.length > 0 && { warnings }) };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // A plain answer, such as an old-fashioned 404.
    return text;
  }
}

export function send(
  { url, ca, certificate, key }: Endpoint,
  step: ScenarioStep,
): Promise<{ status: number; text: string; warnings: string[] }> {
  return new Promise((resolve, reject) => {
    const headers: Record<string, string> = {
      accept: step.accept ?? 'application/json',
      'user-agent': step.agent ?? 'scenario/1',
    };
    if (step.body !== undefined) headers['content-type'] = step.type ?? 'application/json';
    const body =
      step.body === undefined ? undefined : typeof step.body === 'string' ? step.body : JSON.stringify(step.body);
    if (body !== undefined) headers['content-length'] = String(Buffer.byteLength(body));
    const call = request(
      new URL(step.path, url),
      { method: step.method, ca, cert: certificate, key, headers },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          const warning = response.headersDistinct.warning ?? [];
          resolve({
            status: response.statusCode ?? 0,
            text: Buffer.concat(chunks).toString('utf8'),
            warnings: warning,
          });
        });
      },
    );
    call.on('error', reject);
    call.end(body);
  });
}
