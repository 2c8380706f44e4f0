import { crc32, deflateRawSync } from "node:zlib";

/** 1 January 1980, the first day that a ZIP file can have: equal contents give equal bytes. */
const DATE = 0x21;
const DEFLATED = 8;
const VERSION = 20;

/** A ZIP file (PKWARE APPNOTE) with one deflated part. */
export function zipOne(name: string, content: Uint8Array): Uint8Array {
  const data = deflateRawSync(content);
  const path = Buffer.from(name);
  const common = Buffer.alloc(26);
  common.writeUInt16LE(VERSION, 0);
  common.writeUInt16LE(DEFLATED, 4);
  common.writeUInt16LE(DATE, 8);
  common.writeUInt32LE(crc32(content), 10);
  common.writeUInt32LE(data.length, 14);
  common.writeUInt32LE(content.length, 18);
  common.writeUInt16LE(path.length, 22);
  const local = Buffer.concat([Buffer.from("PK\u0003\u0004"), common, path, data]);
  // Behind the common fields: lengths, attributes and the position of the part, all zero.
  const entry = Buffer.concat([
    Buffer.from("PK\u0001\u0002"),
    Buffer.from([VERSION, 0]),
    common,
    Buffer.alloc(14),
    path,
  ]);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(1, 4);
  end.writeUInt16LE(1, 6);
  end.writeUInt32LE(entry.length, 8);
  end.writeUInt32LE(local.length, 12);
  return Buffer.concat([local, entry, Buffer.from("PK\u0005\u0006"), end]);
}
