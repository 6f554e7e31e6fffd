import { type Row, rateRow, timeRow } from '../product/row.ts';
import type { IdleResult, RateResult } from './measure.ts';
import type { Requests } from './requests.ts';

const PEER = 'Go';

export function rateRows(count: number, ours: RateResult, peer: RateResult): Row[] {
  const perSecond = ({ milliseconds }: RateResult) => (count / milliseconds) * 1000;
  const each = (amount: number) => (amount / count).toFixed(1);
  return [
    timeRow(`${count} deployments to all children`, ours.milliseconds, [PEER, peer.milliseconds]),
    rateRow('  deployments', perSecond(ours), [PEER, perSecond(peer)]),
    memoryRow('  memory at its peak', ours.memory.peak, peer.memory.peak),
    memoryRow('  memory afterwards', ours.memory.after, peer.memory.after),
    ...(['operator', 'plane'] as const).map((whose) =>
      plainRow(`  processor of the ${whose}`, [ours.processorSeconds[whose], peer.processorSeconds[whose]], processor),
    ),
    plainRow('  writes for each', [ours.requests.writes, peer.requests.writes], each),
    plainRow('  reads for each', [ours.requests.reads, peer.requests.reads], each),
  ];
}

export function idleRows(count: number, ours: IdleResult, peer: IdleResult): Row[] {
  const perMinute = ({ requests, minutes }: IdleResult) => requests.writes / minutes;
  return [
    plainRow(`${count} idle: writes a minute`, [perMinute(ours), perMinute(peer)], (each) => each.toFixed(1)),
    memoryRow('  memory at its peak', ours.memory.peak, peer.memory.peak),
    memoryRow('  memory afterwards', ours.memory.after, peer.memory.after),
    timeRow('  one more: first child', ours.firstChildMs, [PEER, peer.firstChildMs]),
    timeRow('  one more: last child', ours.lastChildMs, [PEER, peer.lastChildMs]),
  ];
}

/** What was written, where it is worth a look. */
export function requestLines(name: string, { kinds, leases }: Requests): string[] {
  return [`${name} wrote:`, ...kinds.map(([what, count]) => `  ${count} ${what}`), `  ${leases} leases`];
}

const processor = (amount: number): string => `${amount.toFixed(1)} s`;

function memoryRow(what: string, ours: number, peer: number): Row {
  return plainRow(what, [ours, peer], (mebibytes) => `${mebibytes.toFixed(0)} MiB`);
}

function plainRow(what: string, [ours, peer]: readonly [number, number], write: (amount: number) => string): Row {
  const ratio = peer === 0 ? '' : `${(ours / peer).toFixed(2)} x`;
  return { what, ours: write(ours), baseline: `${PEER} ${write(peer)}`, ratio };
}
