import { PlainError } from '../steps.mjs';

export const USAGE = `npm run images -- [--out DIR] [--prefix REGISTRY/PATH] [--rootfs DIR] [NAME ...]

  --out      where NAME.tar is written (dist/images)
  --prefix   what the images are called: PREFIX/NAME:TAG (berth.dev)
  --rootfs   leaves the file system of each in DIR/NAME as well, for the Dockerfiles in deploy/images`;

const PREFIX = /^[a-z0-9][a-z0-9.-]*(:\d+)?(\/[a-z0-9]+([._-]+[a-z0-9]+)*)*$/;

export interface ImageOptions {
  /** Undefined: where images usually go. */
  out: string | undefined;
  prefix: string;
  rootfs: string | undefined;
  names: string[];
}

/** What the command line asks for; pure. `known` are the names of all images. */
export function readOptions(parameters: readonly string[], known: string[]): ImageOptions {
  const options: ImageOptions = { out: undefined, prefix: 'berth.dev', rootfs: undefined, names: [] };
  const rest = [...parameters];
  while (rest.length > 0) {
    const word = rest.shift()!;
    if (!word.startsWith('-')) options.names.push(word);
    else if (word === '--out' || word === '--prefix' || word === '--rootfs')
      options[word.slice(2) as 'out' | 'prefix' | 'rootfs'] = takeValue(word, rest);
    else throw new PlainError(`there is no option ${word}\n\n${USAGE}`);
  }
  const unknown = options.names.find((name) => !known.includes(name));
  if (unknown !== undefined) throw new PlainError(`there is no image "${unknown}"; there are ${known.join(', ')}`);
  options.prefix = options.prefix.replace(/\/$/, '');
  if (!PREFIX.test(options.prefix)) {
    throw new PlainError(
      `--prefix must be a registry and perhaps a path, such as registry.example.com/berth, not "${options.prefix}"`,
    );
  }
  return { ...options, names: options.names.length > 0 ? [...new Set(options.names)] : known };
}

function takeValue(option: string, rest: string[]): string {
  const value = rest.shift();
  if (value === undefined || value === '' || value.startsWith('--'))
    throw new PlainError(`${option} needs a value\n\n${USAGE}`);
  return value;
}
