import type { IncomingMessage } from 'node:http';
import { BerthError, problemSchema } from '@berth/core/errors';
import { CliError, EXIT_CODES } from './exit-codes.ts';

/** A WebSocket that was refused before it opened carries the same problem as any other request. */
export async function refusalOf(response: IncomingMessage): Promise<Error> {
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  const problem = problemSchema.safeParse(parsed(Buffer.concat(chunks).toString('utf8'))).data;
  if (!problem) return new CliError(EXIT_CODES.failure, `the server answered with ${response.statusCode}`);
  const { code, detail, fields, limit, right, suggestion } = problem;
  return new BerthError(code, detail, { fields, limit, right, suggestion });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
