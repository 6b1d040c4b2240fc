import type { Chunk } from '../../render/renderer.ts';

/** Where a command's data goes. */
export type Sink = {
  /** Writes text or bytes, waiting where the reader is slower; false when the reader has gone and no more is wanted. */
  readonly write: (chunk: Chunk) => Promise<boolean>;
  /** Whether anything has left for good, so that it cannot be begun again. */
  readonly committed: () => boolean;
  /** Begins again with nothing written; only while not `committed`. */
  readonly restart: () => Promise<void>;
  /** Completes the output: from here on a file is there. */
  readonly finish: () => Promise<void>;
  /** Gives the output up: a file is as it was before. */
  readonly abandon: () => Promise<void>;
};
