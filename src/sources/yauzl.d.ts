/** The part of yauzl that asof uses; the package has no types of its own. */
declare module 'yauzl' {
  import type { Readable } from 'node:stream';

  export type Entry = {
    readonly fileNameRaw: Buffer;
    readonly extraFields: readonly { readonly id: number; readonly data: Buffer }[];
    readonly generalPurposeBitFlag: number;
    readonly compressionMethod: number;
    readonly compressedSize: number;
    readonly uncompressedSize: number;
    readonly crc32: number;
    isEncrypted(): boolean;
  };

  export type ZipFile = {
    readonly entryCount: number;
    eachEntry(): AsyncIterable<Entry>;
    openReadStreamPromise(entry: Entry, options: { decodeFileData: false }): Promise<Readable>;
    /** Closes the file once the streams opened from it have ended. */
    close(): void;
    on(event: 'error', listener: (error: Error) => void): void;
  };

  export function openPromise(
    path: string,
    options: { autoClose: boolean; decodeStrings: boolean },
  ): Promise<ZipFile>;

  export function getFileNameLowLevel(
    generalPurposeBitFlag: number,
    fileNameRaw: Buffer,
    extraFields: Entry['extraFields'],
    strictFileNames: boolean,
  ): string;
}
