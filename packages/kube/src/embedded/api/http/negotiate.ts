import { KubeError } from '../../../schema/status.ts';

/** How a client wants objects: whole, as rows to print, or as metadata alone. */
export type Form = 'object' | 'table' | 'metadata';

interface Accepted {
  type: string;
  parameters: Map<string, string>;
  quality: number;
}

const JSON_TYPES = new Set(['application/json', 'application/*', '*/*']);

/** The first form in `Accept` that is served. Protobuf answers are not; clients that ask for them name JSON as well. */
export function negotiate(accept: string | undefined): Form {
  const wanted = parseAccept(accept ?? '*/*');
  for (const { type, parameters } of wanted) {
    const as = parameters.get('as');
    if (!JSON_TYPES.has(type)) continue;
    if (as === undefined) return 'object';
    if (parameters.get('g') !== 'meta.k8s.io' || parameters.get('v') !== 'v1') continue;
    if (as === 'Table') return 'table';
    if (as === 'PartialObjectMetadata' || as === 'PartialObjectMetadataList') return 'metadata';
  }
  throw new KubeError(406, 'NotAcceptable', 'only the following media types are accepted: application/json');
}

export function parseAccept(accept: string): Accepted[] {
  return accept
    .split(',')
    .map((part) => {
      const [type = '', ...rest] = part.split(';').map((piece) => piece.trim());
      const parameters = new Map(rest.map((piece) => piece.split('=', 2) as [string, string]));
      return { type: type.toLowerCase() || '*/*', parameters, quality: Number(parameters.get('q') ?? 1) };
    })
    .sort((left, right) => right.quality - left.quality);
}
