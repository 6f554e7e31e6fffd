/** The wire format of protobuf: fields of a message as numbers and raw values. */
export interface WireField {
  number: number;
  value: number | Uint8Array;
}

export function readFields(bytes: Uint8Array): WireField[] {
  const fields: WireField[] = [];
  let at = 0;
  const varint = (): number => {
    let result = 0;
    for (let shift = 0; shift < 70; shift += 7) {
      const byte = bytes[at++];
      if (byte === undefined) throw new Error('a number is cut off');
      result += (byte & 0x7f) * 2 ** shift;
      // Negative numbers take ten bytes: two's complement of 64 bits.
      if (byte < 0x80) return result >= 2 ** 63 ? result - 2 ** 64 : result;
    }
    throw new Error('a number is too long');
  };
  while (at < bytes.length) {
    const tag = varint();
    const number = Math.floor(tag / 8);
    const type = tag % 8;
    if (type === 0) fields.push({ number, value: varint() });
    else if (type === 2) {
      const length = varint();
      if (length < 0 || at + length > bytes.length) throw new Error('a value is cut off');
      fields.push({ number, value: bytes.subarray(at, at + length) });
      at += length;
    } else if (type === 1 || type === 5) at += type === 1 ? 8 : 4;
    else throw new Error(`wire type ${type} is not used by Kubernetes`);
  }
  return fields;
}
