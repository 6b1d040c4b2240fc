import type { Envelope } from '../../operations/envelope.ts';
import type { DataWatch } from '../client.ts';
import type { HttpReply } from './exchange.ts';

type Read = (reply: HttpReply) => Envelope<unknown>;

/** The answer that later answers to the same request are compared with. */
type Baseline = {
  readonly path: string;
  readonly tag: string;
  readonly envelope: Envelope<unknown>;
  readonly read: Read;
};

/** Watches for changes of a service's data by the ETag of one answer. */
export type ChangeWatch = {
  /** Must be called with each answer; the first one after `begin` becomes the baseline. */
  readonly answered: (path: string, reply: HttpReply, envelope: Envelope<unknown>, read: Read) => void;
  readonly begin: () => DataWatch;
};

/** Requests the baseline again with its `ETag`; detects no change if answers have none, or another each time. */
export function changeWatch(
  get: (path: string, headers: Readonly<Record<string, string>>) => Promise<HttpReply>,
): ChangeWatch {
  let awaitsBaseline = false;
  let baseline: Baseline | undefined;

  /** The same answer with its new tag; undefined if the tag is as before or absent. */
  const renewed = async ({ path, tag, read }: Baseline): Promise<Baseline | undefined> => {
    const reply = await get(path, { 'if-none-match': tag });
    if (reply.status === 304) return undefined;
    const envelope = read(reply);
    const { etag } = reply.headers;
    return etag === undefined || opaque(etag) === opaque(tag)
      ? undefined
      : { path, tag: etag, envelope, read };
  };

  const changedSince = async (before: Baseline): Promise<boolean> => {
    const now = await renewed(before);
    if (now === undefined) return false;
    // The content may be the same although other data changed. Compare with the new tag from now on.
    const later = await renewed(now);
    return later === undefined || content(later.envelope) !== content(before.envelope);
  };

  return {
    answered(path, { headers: { etag } }, envelope, read) {
      if (!awaitsBaseline) return;
      awaitsBaseline = false;
      if (etag !== undefined) baseline = { path, tag: etag, envelope, read };
    },
    begin() {
      awaitsBaseline = true;
      baseline = undefined;
      return {
        // Before the first answer, assume that it will have an ETag.
        requests: () => (awaitsBaseline || baseline !== undefined ? 1 : 0),
        changed: async () => baseline !== undefined && changedSince(baseline),
      };
    },
  };
}

/** A tag without its mark of weakness: a proxy may turn a strong tag into a weak one. */
function opaque(tag: string): string {
  return tag.replace(/^W\//, '');
}

function content({ request_id: _, ...rest }: Envelope<unknown>): string {
  return JSON.stringify(rest);
}
