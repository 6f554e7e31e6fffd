import { type FileHandle, mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { log } from '../runtime/log.ts';
import { createRequestReader, encodeCommand, ProtocolError } from './resp.ts';

/**
 * Every change as a command in one file, in order: to start is to run them all. Several that belong together are one entry,
 * `EXEC` with each of them encoded, so that a crash in the middle of writing leaves all or none.
 *
 * When something is safe: `always` after the disk has it (fdatasync), `everysec` and `no` once the operating system has it, which
 * the end of this process cannot take away but a power cut can, for the last second or as long as the system likes.
 *
 * The file is written anew from the data when it has grown to twice its size. One loop does all writing, so a rewrite needs no
 * care: what is waiting is in the data already, and what comes meanwhile waits for the new file.
 */
export const FSYNC_POLICIES = ['always', 'everysec', 'no'] as const;
export type FsyncPolicy = (typeof FSYNC_POLICIES)[number];

export interface AppendLog {
  append(commands: string[][]): void;
  /** Fulfilled when all that was appended so far is as safe as the policy says. */
  settled(): Promise<void>;
  size(): number;
  close(): Promise<void>;
}

export interface AppendLogOptions {
  file: string;
  policy: FsyncPolicy;
  replay: (words: string[]) => void;
  snapshot: () => Iterable<string[]>;
  /** The file could not be written: what was not settled is not kept. */
  onFailure: (error: unknown) => void;
  rewriteFromBytes?: number;
}

const GROUP = 'EXEC';
const READ_BYTES = 1024 * 1024;
const FSYNC_MILLISECONDS = 1000;

export async function openAppendLog(options: AppendLogOptions): Promise<AppendLog> {
  const { file, policy, snapshot, rewriteFromBytes = 16 * 1024 * 1024 } = options;
  await mkdir(dirname(file), { recursive: true });
  await rm(`${file}.new`, { force: true });
  let size = await load(options);
  let handle = await open(file, 'a');
  let sizeAfterRewrite = size;
  let waiting: string[] = [];
  let working: Promise<void> = Promise.resolve();
  let busy = false;
  let synced = true;

  async function work(): Promise<void> {
    while (waiting.length > 0) {
      if (size > rewriteFromBytes && size > 2 * sizeAfterRewrite) await rewrite();
      else await write();
    }
  }

  async function write(): Promise<void> {
    const bytes = Buffer.from(waiting.join(''), 'latin1');
    waiting = [];
    synced = false;
    await handle.appendFile(bytes);
    size += bytes.length;
    if (policy === 'always') await sync();
  }

  async function rewrite(): Promise<void> {
    const all = [...snapshot()].map((words) => Buffer.from(encodeCommand(words), 'latin1'));
    waiting = [];
    const fresh = await writeWhole(`${file}.new`, all);
    await rename(`${file}.new`, file);
    await syncDirectory(dirname(file));
    await handle.close();
    handle = fresh;
    size = (await handle.stat()).size;
    sizeAfterRewrite = size;
    synced = true;
    log.info(`the log was written anew: ${size} bytes`);
  }

  async function sync(): Promise<void> {
    synced = true;
    await handle.datasync();
  }

  function start(): void {
    if (busy) return;
    busy = true;
    working = work().finally(() => {
      busy = false;
    });
    working.catch(options.onFailure);
  }

  const timer = setInterval(() => {
    if (policy === 'everysec' && !synced && !busy) sync().catch(options.onFailure);
  }, FSYNC_MILLISECONDS);
  timer.unref();

  return {
    append(commands) {
      const [first = [], ...more] = commands;
      waiting.push(more.length === 0 ? encodeCommand(first) : encodeCommand([GROUP, ...commands.map(encodeCommand)]));
      start();
    },
    async settled() {
      // The loop takes along what comes while it works.
      while (busy || waiting.length > 0) await working;
    },
    size: () => size,
    async close() {
      clearInterval(timer);
      while (busy || waiting.length > 0) await working;
      await handle.datasync();
      await handle.close();
    },
  };
}

/** Runs all that the file holds. An entry that was cut short by a crash was never answered, and is cut away. */
async function load({ file, replay }: AppendLogOptions): Promise<number> {
  const handle = await open(file, 'a+');
  const reader = createRequestReader();
  try {
    const buffer = Buffer.alloc(READ_BYTES);
    for (let position = 0; ; ) {
      const { bytesRead } = await handle.read(buffer, 0, READ_BYTES, position);
      if (bytesRead === 0) break;
      position += bytesRead;
      for (const words of reader.read(Buffer.from(buffer.subarray(0, bytesRead)))) replayEntry(words, replay);
    }
    const { size } = await handle.stat();
    if (size > reader.consumed()) {
      log.warn(`the last entry of the log was cut short: ${size - reader.consumed()} bytes are cut away`);
      await handle.truncate(reader.consumed());
    }
    return reader.consumed();
  } catch (error) {
    if (!(error instanceof ProtocolError)) throw error;
    throw new Error(
      `${file} is damaged after byte ${reader.consumed()} (${error.message}). To go on with what stands before, cut it there: truncate -s ${reader.consumed()}`,
    );
  } finally {
    await handle.close();
  }
}

function replayEntry(words: string[], replay: (words: string[]) => void): void {
  const commands =
    words[0] === GROUP
      ? words.slice(1).flatMap((encoded) => createRequestReader().read(Buffer.from(encoded, 'latin1')))
      : [words];
  for (const command of commands) replay(command);
}

async function writeWhole(path: string, parts: Buffer[]): Promise<FileHandle> {
  const handle = await open(path, 'a');
  for (const part of parts) await handle.appendFile(part);
  await handle.datasync();
  return handle;
}

async function syncDirectory(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
