import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import type { MasterKey, MasterKeys } from '../secret/master-keys.ts';

/**
 * With what one server asks another for a shell that the other holds. It names the one shell, its holder, who asks and how they proved
 * who they are, and is good for a minute; nobody without a master key can make one. The holder checks the rights again itself.
 */
export interface PeerTicket {
  shell: string;
  holder: string;
  userId: string;
  authentication: { kind: 'login' | 'token'; id: string };
  /** What the client has of the output. */
  offset: number;
  /** Of the client's request: so the logs of both servers tell of one. */
  requestId: string;
}

const GOOD_FOR_MS = 60_000;
/** Servers need not agree on the second. */
const CLOCKS_APART_MS = 60_000;

const sealedSchema = z.strictObject({
  shell: z.string(),
  holder: z.string(),
  userId: z.string(),
  authentication: z.strictObject({ kind: z.enum(['login', 'token']), id: z.string() }),
  offset: z.int().min(0),
  requestId: z.string(),
  madeAt: z.int(),
});

export function sealTicket(keys: MasterKeys, ticket: PeerTicket, now: Date): string {
  const body = Buffer.from(JSON.stringify({ ...ticket, madeAt: now.getTime() })).toString('base64url');
  return `${body}.${macOf(keys.current, body).toString('base64url')}`;
}

/** Undefined for whatever no server of ours made just now. */
export function openTicket(keys: MasterKeys, text: string, now: Date): PeerTicket | undefined {
  const [body = '', mac = ''] = text.split('.');
  const given = Buffer.from(mac, 'base64url');
  const isOurs = [keys.current, ...keys.previous].some((key) => {
    const expected = macOf(key, body);
    return expected.length === given.length && timingSafeEqual(expected, given);
  });
  if (!isOurs) return undefined;
  const { madeAt, ...ticket } = sealedSchema.parse(JSON.parse(Buffer.from(body, 'base64url').toString('utf8')));
  const age = now.getTime() - madeAt;
  return age <= GOOD_FOR_MS + CLOCKS_APART_MS && age >= -CLOCKS_APART_MS ? ticket : undefined;
}

function macOf({ key }: MasterKey, body: string): Buffer {
  const derived = Buffer.from(hkdfSync('sha256', key, '', 'berth shell between servers', key.length));
  return createHmac('sha256', derived).update(body).digest();
}
