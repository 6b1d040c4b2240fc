import type { Envelope } from '../../operations/envelope.ts';
import type { DataWatch } from '../client.ts';
import type { HttpReply } from './exchange.ts';

/** How the answer of a path is read; a Problem where it is none. */
type Read = (reply: HttpReply) => Envelope<unknown>;

/** One answer by which the data is known again. */
type Mark = {
  readonly path: string;
  readonly tag: string;
  readonly envelope: Envelope<unknown>;
  readonly read: Read;
};

/** Watches the data of a service by the tag of an answer. */
export type ChangeWatch = {
  /** Hears of each answer that was given. */
  readonly answered: (path: string, reply: HttpReply, envelope: Envelope<unknown>, read: Read) => void;
  readonly begin: () => DataWatch;
};

/**
 * Asks for the first answer once more, with its `ETag` in `If-None-Match`. Where answers have no tag, or the same answer
 * has a new one each time (of a body with its request id, say), nobody can tell.
 */
export function changeWatch(
  get: (path: string, headers: Readonly<Record<string, string>>) => Promise<HttpReply>,
): ChangeWatch {
  let looking = false;
  let mark: Mark | undefined;

  /** The answer as it is now, or undefined where that is the same or nobody can tell. */
  const renewed = async ({ path, tag, read }: Mark): Promise<Mark | undefined> => {
    const reply = await get(path, { 'if-none-match': tag });
    if (reply.status === 304) return undefined;
    const envelope = read(reply);
    const { etag } = reply.headers;
    return etag === undefined || opaque(etag) === opaque(tag)
      ? undefined
      : { path, tag: etag, envelope, read };
  };

  const changedSince = async (before: Mark): Promise<boolean> => {
    const now = await renewed(before);
    if (now === undefined) return false;
    // What changed need not show in this answer: if anything did, the new tag is there to stay.
    const later = await renewed(now);
    return later === undefined || content(later.envelope) !== content(before.envelope);
  };

  return {
    answered(path, { headers: { etag } }, envelope, read) {
      if (!looking) return;
      looking = false;
      if (etag !== undefined) mark = { path, tag: etag, envelope, read };
    },
    begin() {
      looking = true;
      mark = undefined;
      return {
        // Before the first answer it is to be expected that there will be a tag.
        requests: () => (looking || mark !== undefined ? 1 : 0),
        changed: async () => mark !== undefined && changedSince(mark),
      };
    },
  };
}

/** Something on the way may turn a strong tag into a weak one. */
function opaque(tag: string): string {
  return tag.replace(/^W\//, '');
}

/** What an answer says, whichever request it was. */
function content({ request_id: _, ...rest }: Envelope<unknown>): string {
  return JSON.stringify(rest);
}
