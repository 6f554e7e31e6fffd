import { z } from 'zod';
import { nameSchema } from './names.ts';

/**
 * Shells and forwarded ports are WebSockets. A shell speaks the subprotocol of Kubernetes, from the browser to the pod: binary
 * messages whose first byte is the channel. A forwarded port has no channels: one socket is one TCP connection, byte for byte; an
 * empty message says that the client sends no more, and goes on reading.
 *
 * A client that names its `session` may come back to it, for SHELL_KEPT_SECONDS, with the `offset` of what it has: bytes of output,
 * channel bytes not counted. The server's first message to a client with a session is a `ShellPlace` on the resize channel. A shell
 * that is not there any more closes with `gone`. Any server takes a client to its shell, whichever of them holds it. A client that closes with `ended` leaves nothing running; one that breaks off or
 * closes otherwise may come back.
 */
export const SHELL_PROTOCOL = 'v5.channel.k8s.io';
export const FORWARD_PROTOCOL = 'berth.forward';
export const CHANNELS = { stdin: 0, stdout: 1, stderr: 2, error: 3, resize: 4, close: 255 } as const;

export const PING_EVERY_SECONDS = 25;
/** A shell whose client went away keeps running this long, so that a reconnect finds it. */
export const SHELL_KEPT_SECONDS = 60;

/** A close code (RFC 6455's registry): this server goes, another one has what you had. Come back at once. */
export const COME_BACK = 1012;

/** Close codes of our own; the reason says it in words. `COME_BACK` when the server stops, 1011 when something broke here. */
export const SOCKET_CLOSE = {
  ended: 1000,
  accessRemoved: 4403,
  signedOut: 4401,
  gone: 4404,
  unavailable: 4503,
} as const;

/** Where a client with a session is. */
export interface ShellPlace {
  Pod: string;
  /** What follows is the output from this byte on: more than was asked for when more was written than is kept. */
  Offset: number;
}

/** The server that holds the shell stops: it stays so long, and cannot be moved. On the resize channel, to a client with a session. */
export interface ShellNotice {
  EndsInSeconds: number;
}

/** How many bytes of output a kept shell remembers. */
export const SHELL_KEPT_BYTES = 256 * 1024;

const wordSchema = z
  .string()
  .max(4096)
  .regex(/^[^\0]*$/, { error: 'holds a NUL byte, at which a program would stop reading' });

const targetShape = {
  service: nameSchema,
  pod: nameSchema.max(253).optional().describe('One pod of the service; any that is ready when absent.'),
};

/** The terminal's size travels as JSON `{"Width":80,"Height":24}` on the resize channel; the end as a Kubernetes Status on `error`. */
export const shellQuerySchema = z.strictObject({
  ...targetShape,
  command: z
    .union([wordSchema, z.array(wordSchema).max(64)])
    .optional()
    .describe('Repeat for each argument; a login shell when absent.'),
  tty: z.enum(['true', 'false']).optional().describe('true when absent.'),
  stdin: z.enum(['true', 'false']).optional().describe('true when absent.'),
  session: z
    .string()
    .regex(/^[A-Za-z0-9_-]{16,64}$/)
    .optional()
    .describe("The client's own name for this shell: coming back with it finds the shell again."),
  offset: z.coerce.number().int().min(0).optional().describe('How many bytes of output the client already has.'),
});

export const forwardQuerySchema = z.strictObject({
  ...targetShape,
  port: z.string().max(63).describe("A port's name or number."),
});
