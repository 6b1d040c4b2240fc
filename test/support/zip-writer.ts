import { crc32, deflateRawSync } from 'node:zlib';

/** A member of an archive; fields that are left out get correct values. */
export type Member = {
  readonly name: string;
  readonly content: string | Uint8Array;
  readonly stored?: boolean;
  readonly flags?: number;
  readonly method?: number;
  readonly crc?: number;
  readonly size?: number;
};

/** A zip archive as PKWARE's APPNOTE describes it, with the errors that members ask for. */
export function zipOf(members: readonly Member[]): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const member of members) {
    const content = Buffer.from(member.content);
    const packed = member.stored ? content : deflateRawSync(content);
    const name = Buffer.from(member.name);
    const common = commonHeader(member, content, packed, name);
    const local = Buffer.concat([Buffer.from('PK\x03\x04\x14\x00', 'latin1'), common, Buffer.alloc(0), name]);
    const central = Buffer.alloc(14);
    central.writeUInt32LE(offset, 10);
    directory.push(Buffer.from('PK\x01\x02\x14\x03\x14\x00', 'latin1'), common, central, name);
    parts.push(local, packed);
    offset += local.length + packed.length;
  }
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  end.writeUInt16LE(members.length, 8);
  end.writeUInt16LE(members.length, 10);
  end.writeUInt32LE(Buffer.concat(directory).length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...parts, ...directory, end]);
}

/** The 24 bytes that local and central headers share: from the flags to the length of the extra field. */
function commonHeader(member: Member, content: Buffer, packed: Buffer, name: Buffer): Buffer {
  const header = Buffer.alloc(24);
  header.writeUInt16LE(member.flags ?? 0x800, 0);
  header.writeUInt16LE(member.method ?? (member.stored ? 0 : 8), 2);
  header.writeUInt32LE(member.crc ?? crc32(content), 8);
  header.writeUInt32LE(packed.length, 12);
  header.writeUInt32LE(member.size ?? content.length, 16);
  header.writeUInt16LE(name.length, 20);
  return header;
}
