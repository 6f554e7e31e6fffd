/**
 * The last output of a shell, for a client that comes back. Frames are messages of the exec protocol: a channel byte, then bytes of
 * output. Positions count bytes of output since the shell began, over both channels.
 */
export interface OutputRing {
  push(frame: Buffer): void;
  /** What is kept from a position on; `offset` is where it really begins. */
  since(offset: number): { offset: number; frames: Buffer[] };
}

const CHANNEL_BYTES = 1;

export function createOutputRing(capacity: number): OutputRing {
  const kept: { start: number; frame: Buffer }[] = [];
  let end = 0;

  const sizeOf = (frame: Buffer) => frame.length - CHANNEL_BYTES;
  const start = () => kept[0]?.start ?? end;

  return {
    push(frame) {
      kept.push({ start: end, frame });
      end += sizeOf(frame);
      // One frame that is larger than all the room stays: part of it is better than nothing.
      while (kept.length > 1 && end - (kept[1]?.start ?? end) >= capacity) kept.shift();
    },
    since(wanted) {
      const offset = Math.min(Math.max(wanted, start()), end);
      const frames = kept
        .filter(({ start: at, frame }) => at + sizeOf(frame) > offset)
        .map(({ start: at, frame }) => (at >= offset ? frame : withoutFirst(frame, offset - at)));
      return { offset, frames };
    },
  };
}

function withoutFirst(frame: Buffer, bytes: number): Buffer {
  return Buffer.concat([frame.subarray(0, CHANNEL_BYTES), frame.subarray(CHANNEL_BYTES + bytes)]);
}
