import { didYouMean } from '../domain/search/words.ts';
import { Problem } from '../errors/problem.ts';
import { listed, someOf } from '../errors/wording.ts';
import { writing } from '../store/open.ts';
import type { SourceName } from './options.ts';
import type { PullSource } from './source.ts';
import { followedIn, pullSources } from './sources.ts';

/**
 * Stops following what texts mean, as a pull of the source takes them; without texts, what a pull without names follows.
 * Returns the names; throws a Problem for a text that means nothing followed, and changes nothing.
 */
export async function unfollow(
  store: string,
  source: SourceName,
  typed: readonly string[],
): Promise<readonly string[]> {
  const live = pullSources.find(({ name }) => name === source);
  const own = (await followedIn(store)).filter((record) => record.source === source);
  const names = own.map(({ name }) => name);
  const everything = typed.length > 0 ? [] : await resolved(live, []);
  const found = new Set(names.filter((name) => everything.includes(name)));
  for (const text of typed) {
    const meant = await namesMeant(live, text, names);
    if (meant.length === 0) throw notFollowed(source, text, names);
    for (const name of meant) found.add(name);
  }
  if (found.size === 0) {
    const detail = `name the items of ${source} to unfollow`;
    throw new Problem('bad-input', detail, { hints: [followedText(source, names)] });
  }
  await writing(store, async (writer) => {
    for (const name of found) await writer.unfollow(source, name);
    await writer.commit();
  });
  return [...found];
}

/** Finds the followed names that a text means, in any letter case. */
async function namesMeant(
  live: PullSource | undefined,
  text: string,
  names: readonly string[],
): Promise<readonly string[]> {
  const same = names.filter((name) => name.toLowerCase() === text.trim().toLowerCase());
  if (same.length > 0) return same;
  const asked = await resolved(live, [text]);
  return names.filter((name) => asked.some((one) => live?.covers?.(one, name) ?? one === name));
}

/** Returns the names of a source that texts stand for; none for texts that it does not take. */
async function resolved(live: PullSource | undefined, typed: readonly string[]): Promise<readonly string[]> {
  try {
    return (await live?.resolve(typed, undefined)) ?? [];
  } catch (error) {
    if (error instanceof Problem) return [];
    throw error;
  }
}

function notFollowed(source: SourceName, text: string, names: readonly string[]): Problem {
  return new Problem('not-found', `the store does not follow ${text} of ${source}`, {
    hints: [...didYouMean(text, names), followedText(source, names)],
  });
}

const mostNamed = 5;

function followedText(source: SourceName, names: readonly string[]): string {
  if (names.length === 0) return `it follows nothing of ${source}`;
  return `it follows ${listed(someOf(names, mostNamed), 'and')}; asof pull --list shows all`;
}
