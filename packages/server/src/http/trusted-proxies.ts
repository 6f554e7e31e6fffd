import { BlockList, isIP } from 'node:net';

/** Whether the program at the other end of a connection is believed when it says for whom it asks. */
export type Trust = (address: string) => boolean;

/** From addresses and networks of both kinds; `127.0.0.0/8` also is `::ffff:127.0.0.0/104`, which is how a listener on `::` sees it. */
export function trustOf(networks: readonly string[]): Trust {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', prefix] = network.split('/');
    const family = familyOf(address);
    if (prefix === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(prefix), family);
  }
  return (address) => isIP(address) !== 0 && list.check(address, familyOf(address));
}

/** Whoever listens on loopback alone hears only programs of this machine: what stands in front of it is one of them. */
export const LOOPBACK_NETWORKS: readonly string[] = ['127.0.0.0/8', '::1'];

/** Behind several proxies the address that the last one believed names; what is no address counts for nothing. */
export function plainAddress(told: string, connection: string | undefined): string {
  return readAddress(told) ?? readAddress(connection ?? '') ?? 'unknown';
}

function readAddress(text: string): string | undefined {
  // Some balancers put the port to it: `192.0.2.1:4711`, `[2001:db8::1]:4711`.
  const bare = /^\[([^\]]+)\](?::\d+)?$/.exec(text)?.[1] ?? /^(\d+\.\d+\.\d+\.\d+):\d+$/.exec(text)?.[1] ?? text;
  const [address = ''] = bare.split('%');
  if (isIP(address) === 0) return undefined;
  return /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1] ?? address.toLowerCase();
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 6 ? 'ipv6' : 'ipv4';
}
