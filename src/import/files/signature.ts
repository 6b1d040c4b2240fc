/** The number of bytes that `signatureOf` needs. */
export const signatureSize = 512;

const zipSignatures = ['PK\x03\x04', 'PK\x05\x06', 'PK\x07\x08'];

/** Names of the first member of an Office document, which is a zip archive. */
const officeParts = /^(?:\[Content_Types\]\.xml|_rels\/|docProps\/|xl\/|customXml\/)/;

/** Whether a file that begins with `head` is a zip archive or gzip data. Office documents count as neither. */
export function signatureOf(head: Buffer): 'zip' | 'gzip' | undefined {
  if (head[0] === 0x1f && head[1] === 0x8b) return 'gzip';
  const text = head.toString('latin1');
  if (!zipSignatures.includes(text.slice(0, 4))) return undefined;
  return isOfficeDocument(head, text) ? undefined : 'zip';
}

function isOfficeDocument(head: Buffer, text: string): boolean {
  if (head.length < 30) return false;
  // The first member of the archive: a header of 30 bytes, then its name.
  return officeParts.test(text.slice(30, 30 + head.readUInt16LE(26)));
}
