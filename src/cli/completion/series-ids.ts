import type { Row } from '../../operations/envelope.ts';
import { seriesSearch } from '../../operations/index.ts';
import { chosenBaseUrl } from '../config/base-url.ts';
import { everything, largestPage, pagesOf } from '../run/pages.ts';
import { withSession } from '../run/session.ts';
import type { Io } from '../terminal/io.ts';
import type { Choice } from './choice.ts';

/** Seconds that a shell may wait for ids: who pressed TAB is waiting. */
export const patience = 1;

/** Where to look series up, as the command line being typed says it. */
export type Source = { readonly store?: string; readonly baseUrl?: string };

/**
 * Series whose ids begin with a text, at most a page of the contract, from the store or service that the command would
 * ask. Of a service it takes one request, which counts against its quota; it is never asked twice.
 */
export async function seriesIds(text: string, source: Source, io: Io): Promise<readonly Choice[]> {
  const flags = { ...source, header: true, color: false, quiet: true };
  const remote = chosenBaseUrl(io, source) !== undefined;
  const hurried = { timeout: patience, retries: 0, maxWait: 0 };
  return withSession({ ...flags, ...hurried }, io, async ({ client }) => {
    const found: Choice[] = [];
    const pages = remote
      ? [
          await client.ask(seriesSearch, [
            ['q', text],
            ['limit', String(largestPage)],
          ]),
        ]
      : pagesOf(client, seriesSearch, [['q', text]], everything, io.signal);
    for await (const page of pages) {
      found.push(...page.results.map(choiceOf).filter(({ value }) => isMeant(value, text)));
      if (found.length >= largestPage) break;
    }
    return found.slice(0, largestPage);
  });
}

/** An untitled series has its id for a title. */
function choiceOf({ id, title }: Row): Choice {
  return { value: String(id), ...(title !== id && { about: String(title ?? '') }) };
}

/** What begins with a dash would be read as a flag. */
function isMeant(id: string, text: string): boolean {
  return id.startsWith(text.toUpperCase()) && !id.startsWith('-');
}
