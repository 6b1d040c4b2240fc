/** The part of yauzl that asof uses; the package has no types of its own. */
declare module 'yauzl' {
  import type { Readable } from 'node:stream';

  namespace yauzl {
    type Entry = {
      readonly fileNameRaw: Buffer;
      readonly extraFields: readonly { readonly id: number; readonly data: Buffer }[];
      readonly generalPurposeBitFlag: number;
      readonly compressionMethod: number;
      readonly compressedSize: number;
      readonly uncompressedSize: number;
      readonly crc32: number;
      isEncrypted(): boolean;
    };

    type ZipFile = {
      readonly entryCount: number;
      eachEntry(): AsyncIterable<Entry>;
      openReadStreamPromise(entry: Entry, options: { decodeFileData: false }): Promise<Readable>;
      /** Closes the file once the streams opened from it have ended. */
      close(): void;
      on(event: 'error', listener: (error: Error) => void): void;
    };
  }

  const yauzl: {
    openPromise(
      path: string,
      options: { autoClose: boolean; decodeStrings: boolean },
    ): Promise<yauzl.ZipFile>;
    getFileNameLowLevel(
      generalPurposeBitFlag: number,
      fileNameRaw: Buffer,
      extraFields: yauzl.Entry['extraFields'],
      strictFileNames: boolean,
    ): string;
  };
  export = yauzl;
}
