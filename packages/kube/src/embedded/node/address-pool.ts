import { createHash } from 'node:crypto';
import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { isIPv4 } from 'node:net';
import { dirname } from 'node:path';
import { readJson } from './read-json.ts';

/**
 * One address for each pod, from 127.64.0.0/10. What is given is on disk before it is used, so a pod keeps its address over a
 * restart of the node. Addresses go up and come round after four million, so a freed one is not some other pod's
 * a moment later, when clients may still speak to it. Where to begin follows from the file's own path: two nodes on one
 * machine share the loopback network, and must not share addresses.
 */
export interface AddressPool {
  take(uid: string): string;
  release(uid: string): void;
  /**
   * Releases all but these: pods that went away while no node ran. One whose address was lost with the file gets the one it says
   * it has, for its processes listen there.
   */
  keepOnly(pods: ReadonlyMap<string, string | undefined>): void;
}

const FIRST = (127 << 24) | (64 << 16);
const SIZE = 1 << 22;

export function openAddressPool(file: string): AddressPool {
  const state = load(file);
  const used = new Set(Object.values(state.pods));

  function save(): void {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(`${file}.new`, JSON.stringify(state));
    renameSync(`${file}.new`, file);
  }

  return {
    take(uid) {
      const kept = state.pods[uid];
      if (kept !== undefined) return kept;
      let address: string;
      do {
        state.next = (state.next + 1) % SIZE;
        address = format(state.next);
      } while (used.has(address) || !isHost(state.next));
      state.pods[uid] = address;
      used.add(address);
      save();
      return address;
    },
    release(uid) {
      const address = state.pods[uid];
      if (address === undefined) return;
      delete state.pods[uid];
      used.delete(address);
      save();
    },
    keepOnly(pods) {
      const gone = Object.keys(state.pods).filter((uid) => !pods.has(uid));
      for (const uid of gone) {
        used.delete(state.pods[uid] ?? '');
        delete state.pods[uid];
      }
      const lost = [...pods].flatMap(([uid, address]) =>
        address !== undefined && !state.pods[uid] && isOurs(address) && !used.has(address)
          ? [[uid, address] as const]
          : [],
      );
      for (const [uid, address] of lost) {
        state.pods[uid] = address;
        used.add(address);
      }
      if (gone.length + lost.length > 0) save();
    },
  };
}

interface PoolState {
  next: number;
  pods: Record<string, string>;
}

function load(file: string): PoolState {
  const known = readJson(file) as Partial<PoolState> | undefined;
  if (Number.isInteger(known?.next) && typeof known?.pods === 'object') return known as PoolState;
  const seed = createHash('sha256').update(file).digest().readUInt32BE(0);
  return { next: seed % SIZE, pods: {} };
}

/** A pod's status is written by whoever may write it: only an address of this pool is believed. */
function isOurs(address: string): boolean {
  const [first, second = 0] = address.split('.').map(Number);
  return isIPv4(address) && first === 127 && (second & 0xc0) === 64;
}

/** Neither .0 nor .255: programs take them for a network and its broadcast. */
function isHost(index: number): boolean {
  const last = index & 0xff;
  return last !== 0 && last !== 255;
}

function format(index: number): string {
  const value = FIRST + index;
  return [24, 16, 8, 0].map((shift) => (value >>> shift) & 0xff).join('.');
}
