import { unsupportedMediaType } from '../errors.ts';

export const PROTOBUF = 'application/vnd.kubernetes.protobuf';

export function decodeProtobuf(_body: Buffer): unknown {
  throw unsupportedMediaType('protobuf bodies are not supported yet: send application/json');
}
