import { largestPage, pagesOf } from '../../client/pagination.ts';
import type { Row } from '../../operations/envelope.ts';
import { seriesSearch } from '../../operations/index.ts';
import { chosenBaseUrl } from '../config/base-url.ts';
import type { ConnectionFlags } from '../options/line.ts';
import { withClient } from '../run/session.ts';
import type { Io } from '../terminal/io.ts';
import type { Choice } from './shell.ts';

/** Seconds that a shell waits for ids after TAB. */
export const patience = 1;

/**
 * Series whose ids start with a text, at most one page of the contract, from the store or service that the command would
 * ask. A service gets one request, which counts against the quota, and no retry.
 */
export async function seriesIds(
  text: string,
  source: Pick<ConnectionFlags, 'store' | 'baseUrl'>,
  io: Io,
): Promise<readonly Choice[]> {
  const isRemote = chosenBaseUrl(io, source) !== undefined;
  const flags = {
    connection: { ...source, timeout: patience, retries: 0, maxWait: 0 },
    messages: { quiet: true, verbose: false, debug: false },
  };
  return withClient(flags, io, async (client) => {
    const found: Choice[] = [];
    const pages = isRemote
      ? [
          await client.ask(seriesSearch, [
            ['q', text],
            ['limit', String(largestPage)],
          ]),
        ]
      : pagesOf(client, seriesSearch, [['q', text]], {}, io.signal);
    for await (const page of pages) {
      found.push(...page.results.map(choiceOf).filter(({ value }) => startsWithId(value, text)));
      if (found.length >= largestPage) break;
    }
    return found.slice(0, largestPage);
  });
}

/** The title of a series without one is its id. */
function choiceOf({ id, title }: Row): Choice {
  return { value: String(id), ...(title !== id && { about: String(title ?? '') }) };
}

/** Whether an id starts with the text; one that starts with a dash would be read as a flag. */
function startsWithId(id: string, text: string): boolean {
  return id.startsWith(text.toUpperCase()) && !id.startsWith('-');
}
